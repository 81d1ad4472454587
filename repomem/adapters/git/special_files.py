"""Refuses a repository in which git would hang, since a file that git itself reads is a pipe or device."""

import os
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
IN_SETTINGS = ("blame.ignorerevsfile", "core.attributesfile", "core.excludesfile", "mailmap.file")


def refuse_special_files(top: Path | None, git_directories: Iterable[Path]) -> None:
    """Raise GitError if one of these files is a pipe, a socket or a device.

    Git follows links in its own directory, but not in the worktree.
    """
    for path in [top / name for name in IN_WORK_TREE] if top else []:
        _refuse(path, is_followed=False)
    for folder in git_directories:
        for name in IN_GIT_DIRECTORY:
            _refuse(folder / name, is_followed=True)


def refuse_special_settings(top: Path | None, settings: Iterable[tuple[str, str]]) -> None:
    """The same for every file that the configuration names; a relative path is one in the worktree."""
    for name, value in settings:
        if name in IN_SETTINGS and value:
            path = Path(value).expanduser() if value.startswith("~/") else Path(value)
            _refuse((top or Path.cwd()) / path, is_followed=True)


def refuse_special_files_below(top: Path) -> None:
    """The same in every folder of the worktree, which takes a moment in a large one."""
    for folder, _, names in os.walk(top):
        for name in names:
            if name in IN_WORK_TREE:
                _refuse(Path(folder) / name, is_followed=False)


def _refuse(path: Path, *, is_followed: bool) -> None:
    try:
        mode = (path.stat() if is_followed else path.lstat()).st_mode
    except (OSError, ValueError):
        return  # git reads nothing there either, or says itself why it cannot
    if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode) or stat.S_ISDIR(mode)) and path.resolve() != Path(os.devnull):
        raise GitError(f"{path} is not a regular file, so git would hang on it", hint="remove it")
