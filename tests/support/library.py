"""The sample repositories, made and indexed once for all tests that leave them as they are."""

import shutil
from pathlib import Path
from typing import Protocol

import pytest

from support.repositories import Commit, MakeRepository, RunGit
from support.samples import history, indexed


class Library(Protocol):
    """Gives the folder of an indexed sample repository."""

    def __call__(self, name: str) -> Path:
        """The folder; tests leave it as it is."""


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the samples stand."""
    return tmp_path_factory.mktemp("library")


@pytest.fixture
def make_sample(make_repository: MakeRepository, run_git: RunGit) -> Library:
    """A fresh, unindexed sample repository."""

    def make(name: str) -> Path:
        commits = history(name)
        if "{}" in str(commits[-1].message):
            folder = make_repository(*commits[:-1], name=f"{name}-before")
            message = str(commits[-1].message).format(run_git(folder, "rev-parse", "HEAD"))
            commits[-1] = Commit(commits[-1].files, message)
        return make_repository(*commits, name=name)

    return make


@pytest.fixture
def library(shelf: Path, make_sample: Library) -> Library:
    """An indexed sample repository, made by the first test that asks for it."""

    def lend(name: str) -> Path:
        if not (shelf / name).exists():
            made = make_sample(name)
            indexed(Path(shutil.copytree(made, shelf / name)))
        return shelf / name

    return lend


@pytest.fixture
def copied(library: Library, tmp_path: Path) -> Library:
    """A copy of an indexed sample repository, to be changed."""
    return lambda name: Path(shutil.copytree(library(name), tmp_path / "copies" / name))
