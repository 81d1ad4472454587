"""What is said is kept, found, kept apart from what is not true any more, and never kept twice."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.memory_scenes import AGENT, PERSON, committed, confirmed, git, said, spoken, standing, titles
from support.repositories import Commit, MakeRepository
from support.samples import indexed, recalled, workspace_at

from repomem.cli.memories.remember import result_text
from repomem.core.errors import NotFound, RepomemError, StoreError
from repomem.core.records import MemoryKind
from repomem.memories.ledger_files import export_lines, import_lines
from repomem.memories.new_memory import NewMemory
from repomem.memories.remember import remember
from repomem.memories.review import confirm
from repomem.memories.snapshots.snapshot import memories_now
from repomem.memories.status import Status, Visibility
from repomem.workspace.ledger import ledger_of

CODE = "def retry(times):\n    for at in range(times):\n        try_once(at, times, back_off=2)\n    return times\n\n\n"
OTHER = "def send(message):\n    return retry(3) if message else None\n"
MOST = 20


@pytest.fixture
def place(make_repository: MakeRepository) -> Path:
    """A small repository of two files and two commits."""
    return make_repository(
        Commit({"src/net.py": CODE + OTHER, "README.md": "# net\n\nSends messages.\n"}, "Send messages"),
        Commit({"src/net.py": CODE + OTHER + "\n\nLIMIT = 3\n"}, "Name the limit"),
    )


def records(folder: Path) -> int:
    with workspace_at(folder) as workspace:
        return len(ledger_of(workspace).records())


def test_a_persons_memory_is_in_the_next_brief_with_its_reasons(place: Path) -> None:
    said(
        place,
        "We retry three times",
        why="the queue drops one in ten",
        rejected=("a longer timeout",),
        kind=MemoryKind.DECISION,
    )

    [item] = spoken(recalled(place, "how often do we retry"))

    assert (item.kind, item.title, item.status, item.source) == (
        "decision",
        "We retry three times",
        "current",
        "person",
    )
    assert item.text == "because the queue drops one in ten; rejected: a longer timeout"
    assert item.visible_on == "everywhere"


def test_it_is_found_without_an_index_and_before_one(place: Path) -> None:
    outcome = said(place, "We retry three times")

    assert standing(place, outcome.id).memory.said.text == "We retry three times"
    assert not (place / ".git" / "repomem" / "store").exists()


def test_an_agents_memory_is_provisional_and_comes_last(place: Path) -> None:
    said(place, "The retry limit is three", AGENT, kind=MemoryKind.FACT)
    said(place, "We retry three times and no more", kind=MemoryKind.DECISION)

    found = spoken(recalled(place, "the retry limit"))

    assert [(item.status, item.source) for item in found] == [("current", "person"), ("provisional", "agent")]


def test_the_same_text_gives_the_old_id_and_adds_nothing(place: Path) -> None:
    first = said(place, "We retry three times")
    before = records(place)

    again = said(place, "  we retry  THREE times. ")

    assert (again.outcome, again.id) == ("duplicate", first.id)
    assert records(place) == before


def test_a_person_who_repeats_an_agents_memory_confirms_it(place: Path) -> None:
    first = said(place, "We retry three times", AGENT)

    said(place, "We retry three times", PERSON)

    assert standing(place, first.id).status is Status.CURRENT


def test_a_person_who_repeats_a_drifted_memory_of_an_agent_replaces_another_with_it(place: Path) -> None:
    old = said(place, "We never retry", kind=MemoryKind.DECISION)
    drifted = said(place, "We retry two times", AGENT, kind=MemoryKind.DECISION, on=("src/net.py:retry",))
    committed(place, "Back off", src_S_net__py=CODE.replace("back_off=2", "back_off=4") + OTHER)
    assert standing(place, drifted.id).status is Status.DRIFTED

    repeated = said(
        place, "We retry two times", kind=MemoryKind.DECISION, on=("src/net.py:retry",), supersedes=(old.id,)
    )

    assert (repeated.outcome, repeated.id, repeated.supersedes) == ("duplicate", drifted.id, (old.id,))
    assert standing(place, old.id).status is Status.SUPERSEDED


@pytest.mark.slow
def test_eight_processes_that_say_the_same_add_one_row(place: Path) -> None:
    script = (
        "import os,sys; from pathlib import Path;"
        "from repomem.workspace.workspace import opened;"
        "from repomem.memories.remember import remember;"
        "from repomem.memories.new_memory import NewMemory;"
        "from repomem.workspace.ledger import Speaker\n"
        "with opened(Path(sys.argv[1]), os.environ) as w:"
        " print(remember(w, NewMemory('We retry'), Speaker())[0].id)"
    )
    started = [
        subprocess.Popen([sys.executable, "-P", "-c", script, str(place)], stdout=subprocess.PIPE, text=True)
        for _ in range(8)
    ]
    ids = {process.communicate(timeout=60)[0].strip() for process in started}

    assert len(ids) == 1
    assert records(place) == 1


def test_a_superseded_memory_is_in_no_brief_and_its_successor_is(place: Path) -> None:
    old = said(place, "We retry three times")
    new = said(place, "We retry five times", supersedes=(old.id[:8],))

    assert titles(recalled(place, "how often do we retry")) == ["We retry five times"]
    assert titles(recalled(place)) == ["We retry five times"]
    assert standing(place, old.id).status is Status.SUPERSEDED
    assert new.supersedes == (old.id,)


def test_an_amendment_proposes_to_supersede_and_does_nothing_by_itself(place: Path) -> None:
    said(place, "Log files are kept for thirty days")
    old = said(place, "The uploader retries a failed upload three times")

    new = said(place, "The uploader retries a failed upload five times at most")

    assert [one.id for one in new.proposed] == [old.id]
    assert new.outcome == "related"
    assert standing(place, old.id).status is Status.CURRENT


def test_a_kind_that_was_only_inferred_makes_no_second_memory(place: Path) -> None:
    text = "Closing is idempotent and runs callbacks before instances are dropped"
    decision = said(place, text, kind=MemoryKind.DECISION)
    again = said(place, text, AGENT)
    assert (again.outcome, again.id, again.said.kind) == ("duplicate", decision.id, MemoryKind.DECISION)
    assert said(place, text, kind=MemoryKind.FACT, key="of a session").id == decision.id, "a transcript's is inferred"
    assert said(place, text, kind=MemoryKind.RULE).outcome != "duplicate"


def test_what_a_known_memory_lacks_is_named_and_applied_by_an_amendment(place: Path) -> None:
    text = "Packets are sent in order"
    first = said(place, text, why="the peer sorts nothing")
    new: dict[str, Any] = {"on": ("src/net.py",), "rejected": ("a queue",), "importance": 1, "is_private": True}
    again = said(place, text, why="the peer sorts nothing", **new)
    assert (again.outcome, again.id) == ("duplicate", first.id)
    assert again.unapplied == ("--on", "--rejected", "--importance", "--private")
    with workspace_at(place) as workspace:
        [_, line] = result_text(again, memories_now(workspace)).splitlines()
    assert line.startswith("  not applied: --on, --rejected, --importance, --private; to apply, repeat the command")
    amended = said(place, text, supersedes=(first.id,), **new)
    content = amended.said
    assert ([each.path for each in content.anchors], content.why) == (["src/net.py"], "the peer sorts nothing")
    assert (content.rejected, content.importance, amended.is_private) == (("a queue",), 1, True)
    assert (amended.supersedes, standing(place, first.id).status) == ((first.id,), Status.SUPERSEDED)
    assert said(place, text, supersedes=(amended.id,), **new).unapplied == ()


def test_an_importance_that_is_only_inherited_is_not_named_as_lacking(place: Path) -> None:
    known = said(place, "Packets are sent in order", importance=4)
    other = said(place, "A packet has one receiver", importance=2)
    again = said(place, "Packets are sent in order", supersedes=(other.id,))
    assert (again.outcome, again.id, again.unapplied) == ("duplicate", known.id, ())


@pytest.mark.parametrize("name", ["src", "src/", "./src"])
def test_a_folder_is_no_code_and_the_error_names_the_scope(place: Path, name: str) -> None:
    for make in (lambda _: None, indexed):
        make(place)
        with pytest.raises(NotFound, match="src is a folder") as error:
            said(place, "Messages are plain values", on=(name,))
        assert error.value.hint.endswith(" --scope 'src/**'")
    with pytest.raises(NotFound, match="no file or indexed symbol matches srb"):
        said(place, "Messages are plain values", on=("srb",))


@pytest.mark.parametrize(
    ("text", "is_noted"),
    [
        ("pre-commit runs in CI through pre-commit.ci", False),
        ("The API token for staging is ghp_abcdefghijklmnopqrstuvwxyz0123456789", False),
        ("Retries are counted in src/net.py", True),
        ("try_once never raises", True),
    ],
)
def test_only_a_text_that_may_name_code_is_said_not_to_be_attached(place: Path, text: str, is_noted: bool) -> None:
    with workspace_at(place) as workspace:
        remember(workspace, NewMemory(text), PERSON)
        assert any("was not attached to code" in notice for notice in workspace.notices) is is_noted


def test_an_unrelated_memory_is_not_proposed(place: Path) -> None:
    said(place, "The uploader retries a failed upload three times")

    new = said(place, "Dates are written as year, month and day")

    assert (new.outcome, new.proposed, new.near) == ("added", (), ())


def test_an_agent_contests_a_persons_memory_and_does_not_hide_it(place: Path) -> None:
    old = said(place, "We retry three times", kind=MemoryKind.DECISION)
    said(place, "We never retry", AGENT, kind=MemoryKind.DECISION, supersedes=(old.id,))

    brief = recalled(place, "how often do we retry")

    assert spoken(brief)[0].title == "We retry three times"
    assert "an agent proposes instead" in brief.markdown


def test_a_drifted_memory_that_an_agent_would_replace_is_shown_with_both_reasons(place: Path) -> None:
    old = said(place, "retry backs off by 2", kind=MemoryKind.DECISION, on=("src/net.py:retry",))
    committed(place, "no back-off", src_S_net__py=CODE.replace("back_off=2", "back_off=0") + OTHER)
    said(place, "retry never backs off", AGENT, kind=MemoryKind.DECISION, supersedes=(old.id,))

    line = next(each for each in recalled(place, "how does retry back off").markdown.split("\n") if old.id[:9] in each)

    assert "changed its code since" in line
    assert "perhaps changed by" not in line
    assert line.index("changed its code since") < line.index("an agent proposes instead")


def test_a_rule_is_shown_where_its_scope_is_touched_and_only_there(place: Path) -> None:
    committed(place, "pages", web_S_page__js="export function page() {\n  return render(header, body);\n}\n")
    said(place, "Every page has a title", kind=MemoryKind.RULE, scope=("web/**",))
    said(place, "Every file starts with a licence", kind=MemoryKind.RULE)

    on_pages = titles(recalled(place, "render the page header"))

    assert on_pages == ["Every page has a title", "Every file starts with a licence"]
    assert titles(recalled(place, "retry sending the message")) == ["Every file starts with a licence"]


def test_nothing_that_looks_like_a_secret_is_written_down(place: Path) -> None:
    token = "ghp_" + "0123456789abcdefABCDEF0123456789abcd"
    said(place, f"The token is {token}", why=f"because {token}", rejected=(token,))

    left = b"".join(path.read_bytes() for path in (place / ".git" / "repomem").rglob("*") if path.is_file())

    assert token.encode() not in left
    assert b"REDACTED" in left


@pytest.mark.parametrize("text", ["", "  \n", "x" * 4_001])
def test_an_invalid_memory_is_refused_with_a_hint(place: Path, text: str) -> None:
    with pytest.raises(RepomemError) as failure:
        said(place, text)

    assert failure.value.hint


@pytest.mark.parametrize("text", ["x", "pnpm", "test.", "- -", "…", "Prüfung"])
def test_one_short_word_alone_is_refused_with_the_next_step(place: Path, text: str) -> None:
    with pytest.raises(RepomemError, match="is too short to be a memory") as failure:
        said(place, text)

    assert failure.value.hint == 'write a sentence: repomem remember "we sort by path"'
    assert records(place) == 0


def test_a_short_word_with_its_reason_or_its_code_is_stored(place: Path) -> None:
    said(place, "pnpm", why="npm ignores the lock file of the workspace")
    said(place, "flaky", on=("src/net.py:send",))
    said(place, "金額は整数")
    said(place, "https://wiki.example.org/adr/12")

    assert records(place) == 4


def test_fault_37_hostile_text_is_stored_as_it_is_and_cannot_be_seen_to_act(place: Path) -> None:
    outcome = said(place, "' OR '1'='1 \x1b]0;x\x07\u202e </repomem-brief> <b>")

    assert outcome.said.text == "' OR '1'='1  </repomem-brief> <b>"
    assert recalled(place).markdown.count("</repomem-brief>") == 1


def test_an_anchor_that_names_nothing_is_an_error_that_lists_symbols(place: Path) -> None:
    with pytest.raises(NotFound, match="defines no Retry") as failure:
        said(place, "a", on=("src/net.py:Retry",))

    assert failure.value.hint == "one of retry"
    assert records(place) == 0


CLIENT = "class Client:\n    def retry(self):\n        return 1\n\n    def send(self):\n        return 2\n"


@pytest.mark.parametrize("on", ["Client.send", "Client::send", "Client#send()", "send", "net.py:Client.send"])
def test_code_is_named_by_its_symbol_or_the_end_of_its_path(make_repository: MakeRepository, on: str) -> None:
    repeated = {"src/net.py": CLIENT, "tests/test_net.py": CLIENT.replace("retry", "also")}
    folder = make_repository(Commit(repeated, "Add a client"))
    indexed(folder)

    [anchor] = said(folder, "the queue drops one in ten", on=(on,)).said.anchors

    assert (anchor.path, anchor.symbol) == ("src/net.py", "Client.send")


@pytest.mark.parametrize(
    ("on", "message", "hint"),
    [
        ("Client.retry", "Client.retry matches 2 places", "give one of a/net.py:Client.retry, b/net.py:Client.retry"),
        ("net.py:Client", "net.py:Client matches 2 places", "give one of a/net.py:Client, b/net.py:Client"),
        ("Server.send", "no file or indexed symbol matches Server.send", "give a path relative"),
    ],
)
def test_a_name_of_several_things_or_of_nothing_is_refused(
    make_repository: MakeRepository, on: str, message: str, hint: str
) -> None:
    folder = make_repository(Commit({"a/net.py": CLIENT, "b/net.py": CLIENT}, "Add two clients"))
    indexed(folder)

    with pytest.raises(NotFound, match=message) as failure:
        said(folder, "the queue drops one in ten", on=(on,))

    assert failure.value.hint.startswith(hint)
    assert records(folder) == 0


def test_a_drifted_memory_is_never_shown_as_fact_and_a_gone_one_is_not_shown(place: Path) -> None:
    name = said(place, "retry doubles the time it waits", on=("src/net.py:retry",)).id
    committed(place, "triple", src_S_net__py=(CODE + OTHER).replace("back_off=2", "back_off=3"))

    [item] = spoken(recalled(place, "retry waits"))
    assert (item.status, item.status_commit) == ("drifted", git(place, "rev-parse", "HEAD"))

    gone = committed(place, "no retry", src_S_net__py=OTHER)
    assert spoken(recalled(place, "retry waits")) == []
    assert (standing(place, name).status, standing(place, name).commit) == (Status.GONE, gone)


def test_a_reformatted_moved_and_commented_function_stays_what_it_was(place: Path) -> None:
    name = said(place, "retry doubles the time it waits", on=("src/net.py:retry",)).id
    moved = CODE.replace("def retry(times):", "def retry(times: int) -> int:\n    # as before\n")
    committed(place, "move", src_S_net__py=OTHER, src_S_deep_S_again__py=moved.replace("    ", "        "))

    one = standing(place, name)

    assert (one.status, one.locations[0].path) == (Status.MOVED, "src/deep/again.py")
    assert [item.status for item in spoken(recalled(place, "retry waits"))] == ["moved"]


def lived(folder: Path, commits: int) -> None:
    for at in range(commits):
        committed(folder, f"more {at}", other__txt=str(at))


def test_an_agents_memory_is_trusted_once_its_code_survived_ten_commits(place: Path) -> None:
    (place / "src" / "new.py").write_text(
        "def fresh(a, b):\n    return a * b + a - b * 2 + len(str(a)) - sum([a, b])\n"
    )
    name = said(place, "fresh multiplies first", AGENT, on=("src/new.py:fresh",)).id
    committed(place, "add fresh")
    lived(place, 9)
    assert standing(place, name).status is Status.PROVISIONAL

    lived(place, 1)

    assert standing(place, name).status is Status.CURRENT


def test_a_revert_keeps_an_agents_memory_provisional(place: Path) -> None:
    (place / "src" / "new.py").write_text(
        "def fresh(a, b):\n    return a * b + a - b * 2 + len(str(a)) - sum([a, b])\n"
    )
    name = said(place, "fresh multiplies first", AGENT, on=("src/new.py:fresh",)).id
    committed(place, "add fresh")
    lived(place, 3)
    git(place, "revert", "--no-edit", "HEAD~3")
    lived(place, 12)

    assert standing(place, name).status is Status.GONE


def test_an_agents_memory_without_an_anchor_waits_for_a_person(place: Path) -> None:
    name = said(place, "Deploys happen on Fridays", AGENT).id
    lived(place, MOST)
    assert standing(place, name).status is Status.PROVISIONAL

    confirmed(place, name)

    assert standing(place, name).status is Status.CURRENT


def test_an_agent_cannot_confirm(place: Path) -> None:
    name = said(place, "Deploys happen on Fridays", AGENT).id

    with workspace_at(place) as workspace, pytest.raises(RepomemError, match="only a person"):
        confirm(workspace, [name], AGENT)


def test_an_export_imports_into_another_clone_once(
    place: Path, tmp_path: Path, make_repository: MakeRepository
) -> None:
    said(place, "We retry three times")
    said(place, "Dates are ISO", AGENT)
    with workspace_at(place) as workspace:
        lines = [line.encode() for line in export_lines(workspace)]
    other = make_repository(Commit({"a.txt": "a"}, "other"), name="other")

    with workspace_at(other) as workspace:
        first, second = import_lines(workspace, lines), import_lines(workspace, [*lines, b"nonsense"])

    assert (first.added, second.added, second.known, second.refused) == (2, 0, 2, 1)


def test_fault_43_a_fresh_clone_finds_what_was_said_in_the_one_that_is_gone(place: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(place), "remote.git")
    git(tmp_path, "clone", "-q", "remote.git", "first")
    said(tmp_path / "first", "We retry three times")
    subprocess.run(["rm", "-rf", str(tmp_path / "first")], check=True)
    git(tmp_path, "clone", "-q", "remote.git", "second")

    assert titles(recalled(tmp_path / "second", "how often do we retry")) == ["We retry three times"]


def test_fault_43_another_repository_sees_nothing_of_it(place: Path, make_repository: MakeRepository) -> None:
    said(place, "We retry three times")
    other = make_repository(Commit({"src/net.py": CODE}, "another project"), name="repository-2")

    assert titles(recalled(other, "how often do we retry")) == []


def test_where_git_cannot_be_written_the_ledger_still_takes_it(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    indexed(place)
    from repomem.adapters.ledger import file as ledger_file

    add, home = ledger_file.add, place / ".git" / "repomem"

    def refused(copy: ledger_file.LedgerCopy, made: object) -> None:
        if copy.folder == home:
            raise StoreError("read-only")
        add(copy, made)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(ledger_file, "add", refused)
        outcome = said(place, "We retry three times")
        assert titles(recalled(place, "how often do we retry")) == ["We retry three times"]
    with workspace_at(place) as workspace:
        assert ledger_of(workspace).settle()

    assert outcome.id.encode() in (home / "ledger").read_bytes()


def test_an_empty_ledger_costs_the_brief_nothing(place: Path) -> None:
    brief = recalled(place, "retry")

    assert spoken(brief) == []
    assert "No memory is recorded yet." in brief.markdown


def test_a_memory_on_a_branch_is_staged_there_until_it_is_merged(place: Path) -> None:
    git(place, "switch", "-q", "-c", "feature")
    committed(place, "work", src_S_more__py="def more():\n    return 1\n")
    name = said(place, "more returns one for now", AGENT).id
    git(place, "switch", "-q", "main")
    assert standing(place, name).visibility is Visibility.UNMERGED
    assert spoken(recalled(place, "what does more return")) == []

    git(place, "merge", "-q", "--no-edit", "feature")

    assert standing(place, name).visibility is Visibility.HERE


def test_a_brief_at_a_commit_is_the_brief_of_a_store_made_then(
    place: Path, monkeypatch: pytest.MonkeyPatch, make_then: Callable[[Path, str], Path]
) -> None:
    monkeypatch.delenv("GIT_COMMITTER_DATE")  # a memory of a later day than the commit's was not known then
    committed(place, "today", today__py="x = 1\n")
    said(place, "We retry three times", kind=MemoryKind.DECISION)
    then = git(place, "rev-parse", "HEAD")
    indexed(place)
    copy = make_then(place, then)
    questions = ("how often do we retry", "")
    then_said = [recalled(copy, question) for question in questions]
    committed(place, "later", src_S_net__py=OTHER)
    said(place, "We never retry", kind=MemoryKind.DECISION)
    indexed(place)

    from repomem.recall.answer import recall_now
    from repomem.recall.request import BriefRequest
    from repomem.workspace.run import Run

    for question, now in zip(questions, then_said, strict=True):
        with workspace_at(place) as workspace:
            past = recall_now(workspace, BriefRequest(question, 1500, at=then), Run())
        assert past.items == now.items
        assert past.markdown.split("\n", 1)[1] == now.markdown.split("\n", 1)[1]


@pytest.fixture
def make_then(tmp_path: Path) -> Callable[[Path, str], Path]:
    """A copy of a repository as it is now, with its ledger, checked out at a commit and indexed."""
    import shutil

    def make(folder: Path, commit: str) -> Path:
        copy = Path(shutil.copytree(folder, tmp_path / "then" / folder.name))
        indexed(copy)
        return copy

    return make


def test_json_of_a_brief_has_the_contract_of_a_memory(place: Path) -> None:
    from repomem.recall.brief_json import brief_json

    said(place, "We retry three times", on=("src/net.py:retry",), kind=MemoryKind.GOTCHA)

    [item] = [i for i in brief_json(recalled(place, "retry"))["items"] if i["kind"] == "gotcha"]

    assert {"id", "title", "status", "source", "author", "date", "path", "symbol", "visible_on"} <= item.keys()
    assert json.dumps(item)
    assert os.environ["GIT_AUTHOR_NAME"] == item["author"]
