"""Open threads: closed here and not on other branches; "perhaps done" where later work uses their words."""

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.memory_scenes import AGENT, committed, git, said, standing, titles
from support.repositories import Commit, MakeRepository
from support.samples import indexed, recalled, workspace_at

from repomem.adapters.git.log import log
from repomem.adapters.git.repository import Repository
from repomem.core.errors import NotFound, RepomemError
from repomem.core.types.commits import LogRecord
from repomem.core.types.text import NOTHING, CleanText
from repomem.memories.restore import restore, undo
from repomem.memories.review import close_threads
from repomem.memories.show import show_memory
from repomem.memories.snapshots import closed_threads
from repomem.memories.snapshots.snapshot import memories_now
from repomem.memories.status import Status
from repomem.sessions.lifecycle import end, start

CODE = {"webhook.py": "def deliver(hook):\n    return hook.send()\n", "other.py": "def other():\n    return 1\n"}
TEXT = "TODO: retry the webhook delivery with exponential backoff"
DONE = "feat: retry webhook delivery with exponential backoff"


@pytest.fixture
def folder(make_repository: MakeRepository) -> Path:
    return make_repository(Commit(CODE))


@pytest.fixture(autouse=True)
def has_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loaded machine may not start git in the time that a recall has."""
    monkeypatch.setattr(closed_threads, "ANSWER_SECONDS", 60.0)


def closed(folder: Path, name: str, note: CleanText = NOTHING) -> list[str]:
    with workspace_at(folder) as workspace:
        made = close_threads(workspace, memories_now(workspace), [name], note, AGENT)
    return [target for record in made for target in record.targets]


def test_a_closed_thread_leaves_the_map_and_show_says_who_closed_it(folder: Path) -> None:
    name = said(folder, TEXT, on=("webhook.py:deliver",)).id
    indexed(folder)
    assert titles(recalled(folder)) == [TEXT]
    assert closed(folder, name, CleanText("in the client")) == [name]
    assert titles(recalled(folder)) == []
    assert closed(folder, name) == []
    with workspace_at(folder) as workspace:
        shown = show_memory(memories_now(workspace), name)
    assert shown.state.status is Status.DONE
    assert shown.state.why.endswith(": in the client")
    assert [entry.what for entry in shown.history] == ["recorded", "done"]


def test_a_closed_thread_is_reopened_by_undo_or_restore_and_can_be_closed_again(folder: Path) -> None:
    name = said(folder, TEXT, on=("webhook.py:deliver",)).id
    indexed(folder)
    with workspace_at(folder) as workspace:
        undo(workspace, close_threads(workspace, memories_now(workspace), [name], NOTHING, AGENT), AGENT)
    assert titles(recalled(folder)) == [TEXT]
    assert closed(folder, name) == [name]
    assert titles(recalled(folder)) == []
    with workspace_at(folder) as workspace:
        assert restore(workspace, memories_now(workspace), name, AGENT).id == name
    with workspace_at(folder) as workspace, pytest.raises(NotFound, match="archived, grouped or done"):
        restore(workspace, memories_now(workspace), name, AGENT)
    assert titles(recalled(folder)) == [TEXT]


def test_a_thread_closed_on_a_branch_stays_open_on_the_others(folder: Path) -> None:
    name = said(folder, TEXT, on=("webhook.py:deliver",)).id
    git(folder, "switch", "-q", "-c", "topic")
    committed(folder, "feat: another", another__py="x = 1\n")
    closed(folder, name)
    assert standing(folder, name).status is Status.DONE
    git(folder, "switch", "-q", "main")
    assert standing(folder, name).status is Status.CURRENT
    git(folder, "merge", "-q", "--no-edit", "topic")
    assert standing(folder, name).status is Status.DONE


def test_a_thread_without_code_closed_on_a_branch_that_was_deleted_is_open_again(folder: Path) -> None:
    name = said(folder, "TODO: benchmark the radix tree").id
    git(folder, "switch", "-q", "-c", "topic")
    committed(folder, "feat: another", another__py="x = 1\n")
    closed(folder, name)
    assert standing(folder, name).status is Status.DONE
    git(folder, "switch", "-q", "main")
    git(folder, "branch", "-q", "-D", "topic")
    assert standing(folder, name).status is Status.CURRENT


def test_a_closed_thread_is_open_again_after_a_revert_of_its_commit_and_done_after_that_is_reverted(
    folder: Path,
) -> None:
    name = said(folder, TEXT, on=("webhook.py:deliver",)).id
    bare = said(folder, "TODO: benchmark the radix tree").id
    git(folder, "switch", "-q", "-c", "topic")
    committed(folder, DONE, webhook__py="def deliver(hook):\n    return retried(hook.send, 5, backoff=2)\n")
    closed(folder, name)
    closed(folder, bare)
    git(folder, "switch", "-q", "main")
    git(folder, "merge", "-q", "--squash", "topic")
    git(folder, "commit", "-q", "-m", DONE)
    git(folder, "branch", "-q", "-D", "topic")
    statuses = []
    for _ in range(3):
        indexed(folder)
        statuses.append([standing(folder, each).status for each in (name, bare)])
        git(folder, "revert", "--no-edit", "HEAD")
    assert statuses == [[Status.DONE] * 2, [Status.CURRENT] * 2, [Status.DONE] * 2]


def test_a_closed_thread_stays_closed_after_its_commit_was_amended(folder: Path) -> None:
    name = said(folder, "TODO: benchmark the radix tree").id
    committed(folder, "feat: another", another__py="x = 1\n")
    closed(folder, name)
    git(folder, "commit", "-q", "--amend", "-m", "feat: another one")
    indexed(folder)
    assert standing(folder, name).status is Status.DONE
    git(folder, "reflog", "expire", "--expire=now", "--all")
    git(folder, "gc", "-q", "--prune=now")
    assert standing(folder, name).status is Status.DONE


def test_only_a_thread_can_be_done(folder: Path) -> None:
    name = said(folder, "Webhooks must never block").id
    with pytest.raises(RepomemError, match="only an open thread can be closed") as error:
        closed(folder, name)
    assert name.startswith(error.value.hint.rpartition("repomem forget ")[2] or "no id")


def test_a_thread_said_again_after_it_was_closed_is_open_again(folder: Path) -> None:
    name = said(folder, TEXT).id
    closed(folder, name)
    again = said(folder, TEXT)
    assert (again.outcome, again.id != name) == ("added", True)
    assert standing(folder, again.id).status is Status.CURRENT


def test_a_later_commit_on_its_code_in_its_words_perhaps_closed_it(folder: Path) -> None:
    name = said(folder, TEXT, on=("webhook.py",)).id
    commit = committed(folder, DONE, webhook__py="def deliver(hook):\n    return retried(hook.send)\n")
    assert standing(folder, name).perhaps_done == f"commit {commit[:8]}"
    indexed(folder)
    brief = recalled(folder).markdown
    assert f"perhaps done in commit {commit[:8]}: `repomem done" in brief
    assert "drifted thread" not in brief


@pytest.mark.parametrize(
    ("message", "files"),
    [
        (DONE, {"other__py": "def other():\n    return 2\n"}),
        ("feat: log the webhook", {"webhook__py": "def deliver(hook):\n    return log(hook.send())\n"}),
        ("wip: retry webhook delivery, exponential backoff", {"webhook__py": "def deliver(hook):\n    return 3\n"}),
    ],
    ids=["other code", "other words", "unfinished"],
)
def test_other_work_closes_no_thread(folder: Path, message: str, files: dict[str, str]) -> None:
    name = said(folder, TEXT, on=("webhook.py",)).id
    committed(folder, message, **files)
    assert standing(folder, name).perhaps_done == ""


def test_an_earlier_or_reverted_commit_closed_nothing(folder: Path) -> None:
    commit = committed(folder, DONE, webhook__py="def deliver(hook):\n    return retried(hook.send)\n")
    name = said(folder, TEXT, on=("webhook.py",)).id
    assert standing(folder, name).perhaps_done == ""
    again = committed(folder, DONE, webhook__py="def deliver(hook):\n    return retried(hook.send, 3)\n")
    assert standing(folder, name).perhaps_done == f"commit {again[:8]}"
    git(folder, "revert", "--no-edit", again)
    assert commit != again
    assert standing(folder, name).perhaps_done == ""


def test_a_later_session_in_its_words_perhaps_closed_a_thread(folder: Path) -> None:
    name = said(folder, TEXT, AGENT, on=("webhook.py",)).id
    with workspace_at(folder) as workspace:
        session, _ = start(workspace, AGENT, "retry the webhook delivery")
        (folder / "webhook.py").write_text("def deliver(hook):\n    return retried(hook.send)\n")
        end(workspace, AGENT, "delivery retries with exponential backoff")
        short = memories_now(workspace).short_id(session.id)
    assert standing(folder, name).perhaps_done == f"session {short}"


def commits_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many commits each search for closing work reads from now on."""
    read: list[int] = []

    def counted(repository: Repository, commits: Sequence[str], *, has_all_bytes: bool) -> Iterator[LogRecord]:
        read.append(len(commits))
        return log(repository, commits, has_all_bytes=has_all_bytes)

    monkeypatch.setattr(closed_threads, "log", counted)
    return read


def test_commits_are_read_once_for_each_head_and_thread(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = said(folder, TEXT, on=("webhook.py",)).id
    commit = committed(folder, DONE, webhook__py="def deliver(hook):\n    return retried(hook.send)\n")
    read = commits_read(monkeypatch)
    assert [standing(folder, name).perhaps_done for _ in range(3)] == [f"commit {commit[:8]}"] * 3
    assert read == [1]
    git(folder, "revert", "--no-edit", commit)
    assert standing(folder, name).perhaps_done == ""
    assert read == [1, 2]
    said(folder, "TODO: log the webhook delivery to a file", on=("webhook.py",))
    assert standing(folder, name).perhaps_done == ""
    assert read == [1, 2, 2]


def test_a_recall_reads_commits_for_a_short_time_and_an_index_run_reads_them_all(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = said(folder, TEXT, on=("webhook.py",)).id
    commit = committed(folder, DONE, webhook__py="def deliver(hook):\n    return retried(hook.send)\n")
    monkeypatch.setattr(closed_threads, "ANSWER_SECONDS", 0.03)
    clock = itertools.count()  # a second passes between any two looks at it
    monkeypatch.setattr(closed_threads, "time", SimpleNamespace(monotonic=lambda: float(next(clock))))
    assert [standing(folder, name).perhaps_done for _ in range(2)] == ["", ""]
    indexed(folder)
    read = commits_read(monkeypatch)
    assert standing(folder, name).perhaps_done == f"commit {commit[:8]}"
    assert read == []
