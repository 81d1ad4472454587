"""Paths of a session, relative to the repository. Pure: the files may no longer exist."""

import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import PurePath


def relative_paths(roots: Collection[str], folder: str, paths: Iterable[str]) -> Iterator[str]:
    """Paths relative to the repository, each once, without files outside it; `folder` is the session's."""
    for path in dict.fromkeys(paths):
        whole = os.path.normpath(os.path.join(folder or ".", path))  # noqa: PTH118  # pure: the file may be gone
        root = next((each for each in roots if PurePath(whole).is_relative_to(each)), "")
        if root and len(whole) > len(root):
            yield PurePath(whole).relative_to(root).as_posix()
