"""A repository of its own that borrows the objects of another, to be taken from commit to commit.

It has none of the other's refs, so nothing of a later commit can be named there, and its work tree is empty: what a
commit holds is read from the objects, attributes from git's index. Nothing is written to the other one.
"""

import os
import shutil
from pathlib import Path

from repomem.adapters.git.repository import Repository
from repomem.adapters.git.run import running
from repomem.core.errors import GitError


def borrowed(repository: Repository, folder: Path) -> Repository:
    """A new repository in `folder` with the objects of another.

    GitError for a partial clone: git would fetch what it lacks, and nothing here may ask a network.
    """
    if repository.is_partial:
        raise GitError(
            "the files of earlier commits are not in this partial clone", "run it in a clone made without --filter"
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
    """Make a commit the head, on no branch, and what git's index has."""
    repository.read("update-ref", "--no-deref", "HEAD", commit)
    repository.read("read-tree", commit)
