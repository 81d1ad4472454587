"""A repository that is asked again and again: each answer shows the worktree as it is, and nothing is read in vain."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from support.library import Library
from support.repositories import RunGit
from support.samples import indexed

from repomem.adapters.git.repository import Repository
from repomem.adapters.git.worktree import status
from repomem.core.errors import GitError, NotFound
from repomem.core.types.worktree import WorktreeStatus
from repomem.recall import server as module
from repomem.recall.answer import search_now
from repomem.recall.server import EventPoll, FolderChanges, Live
from repomem.workspace.run import Run
from repomem.workspace.snapshot import EVERYWHERE
from repomem.workspace.workspace import Workspace


def first_path(workspace: Workspace, query: str) -> str:
    [hits], _ = search_now(workspace, [query], EVERYWHERE, 1, Run())
    return hits[0].file.path if hits else ""


@dataclass
class FakePoll:
    """Hears what a test says."""

    says: FolderChanges = FolderChanges.NONE
    folders: list[Path] = field(default_factory=list)
    is_full: bool = False
    is_closed: bool = False

    def watch(self, folders: Iterable[Path]) -> None:
        """See the port."""
        if self.is_full:
            raise OSError(28, "no space for watches")
        self.folders = list(folders)

    def changes(self) -> FolderChanges:
        """See the port."""
        said, self.says = self.says, FolderChanges.NONE
        return said

    def close(self) -> None:
        """See the port."""
        self.is_closed = True


@dataclass
class Asker:
    """Asks one repository, and counts how often git looks at it."""

    folder: Path
    poll: FakePoll = field(default_factory=FakePoll)
    now: float = 0.0
    looks: int = 0
    live: Live = field(init=False)

    def __post_init__(self) -> None:
        self.live = Live(self.folder, os.environ, self.open_poll, lambda: self.now)

    def open_poll(self, top: Path) -> EventPoll | None:
        assert top == self.folder
        return self.poll

    def first(self, query: str) -> str:
        """The path of the first hit, or empty."""
        return self.live.asked(lambda it: first_path(it, query))[0]

    def wait_for_ears(self) -> None:
        """Ask until it listens, which begins behind an answer, and has looked since."""
        self.first("money")
        while not self.live.is_watching:
            self.first("money")


@pytest.fixture
def asker(make_sample: Library, monkeypatch: pytest.MonkeyPatch) -> Asker:
    folder = make_sample("ledgerly")
    indexed(folder)
    found = Asker(folder)

    def counted(repository: Repository) -> WorktreeStatus:
        found.looks += 1
        return status(repository)

    monkeypatch.setattr(module, "status", counted)
    monkeypatch.setattr(module, "MANY_FILES", 1)
    return found


def test_what_was_changed_is_found_by_the_next_question(asker: Asker) -> None:
    assert asker.first("parse_money") == "src/ledgerly/money.py"
    (asker.folder / "quokka.py").write_text("def quokka_census(): ...\n")
    assert asker.first("quokka_census") == "quokka.py"


def test_a_still_work_tree_is_not_looked_at_again(asker: Asker) -> None:
    asker.wait_for_ears()
    before = asker.looks
    asker.first("parse_money")
    asker.first("journal")
    assert asker.looks == before


@pytest.mark.parametrize("said", [FolderChanges.FILES, FolderChanges.FOLDERS])
def test_what_is_heard_is_looked_at(asker: Asker, said: FolderChanges) -> None:
    asker.wait_for_ears()
    before = asker.looks
    (asker.folder / "quokka.py").write_text("def quokka_census(): ...\n")
    asker.poll.says = said
    assert asker.first("quokka_census") == "quokka.py"
    assert asker.looks > before


def test_however_still_it_is_a_look_does_not_hold_for_ever(asker: Asker) -> None:
    asker.wait_for_ears()
    before = asker.looks
    asker.now += module.LOOK_HOLDS + 1
    asker.first("money")
    assert asker.looks == before + 1


def test_folders_that_came_are_listened_in(asker: Asker) -> None:
    asker.wait_for_ears()
    (asker.folder / "new" / "deep").mkdir(parents=True)
    asker.poll.says = FolderChanges.FOLDERS
    asker.first("money")
    asker.wait_for_ears()
    assert asker.folder / "new" / "deep" in asker.poll.folders


def test_where_the_system_allows_no_more_watches_git_looks_each_time(asker: Asker) -> None:
    asker.poll.is_full = True
    for _ in range(3):
        asker.first("money")
    before = asker.looks
    asker.first("money")
    assert (asker.looks, asker.poll.is_closed) == (before + 1, True)


def test_an_answer_that_the_look_contradicts_is_given_again(asker: Asker) -> None:
    asker.first("money")
    times = 0

    def answer(workspace: Workspace) -> int:
        nonlocal times
        times += 1
        search_now(workspace, ["money"], EVERYWHERE, 1, Run())
        return times

    assert asker.live.asked(answer)[0] == 1
    (asker.folder / "quokka.py").write_text("def quokka_census(): ...\n")
    asker.poll.says = FolderChanges.FILES  # it may already be active
    assert asker.live.asked(answer)[0] == 3


def test_a_failure_that_the_look_contradicts_is_no_failure(asker: Asker) -> None:
    asker.first("money")
    (asker.folder / "quokka.py").write_text("def quokka_census(): ...\n")

    def answer(workspace: Workspace) -> str:
        path = first_path(workspace, "quokka_census")
        if path != "quokka.py":
            raise NotFound("no quokka")
        return path

    assert asker.live.asked(answer)[0] == "quokka.py"


def test_a_deed_is_done_once(asker: Asker) -> None:
    asker.first("money")
    (asker.folder / "quokka.py").write_text("def quokka_census(): ...\n")
    deeds: list[Workspace] = []
    asker.live.done(deeds.append)
    assert len(deeds) == 1
    assert deeds[0].look is None


def test_what_git_is_told_to_ignore_holds_for_the_next_question(asker: Asker, run_git: RunGit) -> None:
    (asker.folder / "quokka.py").write_text("def quokka_census(): ...\n")
    assert asker.first("quokka_census") == "quokka.py"
    excludes = asker.folder.parent / "excludes"
    excludes.write_text("quokka.py\n")
    run_git(asker.folder, "config", "core.excludesFile", str(excludes))
    assert asker.first("quokka_census") != "quokka.py"


def test_a_repository_that_is_gone_is_said_to_be(asker: Asker) -> None:
    asker.first("money")
    (asker.folder / ".git").rename(asker.folder / "was_git")
    with pytest.raises(GitError, match="not inside a git repository"):
        asker.first("money")
