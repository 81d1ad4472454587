"""A repository that is asked again and again: each answer shows the worktree as it is."""

import os
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from support.library import Library
from support.repositories import RunGit
from support.samples import indexed

from repomem.core.errors import GitError, NotFound
from repomem.recall.answer import search_now
from repomem.recall.open_repository import OpenRepository
from repomem.workspace.run import Run
from repomem.workspace.snapshot import EVERYWHERE
from repomem.workspace.workspace import Workspace


def first_path(workspace: Workspace, query: str) -> str:
    [hits], _ = search_now(workspace, [query], EVERYWHERE, 1, Run())
    return hits[0].file.path if hits else ""


@dataclass
class Asker:
    """Asks one repository."""

    folder: Path
    live: OpenRepository = field(init=False)

    def __post_init__(self) -> None:
        self.live = OpenRepository(self.folder, os.environ)

    def first(self, query: str) -> str:
        """The path of the first hit, or empty."""
        return self.live.answer(lambda it: first_path(it, query))[0]


@pytest.fixture
def asker(make_sample: Library) -> Asker:
    folder = make_sample("ledgerly")
    indexed(folder)
    return Asker(folder)


def test_the_next_question_finds_changed_code(asker: Asker) -> None:
    assert asker.first("parse_money") == "src/ledgerly/money.py"
    (asker.folder / "quokka.py").write_text("def quokka_census(): ...\n")
    assert asker.first("quokka_census") == "quokka.py"


def test_an_answer_from_an_outdated_index_is_repeated(asker: Asker) -> None:
    asker.first("money")
    times = 0

    def answer(workspace: Workspace) -> int:
        nonlocal times
        times += 1
        search_now(workspace, ["money"], EVERYWHERE, 1, Run())
        return times

    assert asker.live.answer(answer)[0] == 1
    (asker.folder / "quokka.py").write_text("def quokka_census(): ...\n")
    assert asker.live.answer(answer)[0] == 3


def test_a_failure_from_an_outdated_index_is_retried(asker: Asker) -> None:
    asker.first("money")
    (asker.folder / "quokka.py").write_text("def quokka_census(): ...\n")

    def answer(workspace: Workspace) -> str:
        path = first_path(workspace, "quokka_census")
        if path != "quokka.py":
            raise NotFound("no quokka")
        return path

    assert asker.live.answer(answer)[0] == "quokka.py"


def test_an_action_runs_once(asker: Asker) -> None:
    asker.first("money")
    (asker.folder / "quokka.py").write_text("def quokka_census(): ...\n")
    deeds: list[Workspace] = []
    asker.live.perform(deeds.append)
    assert len(deeds) == 1
    assert deeds[0].git_check is None


def test_what_git_is_told_to_ignore_holds_for_the_next_question(asker: Asker, run_git: RunGit) -> None:
    (asker.folder / "quokka.py").write_text("def quokka_census(): ...\n")
    assert asker.first("quokka_census") == "quokka.py"
    excludes = asker.folder.parent / "excludes"
    excludes.write_text("quokka.py\n")
    run_git(asker.folder, "config", "core.excludesFile", str(excludes))
    assert asker.first("quokka_census") != "quokka.py"


def test_a_deleted_repository_is_reported(asker: Asker) -> None:
    asker.first("money")
    (asker.folder / ".git").rename(asker.folder / "was_git")
    with pytest.raises(GitError, match="not inside a git repository"):
        asker.first("money")
