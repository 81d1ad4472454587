"""Clones for agents: the future is not there, and what an agent leaves is seen."""

import os
import shutil
from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository, RunGit

from repomem.adapters.git.repository import Repository
from repomem.core.errors import GitError, RepomemError
from repomem.evaluate.agents.worktrees import clone_at, commit_files, hidden_future, work_of_agent, write_files

HISTORY = (
    Commit({"a.py": "one = 1\n", "run.sh": "#!/bin/sh\n"}, "start", modes={"run.sh": "100755"}),
    Commit({"a.py": "one = 2\n"}, "the task"),
    Commit({"b.py": "the answer\n", "a.py": "one = 3\n"}, "later"),
)


@pytest.fixture
def source(make_repository: MakeRepository) -> Repository:
    return Repository.open(make_repository(*HISTORY))


def at(source: Repository, revision: str) -> str:
    return source.read("rev-parse", revision).decode().strip()


def test_no_later_commit_tree_or_file_is_in_a_clone(source: Repository, tmp_path: Path, run_git: RunGit) -> None:
    clone = clone_at(source, at(source, "HEAD~2"), tmp_path / "clone")
    hidden_future(clone, at(source, "HEAD~1"))
    for later in ("HEAD", "HEAD~1", "HEAD:b.py", "HEAD:a.py", "HEAD^{tree}"):
        with pytest.raises(GitError):
            clone.read("cat-file", "-e", at(source, later))
    assert run_git(tmp_path / "clone", "log", "--all", "--format=%s") == "start"
    assert run_git(tmp_path / "clone", "remote") == ""
    assert run_git(tmp_path / "clone", "status", "--porcelain") == ""
    assert os.access(tmp_path / "clone" / "run.sh", os.X_OK)


def test_a_later_object_a_remote_or_a_shared_folder_is_noticed(source: Repository, tmp_path: Path) -> None:
    later = at(source, "HEAD")
    with_object = clone_at(source, at(source, "HEAD~1"), tmp_path / "object")
    objects = source.common_dir / "objects"
    shutil.copytree(objects, tmp_path / "object" / ".git" / "objects", dirs_exist_ok=True)
    with pytest.raises(RepomemError, match="commits outside the task"):
        hidden_future(with_object, later)
    shared = clone_at(source, at(source, "HEAD"), tmp_path / "shared")
    info = tmp_path / "shared" / ".git" / "objects" / "info"
    info.mkdir(exist_ok=True)
    (info / "alternates").write_text(f"{objects}\n")
    with pytest.raises(RepomemError, match="commits outside the task"):
        hidden_future(shared, "")
    clone_at(source, later, tmp_path / "remote").read("remote", "add", "origin", str(source.git_dir))
    with pytest.raises(RepomemError, match="commits outside the task"):
        hidden_future(Repository.open(tmp_path / "remote"), "")


def test_all_that_an_agent_changed_is_seen_also_what_it_committed(
    source: Repository, tmp_path: Path, run_git: RunGit
) -> None:
    folder = tmp_path / "clone"
    clone = clone_at(source, at(source, "HEAD"), folder)
    base = commit_files(clone, {"a.py": None, "AGENTS.md": b"be kind\n"})
    assert run_git(folder, "ls-files").split() == ["AGENTS.md", "b.py", "run.sh"]
    (folder / "new.py").write_text("committed\n")
    run_git(folder, "add", "--all")
    run_git(folder, "commit", "-q", "-m", "by the agent")
    (folder / "b.py").write_text("changed\n")
    (folder / "untracked.py").write_text("new\n")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "b.pyc").write_text("no work of the agent\n")
    changed, patch = work_of_agent(clone, base)
    assert changed == {"new.py", "b.py", "untracked.py"}
    assert b"+committed" in patch


def test_links_that_an_agent_left_are_replaced_and_never_followed(source: Repository, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.py").write_text("kept\n")
    folder = tmp_path / "clone"
    clone = clone_at(source, at(source, "HEAD"), folder)
    (folder / "tests").symlink_to(outside)
    (folder / "a.py").unlink()
    (folder / "a.py").symlink_to(outside / "kept.py")
    write_files(clone, {"tests/kept.py": b"a test\n", "a.py": b"a\n"})
    assert (outside / "kept.py").read_text() == "kept\n"
    assert (folder / "tests" / "kept.py").read_text() == "a test\n"
