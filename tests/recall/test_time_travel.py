"""What was known then: `--at` a commit, tag or day, `--since` and `--until`, and after a revert."""

import os
import subprocess
from pathlib import Path

import pytest
from support.memory_scenes import PERSON, committed, git, standing, titles
from support.repositories import Commit, MakeRepository
from support.samples import indexed, workspace_at

from repomem.core.errors import NotFound
from repomem.core.records import MemoryKind
from repomem.core.types.brief import Brief
from repomem.memories.new_memory import NewMemory
from repomem.memories.remember import remember_as
from repomem.memories.snapshots.snapshot import memories_now
from repomem.memories.status import Status
from repomem.recall.answer import recall_now
from repomem.recall.request import BriefRequest
from repomem.workspace.ledger import origin_of
from repomem.workspace.run import Run
from repomem.workspace.snapshot import ALWAYS, Window

CODE = "def upload(file):\n    return {}\n"
FEBRUARY, APRIL, JUNE = "2026-02-10", "2026-04-10", "2026-06-10"
QUESTION = "how often do we retry an upload"


def committed_on(folder: Path, day: str, subject: str, text: str) -> str:
    (folder / "upload.py").write_text(text)
    dates = {"GIT_AUTHOR_DATE": f"{day}T12:00:00Z", "GIT_COMMITTER_DATE": f"{day}T12:00:00Z"}
    command = ["git", "commit", "-q", "-a", "-m", subject]
    subprocess.run(command, cwd=folder, env={**os.environ, **dates}, check=True)
    return git(folder, "rev-parse", "HEAD")


def said_on(folder: Path, day: str, text: str, *supersedes: str, on: tuple[str, ...] = ()) -> str:
    with workspace_at(folder) as workspace:
        origin = origin_of(workspace, PERSON)
        object.__setattr__(origin, "at", f"{day}T18:00:00Z")
        new = NewMemory(text, MemoryKind.DECISION, on=on, supersedes=supersedes)
        return remember_as(workspace, memories_now(workspace), new, origin).id


def recalled(folder: Path, at: str = "", window: Window = ALWAYS) -> Brief:
    indexed(folder)
    with workspace_at(folder) as workspace:
        return recall_now(workspace, BriefRequest(QUESTION, 1_500, at=at, window=window), Run())


@pytest.fixture
def folder(make_repository: MakeRepository) -> Path:
    """A decision of February, replaced in June while April's commit was checked out."""
    made = make_repository(Commit({"upload.py": CODE.format(1)}))
    committed_on(made, FEBRUARY, "feat: retry an upload three times", CODE.format(2))
    first = said_on(made, FEBRUARY, "We retry an upload three times")
    committed_on(made, APRIL, "feat: retry an upload later", CODE.format(3))
    git(made, "tag", "spring")
    said_on(made, JUNE, "We retry an upload five times", first)
    committed_on(made, JUNE, "feat: retry an upload five times", CODE.format(4))
    return made


OLD, NEW = ["We retry an upload three times"], ["We retry an upload five times"]


@pytest.mark.parametrize(
    ("at", "known"),
    [("HEAD~1", OLD), ("spring", OLD), ("2026-04-10", OLD), ("2026-05-01", OLD), ("2026-06-10", NEW), ("HEAD", NEW)],
)
def test_a_brief_at_a_moment_has_what_was_true_then(folder: Path, at: str, known: list[str]) -> None:
    assert titles(recalled(folder, at)) == known


def test_a_day_before_the_first_commit_is_an_error_that_says_so(folder: Path) -> None:
    with pytest.raises(NotFound, match="no commit on or before 2001-01-01"):
        recalled(folder, "2001-01-01")


def test_a_day_that_the_calendar_lacks_is_an_error_that_says_so(folder: Path) -> None:
    for day in ("2026-13-45", "2026-02-31"):
        with pytest.raises(NotFound, match=f"{day} is not a valid date"):
            recalled(folder, day)


@pytest.mark.parametrize(
    ("window", "known"),
    [
        (Window(until="2026-03-01"), OLD),
        (Window(until=FEBRUARY), OLD),
        (Window(until="2026-02-09"), []),
        (Window(since=FEBRUARY, until=APRIL), OLD),
        (Window(since=JUNE), NEW),
        (Window(since="2026-06-11"), []),
    ],
)
def test_a_window_of_days_includes_both_and_nothing_else(folder: Path, window: Window, known: list[str]) -> None:
    brief = recalled(folder, window=window)
    assert titles(brief) == known
    assert [item.date for item in brief.items if item.date and not window.holds(item.date)] == []


@pytest.mark.parametrize("window", [Window(until="2026-02-09"), Window(since="2026-06-11")])
def test_a_window_without_memories_does_not_say_that_none_is_recorded(folder: Path, window: Window) -> None:
    closing = recalled(folder, window=window).markdown
    assert "No memory is recorded yet." not in closing
    assert "No memory was recorded in this date range; `repomem memories` lists one." in closing
    assert ("No matching commit is in this date range." in closing) == bool(window.since)


def test_a_brief_before_the_first_memory_says_that_none_was_recorded_by_then(folder: Path) -> None:
    assert "No memory was recorded by then." in recalled(folder, "spring~2").markdown


def test_memories_of_another_branch_alone_are_counted(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"upload.py": CODE.format(1)}))
    git(folder, "switch", "-qc", "other")
    committed(folder, "feat: retry", upload__py=CODE.format(2))
    said_on(folder, FEBRUARY, "We retry an upload three times", on=("upload.py:upload",))
    git(folder, "switch", "-q", "main")
    assert "No memory applies here; `repomem memories --all` lists one." in recalled(folder).markdown


def test_a_revert_of_the_commit_brings_the_superseded_memory_back(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"upload.py": CODE.format(1)}))
    old = said_on(folder, FEBRUARY, "We retry an upload three times")
    commit = committed(folder, "feat: retry five times", upload__py=CODE.format(5))
    new = said_on(folder, APRIL, "We retry an upload five times", old)
    indexed(folder)
    assert status_of(folder, old, new) == [Status.SUPERSEDED, Status.CURRENT]
    git(folder, "revert", "--no-edit", commit)
    indexed(folder)
    assert status_of(folder, old, new) == [Status.CURRENT, Status.PROVISIONAL]
    git(folder, "revert", "--no-edit", "HEAD")
    indexed(folder)
    assert status_of(folder, old, new) == [Status.SUPERSEDED, Status.CURRENT]


def test_a_revert_that_restores_the_anchored_code_brings_the_superseded_memory_back(
    make_repository: MakeRepository,
) -> None:
    folder = make_repository(Commit({"upload.py": CODE.format(1)}))
    old = said_on(folder, FEBRUARY, "We retry an upload three times", on=("upload.py:upload",))
    (folder / "upload.py").write_text(CODE.format(5))
    new = said_on(folder, APRIL, "We retry an upload five times", old, on=("upload.py:upload",))
    commit = committed(folder, "feat: retry five times")
    indexed(folder)
    assert status_of(folder, old, new)[0] is Status.SUPERSEDED
    git(folder, "revert", "--no-edit", commit)
    indexed(folder)
    assert status_of(folder, old, new) == [Status.CURRENT, Status.DRIFTED]


def test_a_revert_of_other_work_changes_nothing(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"upload.py": CODE.format(1)}))
    old = said_on(folder, FEBRUARY, "We retry an upload three times")
    new = said_on(folder, APRIL, "We retry an upload five times", old)
    other = committed(folder, "feat: other", other__py="x = 1\n")
    git(folder, "revert", "--no-edit", other)
    indexed(folder)
    assert status_of(folder, old, new) == [Status.SUPERSEDED, Status.CURRENT]


def status_of(folder: Path, *names: str) -> list[Status]:
    return [standing(folder, name).status for name in names]
