"""Refuses a repository in which git would wait for ever: a file that it reads by itself is a pipe or device."""

import stat
from collections.abc import Iterable
from pathlib import Path

from repomem.core.errors import GitError

IN_WORK_TREE = (".gitattributes", ".gitignore", ".gitmodules", ".mailmap")
IN_GIT_DIRECTORY = (
    "FETCH_HEAD",
    "index",
    "info/attributes",
    "info/exclude",
    "info/grafts",
    "info/sparse-checkout",
    "objects/info/alternates",
    "packed-refs",
    "shallow",
)


def refuse_special_files(top: Path | None, git_directories: Iterable[Path]) -> None:
    """Raise GitError where one of these files is a pipe, a socket or a device; git does not follow links to them."""
    read = [top / name for name in IN_WORK_TREE] if top else []
    read += [folder / name for folder in git_directories for name in IN_GIT_DIRECTORY]
    for path in read:
        try:
            mode = path.lstat().st_mode
        except (OSError, ValueError):
            continue  # git reads nothing there either, or says itself why it cannot
        if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode) or stat.S_ISDIR(mode)):
            raise GitError(f"{path} is not a file, and git would wait for it for ever", hint="remove it")
