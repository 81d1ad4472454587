"""What was recorded before its work was committed counts where that work landed, and is doubtful elsewhere."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from support.branch_scenes import Scene, scene_in
from support.memory_scenes import AGENT, PERSON

from repomem.core.records import FIRST_COMMIT, Event, MemoryContent, MemoryKind, Origin, Record
from repomem.core.types.text import NOTHING, CleanText
from repomem.core.ulid import new_ulid
from repomem.index.run import index
from repomem.memories.new_memory import NewMemory
from repomem.memories.remember import remember
from repomem.memories.review import close_threads, confirm
from repomem.memories.rewrites.follow import follow_rewrites
from repomem.memories.snapshots.snapshot import memories_now
from repomem.memories.status import MemoryState, Status, Visibility
from repomem.sessions.lifecycle import end, start
from repomem.workspace.ledger import Speaker, ledger_of, origin_of, records_here, with_work_tree
from repomem.workspace.run import Run

CODE = "def parse(line):\n    fields = line.strip().split(',')\n    return [each.strip() for each in fields if each]\n"
FILES = {"parse.py": CODE, "send.py": "def send(line):\n    return open_queue().put(line, timeout=3, retries=2)\n"}
RULE = "parse never returns an empty field"


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    long_ago = int(time.time()) - 10_000  # a memory has the time of this machine, and is later
    with scene_in(tmp_path / "work", FILES, long_ago) as made:
        yield made


def say(scene: Scene, text: str = RULE, speaker: Speaker = PERSON, **more: object) -> str:
    """Remember a text with the worktree as it is; the commits after it are later."""
    new = NewMemory(text, on=("parse.py:parse",), **more)  # type: ignore[arg-type]
    result, _ = remember(scene.workspace, new, speaker)
    scene.clock = max(scene.clock, int(time.time()))
    return result.id


def say_as_of(scene: Scene, origin: Origin) -> str:
    """Write a memory now that has an earlier origin, as the capture of a session does."""
    said = MemoryContent(MemoryKind.DECISION, CleanText(RULE))

    def make(before: Sequence[Record]) -> list[Record]:
        return [Record(new_ulid(before[-1].id if before else ""), Event.REMEMBER, origin, said=said)]

    [record] = ledger_of(scene.workspace).append(make)
    return record.id


def state(scene: Scene, name: str) -> MemoryState:
    """What an index run and a brief make of it now."""
    follow_rewrites(scene.workspace, scene.head)
    return memories_now(scene.workspace).states[name]


def drop_branch(scene: Scene) -> None:
    scene.git("switch", "-q", "main")
    scene.git("branch", "-q", "-D", "topic")


@pytest.mark.parametrize("speaker", [PERSON, AGENT], ids=["person", "agent"])
@pytest.mark.parametrize("is_seen", [True, False], ids=["index runs there", "no index run"])
def test_what_was_said_before_a_branchs_first_commit_is_tried_once_the_branch_is_gone(
    scene: Scene, speaker: Speaker, is_seen: bool
) -> None:
    scene.git("switch", "-q", "-c", "topic")
    name = say(scene, speaker=speaker)
    scene.commit({"send.py": "def send(line):\n    return line\n"})
    if is_seen:
        assert state(scene, name).visibility is Visibility.HERE
    drop_branch(scene)
    assert state(scene, name).visibility is Visibility.ABANDONED


def test_it_is_staged_on_main_while_the_branch_exists_and_here_once_it_is_merged(scene: Scene) -> None:
    scene.git("switch", "-q", "-c", "topic")
    name = say(scene)
    scene.commit({"send.py": "def send(line):\n    return line\n"})
    scene.git("switch", "-q", "main")
    assert state(scene, name).visibility is Visibility.UNMERGED
    scene.git("merge", "-q", "--no-ff", "--no-edit", "topic")
    scene.git("branch", "-q", "-D", "topic")
    assert (state(scene, name).visibility, state(scene, name).status) == (Visibility.HERE, Status.CURRENT)


def test_it_follows_a_squash_of_the_branchs_commits(scene: Scene) -> None:
    scene.git("switch", "-q", "-c", "topic")
    name = say(scene)
    scene.commit({"send.py": "def send(line):\n    return line\n"})
    scene.commit({"more.py": "MORE = 1\n"})
    scene.git("switch", "-q", "main")
    scene.git("merge", "-q", "--squash", "topic")
    scene.git("commit", "-q", "-m", "topic as one")
    scene.git("branch", "-q", "-D", "topic")
    assert (state(scene, name).visibility, state(scene, name).status) == (Visibility.HERE, Status.CURRENT)


def test_it_is_doubtful_on_main_where_the_branch_never_had_a_commit(scene: Scene) -> None:
    scene.git("switch", "-q", "-c", "topic")
    name = say(scene)
    assert state(scene, name).status is Status.CURRENT
    scene.git("switch", "-q", "main")
    here = state(scene, name)
    assert (here.visibility, here.status) == (Visibility.HERE, Status.PROVISIONAL)
    assert here.why == ("recorded on branch topic before its first known commit; nothing shows that it was merged")


def test_a_person_confirms_it_on_main(scene: Scene) -> None:
    scene.git("switch", "-q", "-c", "topic")
    name = say(scene)
    drop_branch(scene)
    assert state(scene, name).status is Status.PROVISIONAL
    confirm(scene.workspace, [name], PERSON)
    assert state(scene, name).status is Status.CURRENT


def test_what_was_said_beside_uncommitted_changes_is_doubtful_once_they_are_discarded(scene: Scene) -> None:
    (scene.folder / "send.py").write_text("def send(line):\n    return line\n")
    name = say(scene)
    assert state(scene, name).status is Status.CURRENT
    scene.git("checkout", "-q", "--", ".")
    assert state(scene, name).status is Status.PROVISIONAL


def test_what_was_said_beside_uncommitted_changes_counts_once_they_are_committed(scene: Scene) -> None:
    (scene.folder / "send.py").write_text("def send(line):\n    return line\n")
    name = say(scene)
    scene.commit({}, "send at once")
    scene.commit({"more.py": "MORE = 1\n"})
    assert (state(scene, name).visibility, state(scene, name).status) == (Visibility.HERE, Status.CURRENT)


def test_what_was_said_beside_uncommitted_changes_counts_if_it_is_written_after_their_commit(scene: Scene) -> None:
    (scene.folder / "send.py").write_text("def send(line):\n    return line\n")
    say(scene)
    origin = with_work_tree(scene.workspace, origin_of(scene.workspace, AGENT))
    scene.commit({}, "send at once")
    index(scene.workspace, Run())
    memories_now(scene.workspace)
    name = say_as_of(scene, origin)
    assert memories_now(scene.workspace).states[name].why == ""  # only unconfirmed


def test_a_memory_of_committed_work_starts_no_search(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    index(scene.workspace, Run())
    memories_now(scene.workspace)
    monkeypatch.setattr("repomem.memories.rewrites.follow.first_commits", None)  # would fail if it were called
    name = say_as_of(scene, origin_of(scene.workspace, AGENT))
    assert name in memories_now(scene.workspace).states


def test_the_next_commit_of_another_clone_is_not_the_commit_of_the_work(scene: Scene) -> None:
    (scene.folder / "send.py").write_text("def send(line):\n    return line\n")
    origin = with_work_tree(scene.workspace, origin_of(scene.workspace, PERSON))
    name = say_as_of(scene, replace(origin, head="f" * 40))
    scene.clock = int(time.time())
    scene.commit({}, "something else")
    state(scene, name)
    assert [one for one in records_here(scene.workspace) if one.text == FIRST_COMMIT] == []


def test_a_commit_that_this_clone_lacks_is_named_and_not_the_one_that_was_checked_out(scene: Scene) -> None:
    (scene.folder / "send.py").write_text("def send(line):\n    return line\n")
    name = say_as_of(scene, with_work_tree(scene.workspace, origin_of(scene.workspace, AGENT)))
    scene.clock = int(time.time())
    made = scene.commit({}, "send at once")
    say_as_of(scene, origin_of(scene.workspace, AGENT))
    state(scene, name)
    scene.git("reset", "-q", "--hard", "HEAD~1")
    scene.git("reflog", "expire", "--expire=now", "--all")
    scene.git("gc", "-q", "--prune=now")
    assert state(scene, name).why == f"recorded with commit {made[:8]}, which this clone does not have"


def test_uncommitted_changes_that_are_carried_to_a_branch_take_what_was_said_along(scene: Scene) -> None:
    (scene.folder / "send.py").write_text("def send(line):\n    return line\n")
    name = say(scene)
    scene.git("switch", "-q", "-c", "topic")
    scene.commit({}, "send at once")
    assert state(scene, name).visibility is Visibility.HERE
    drop_branch(scene)
    assert state(scene, name).visibility is Visibility.ABANDONED


def test_code_that_was_uncommitted_and_is_here_now_proves_that_its_work_landed(scene: Scene) -> None:
    scene.git("switch", "-q", "-c", "topic")
    (scene.folder / "parse.py").write_text(CODE.replace("if each", "if each and each.isalnum()"))
    name = say(scene)
    scene.commit({}, "only letters and digits")
    scene.git("switch", "-q", "main")
    assert state(scene, name).visibility is Visibility.UNMERGED
    scene.commit({"parse.py": CODE.replace("if each", "if each and each.isalnum()"), "x.py": "X = 1\n"}, "by hand")
    scene.git("branch", "-q", "-D", "topic")
    assert (state(scene, name).visibility, state(scene, name).status) == (Visibility.HERE, Status.CURRENT)


def test_a_branch_of_the_remote_has_commits_of_its_own(scene: Scene, tmp_path: Path) -> None:
    scene.git("switch", "-q", "-c", "topic")
    scene.commit({"send.py": "def send(line):\n    return line\n"})
    scene.git("clone", "-q", "--bare", ".", str(tmp_path / "remote.git"))
    scene.git("remote", "add", "origin", str(tmp_path / "remote.git"))
    scene.git("fetch", "-q", "origin")
    drop_branch(scene)
    scene.git("switch", "-q", "topic")
    name = say(scene)
    scene.git("switch", "-q", "main")
    assert state(scene, name).visibility is Visibility.UNMERGED
    scene.git("merge", "-q", "--ff-only", "topic")
    assert state(scene, name).status is Status.CURRENT


def test_a_successor_of_a_dropped_branch_replaces_nothing_on_main(scene: Scene) -> None:
    old = say(scene)
    scene.git("switch", "-q", "-c", "topic")
    say(scene, "parse returns empty fields as None", supersedes=(old,))
    assert state(scene, old).status is Status.SUPERSEDED
    drop_branch(scene)
    assert state(scene, old).status is Status.CURRENT


def test_a_thread_closed_before_a_dropped_branchs_first_commit_is_open_on_main(scene: Scene) -> None:
    name = say(scene, "parse should keep quotes", kind=MemoryKind.THREAD)
    scene.git("switch", "-q", "-c", "topic")
    known = memories_now(scene.workspace)
    close_threads(scene.workspace, known, [name], NOTHING, PERSON)
    assert state(scene, name).status is Status.DONE
    drop_branch(scene)
    assert state(scene, name).status is Status.CURRENT


def test_what_is_said_on_main_or_after_a_branchs_own_commit_stays_as_it_was(scene: Scene) -> None:
    on_main = say(scene)
    scene.git("switch", "-q", "-c", "topic")
    scene.commit({"send.py": "def send(line):\n    return line\n"})
    on_topic = say(scene, "parse strips each field")
    scene.git("switch", "-q", "main")
    scene.git("merge", "-q", "--ff-only", "topic")
    scene.git("branch", "-q", "-D", "topic")
    assert [state(scene, name).status for name in (on_main, on_topic)] == [Status.CURRENT, Status.CURRENT]


@pytest.mark.parametrize("is_merged", [False, True], ids=["a later commit", "a merge"])
def test_the_first_commit_that_changed_uncommitted_code_stays_its_cause(scene: Scene, is_merged: bool) -> None:
    scene.git("branch", "-q", "other")
    (scene.folder / "parse.py").write_text(CODE.replace("if each", "if each != '-'"))
    name = say(scene)
    scene.commit({"parse.py": CODE.replace("if each", "if each.isalnum()")}, "only letters and digits")
    cause = scene.head
    assert (state(scene, name).status, state(scene, name).commit) == (Status.DRIFTED, cause)
    if is_merged:
        scene.git("switch", "-q", "other")
        scene.commit({"notes.md": "nothing\n"}, "notes")
        scene.git("switch", "-q", "main")
        scene.git("merge", "-q", "--no-edit", "other")
    else:
        scene.commit({"parse.py": CODE.replace("if each", "if each.isalnum()") + "# the end\n"}, "a comment")
    assert (state(scene, name).status, state(scene, name).commit) == (Status.DRIFTED, cause)


def test_uncommitted_work_that_was_committed_on_another_branch_is_not_shown_here_without_an_index_run(
    scene: Scene,
) -> None:
    index(scene.workspace, Run())
    scene.git("switch", "-q", "-c", "topic")
    (scene.folder / "parse.py").write_text(CODE.replace("if each", "if each != '-'"))
    name = say(scene)
    scene.commit({}, "no dashes")
    scene.git("switch", "-q", "main")
    assert memories_now(scene.workspace).states[name].visibility is Visibility.UNMERGED


LETTERS = CODE.replace("if each", "if each.isalnum()")


@pytest.mark.parametrize("ends", ["never", "before the commit", "after it"])
def test_code_that_a_session_changes_again_before_it_is_committed_is_its_own_work(scene: Scene, ends: str) -> None:
    start(scene.workspace, PERSON, "only letters and digits")
    (scene.folder / "parse.py").write_text(CODE.replace("if each", "if each != '-'"))
    name = say(scene)
    (scene.folder / "parse.py").write_text(LETTERS)
    if ends == "before the commit":
        end(scene.workspace, PERSON, "done")
    scene.commit({}, "only letters and digits")
    if ends == "after it":
        end(scene.workspace, PERSON, "done")
    assert state(scene, name).status is Status.CURRENT
    scene.git("mv", "parse.py", "fields.py")
    scene.commit({}, "parse.py is fields.py")
    assert (state(scene, name).status, state(scene, name).locations[0].path) == (Status.MOVED, "fields.py")
    scene.commit({"fields.py": LETTERS.replace("','", "';'")}, "semicolons")
    assert (state(scene, name).status, state(scene, name).commit) == (Status.DRIFTED, scene.head)


def test_what_another_session_makes_of_uncommitted_code_is_a_change_of_it(scene: Scene) -> None:
    start(scene.workspace, PERSON, "no dashes")
    (scene.folder / "parse.py").write_text(CODE.replace("if each", "if each != '-'"))
    name = say(scene)
    end(scene.workspace, PERSON, "not committed")
    start(scene.workspace, PERSON, "only letters and digits")
    scene.commit({"parse.py": LETTERS}, "only letters and digits")
    end(scene.workspace, PERSON, "committed")
    assert (state(scene, name).status, state(scene, name).commit) == (Status.DRIFTED, scene.head)


def test_code_that_was_changed_again_before_its_commit_is_found_in_a_renamed_file(scene: Scene) -> None:
    (scene.folder / "parse.py").write_text(CODE.replace("if each", "if each != '-'"))
    name = say(scene)
    scene.commit({"parse.py": LETTERS}, "only letters and digits")
    cause = scene.head
    scene.git("mv", "parse.py", "fields.py")
    scene.commit({}, "parse.py is fields.py")
    assert (state(scene, name).status, state(scene, name).commit) == (Status.DRIFTED, cause)
    assert state(scene, name).locations[0].path == "fields.py"


def test_on_another_branch_nothing_is_said_to_have_changed_the_code(scene: Scene) -> None:
    scene.git("switch", "-q", "-c", "topic")
    scene.commit({"parse.py": CODE.replace("if each", "if each.strip()")})
    name = say(scene)
    scene.git("switch", "-q", "main")
    one = state(scene, name)
    assert (one.visibility, one.status, one.commit) == (Visibility.UNMERGED, Status.DRIFTED, "")
    assert one.why == "the code here is not the code that it was recorded on"
