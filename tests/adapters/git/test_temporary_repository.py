"""A repository that borrows: the objects are there, no ref is, and the other one is left as it is."""

from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository, RunGit

from repomem.adapters.git.attributes import attributes
from repomem.adapters.git.log import head_of, resolve, revisions
from repomem.adapters.git.repository import Repository
from repomem.adapters.git.temporary_repository import borrowed, stand_at
from repomem.adapters.git.worktree import tracked
from repomem.core.errors import GitError, NotFound


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize("bare", [False, True], ids=["with a worktree", "bare"])
def test_a_commit_is_checked_out_and_no_later_one_has_a_name(
    make_repository: MakeRepository, run_git: RunGit, tmp_path: Path, object_format: str, bare: bool
) -> None:
    commits = Commit({"a.py": "a\n"}), Commit({"b.py": "b\n"}), Commit({"c.py": "c\n"})
    folder = make_repository(*commits, bare=bare, object_format=object_format)
    run_git(folder, "tag", "later")
    middle = run_git(folder, "rev-parse", "main~1")
    refs = run_git(folder, "for-each-ref")
    found = borrowed(Repository.open(folder), tmp_path / "own")
    stand_at(found, middle)
    assert head_of(found) == (middle, None)
    assert len(revisions(found, 0, "HEAD")) == 2
    assert [file.path for file in tracked(found, middle)] == [file.path for file in tracked(found)] == ["a.py", "b.py"]
    for name in ("later", "main"):
        with pytest.raises(NotFound):
            resolve(found, name)
    assert run_git(folder, "for-each-ref") == refs


def test_attributes_are_those_of_the_commit(make_repository: MakeRepository, run_git: RunGit, tmp_path: Path) -> None:
    folder = make_repository(Commit({".gitattributes": "*.pb linguist-generated\n"}), Commit({".gitattributes": ""}))
    found = borrowed(Repository.open(folder), tmp_path / "own")
    names = ("linguist-generated",)
    stand_at(found, run_git(folder, "rev-parse", "HEAD~1"))
    assert attributes(found, ["a.pb"], names) == {"a.pb": {"linguist-generated": "set"}}
    stand_at(found, run_git(folder, "rev-parse", "HEAD"))
    assert attributes(found, ["a.pb"], names) == {}


def test_the_boundary_of_a_shallow_clone_is_known(
    make_repository: MakeRepository, run_git: RunGit, tmp_path: Path
) -> None:
    folder = make_repository(Commit({"a.py": "a\n"}), Commit({"b.py": "b\n"}), Commit({"c.py": "c\n"}))
    run_git(tmp_path, "clone", "-q", "--depth", "2", f"file://{folder}", "shallow")
    found = borrowed(Repository.open(tmp_path / "shallow"), tmp_path / "own")
    head = run_git(folder, "rev-parse", "HEAD")
    stand_at(found, head)
    assert found.is_shallow
    assert len(revisions(found, 0, head)) == 2


def test_a_partial_clone_lends_nothing(make_repository: MakeRepository, run_git: RunGit, tmp_path: Path) -> None:
    folder = make_repository(Commit({"a.py": "a\n"}))
    run_git(folder, "config", "remote.origin.promisor", "true")
    with pytest.raises(GitError, match="partial clone"):
        borrowed(Repository.open(folder), tmp_path / "own")
