"""The folders to watch for changes: those of the worktree that git does not ignore, and those of its refs."""

import os
from collections.abc import Iterator
from pathlib import Path

from repomem.adapters.git.repository import Repository


def tree_folders(repository: Repository) -> Iterator[Path]:
    """The folders of the worktree, also empty ones, without ignored folders, links and nested repositories."""
    if repository.top is None:
        return
    ignored = _ignored(repository)
    waiting = [""]
    while waiting:
        prefix = waiting.pop()
        names = _folders_and_git(repository.top / prefix)
        if prefix and ".git" in names:
            continue  # another repository's worktree
        yield repository.top / prefix
        waiting += [path for name in names if name != ".git" and (path := f"{prefix}{name}/") not in ignored]


def git_folders(repository: Repository) -> Iterator[Path]:
    """The folders of the git directory that a commit, checkout, merge or staging changes."""
    yield from {repository.git_dir, repository.common_dir}
    yield from (Path(folder) for folder, _, _ in os.walk(repository.common_dir / "refs" / "heads"))


def _ignored(repository: Repository) -> set[str]:
    """The paths of ignored folders, with a slash at their end.

    From `git status`, which does not enter them; `ls-files --directory` also lists folders with only ignored files.
    """
    entries = repository.read(
        "status",
        "--porcelain",
        "-z",
        "--no-renames",
        "--untracked-files=all",
        "--ignored=matching",
        "--ignore-submodules=all",
    ).split(b"\0")
    return {os.fsdecode(entry[3:]) for entry in entries if entry.startswith(b"!! ") and entry.endswith(b"/")}


def _folders_and_git(folder: Path) -> list[str]:
    """The names of a folder's subfolders, and `.git` of any kind; empty if it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries if entry.name == ".git" or entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
