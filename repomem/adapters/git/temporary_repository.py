"""A temporary repository that shares another's objects and can be moved from commit to commit.

It has none of the other's refs, so later commits cannot be named, and its worktree is empty: files are read from
objects, attributes from git's index. Nothing is written to the other repository.
"""

import os
import shutil
from pathlib import Path

from repomem.adapters.git.repository import Repository
from repomem.adapters.git.run import running
from repomem.core.errors import GitError


def borrowed(repository: Repository, folder: Path) -> Repository:
    """Create a repository in `folder` that shares the objects of another.

    Raises GitError for a partial clone, in which git would fetch missing objects.
    """
    if repository.is_partial:
        raise GitError(
            "the files of earlier commits are not in this partial clone",
            "run the command in a clone made without --filter",
        )
    options = ["--quiet", "--template=", f"--object-format={repository.object_format}"]
    with running(["init", *options, str(folder)]):
        pass
    git_dir = folder / ".git"
    alternates = git_dir / "objects" / "info" / "alternates"
    alternates.write_bytes(os.fsencode(repository.common_dir / "objects") + b"\n")
    if repository.is_shallow:
        shutil.copyfile(repository.common_dir / "shallow", git_dir / "shallow")
    return Repository.open(folder)


def stand_at(repository: Repository, commit: str) -> None:
    """Check out a commit as a detached HEAD, and fill git's index from it."""
    repository.read("update-ref", "--no-deref", "HEAD", commit)
    repository.read("read-tree", commit)
