"""Globs that paths are compared with, and scopes of rules: globs and folders."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import product

from repomem.core.lazy_pattern import lazy_pattern

_ANY_FOLDERS = lazy_pattern(r"(?<![^/])\*\*/")
MOST_ANY_FOLDERS = 4  # in one glob: each doubles its forms


def matches(glob: str, path: str) -> bool:
    """Whether a path matches a scope: a glob, or a folder with everything below it."""
    folder = glob.removesuffix("**").removesuffix("*").rstrip("/")
    is_folder = not any(sign in folder for sign in "*?[")
    is_in_folder = is_folder and (path == folder or path.startswith(f"{folder}/"))
    return is_in_folder or fits(glob, path)


def fits(glob: str, path: str) -> bool:
    """Whether a path matches a glob: `*` stands for any characters, and `**/` for any folders, also none."""
    return any(fnmatchcase(path, form) for form in _forms(glob))


def _forms(glob: str) -> Iterator[str]:
    """The glob, and the forms without some of its `**/`, which `fnmatch` takes for at least one folder."""
    yield glob
    first, *rest = _ANY_FOLDERS.split(glob) if "**/" in glob else [glob]
    if 0 < len(rest) <= MOST_ANY_FOLDERS:
        for kept in product(("**/", ""), repeat=len(rest)):
            yield first + "".join(map("".join, zip(kept, rest, strict=True)))
