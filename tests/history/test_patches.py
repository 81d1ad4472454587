"""The patch cache: each patch is read once, with the same result if it was started early."""

from collections.abc import Iterator, Sequence

import pytest
from support.repositories import Commit, MakeRepository, RunGit

from repomem.adapters.git.hunks import touched
from repomem.adapters.git.repository import Repository
from repomem.core.errors import GitError
from repomem.core.types.commits import Hunk
from repomem.history import patches as module
from repomem.history.patches import Patches


@pytest.fixture
def commits(make_repository: MakeRepository, run_git: RunGit) -> tuple[Repository, list[str]]:
    folder = make_repository(*(Commit({"a.py": f"value = {at}\n"}, f"feat: {at}") for at in range(4)))
    return Repository.open(folder), run_git(folder, "rev-list", "HEAD").split()


def test_hunks_are_those_of_git_in_the_requested_order(commits: tuple[Repository, list[str]]) -> None:
    repository, names = commits
    patches = Patches(repository)
    patches.begin(names[:2])
    assert patches.hunks(names[:2]) == list(touched(repository, names[:2]))
    assert patches.hunks([names[2], names[0]]) == list(touched(repository, [names[2], names[0]]))


def test_a_patch_is_read_once(commits: tuple[Repository, list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    repository, names = commits
    asked: list[str] = []

    def noted(where: Repository, some: Sequence[str]) -> Iterator[Hunk]:
        asked.extend(some)
        return touched(where, some)

    monkeypatch.setattr(module, "touched", noted)
    patches = Patches(repository)
    for wanted in (names[:2], names[1:3], names):
        patches.begin(wanted)
        patches.hunks(wanted)
    assert sorted(asked) == sorted(names)


def test_two_started_batches_are_both_used(
    commits: tuple[Repository, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    repository, names = commits
    asked: list[list[str]] = []

    def noted(where: Repository, some: Sequence[str]) -> Iterator[Hunk]:
        asked.append(list(some))
        return touched(where, some)

    monkeypatch.setattr(module, "touched", noted)
    patches = Patches(repository)
    patches.begin(names[:2])
    patches.begin(names[1:3])
    assert patches.hunks(names) == list(touched(repository, names))
    assert asked == [names[:2], names[2:3], names[3:]]


def test_batches_started_for_other_commits_are_skipped(commits: tuple[Repository, list[str]]) -> None:
    repository, names = commits
    patches = Patches(repository)
    patches.begin(names[:1])
    assert {hunk.commit for hunk in patches.hunks(names[1:])} == set(names[1:])


def test_a_failure_is_raised_and_not_cached(commits: tuple[Repository, list[str]]) -> None:
    repository, names = commits
    patches = Patches(repository)
    patches.begin(["0" * 40])
    with pytest.raises(GitError):
        patches.hunks(["0" * 40])
    assert patches.hunks(names[:1])


def test_the_cache_is_bounded(commits: tuple[Repository, list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    repository, names = commits
    monkeypatch.setattr(module, "KEPT_BYTES", 1)
    patches = Patches(repository)
    assert [patches.hunks(names) for _ in range(2)] == [list(touched(repository, names))] * 2
