"""Globs that paths are compared with, and scopes of rules: globs and folders."""

from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import product

from repomem.core.text.lazy_pattern import lazy_pattern

_ANY_FOLDERS = lazy_pattern(r"(?<![^/])\*\*/")
MOST_GLOBS = 256  # whose forms are cached: an index run compares each with every file
MOST_ANY_FOLDERS = 4  # in one glob: each doubles its forms


def matches(glob: str, path: str) -> bool:
    """Whether a path matches a scope: a glob, or a folder with everything below it."""
    folder = glob.removesuffix("**").removesuffix("*").rstrip("/")
    is_folder = not any(sign in folder for sign in "*?[")
    is_in_folder = is_folder and (path == folder or path.startswith(f"{folder}/"))
    return is_in_folder or fits(glob, path)


def fits(glob: str, path: str) -> bool:
    """Whether a path matches a glob: `*` matches any characters, `**/` any number of folders, including none."""
    return any(fnmatchcase(path, form) for form in _forms(glob))


@lru_cache(MOST_GLOBS)
def _forms(glob: str) -> tuple[str, ...]:
    """The glob, and the forms without some of its `**/`, which `fnmatch` takes for at least one folder."""
    first, *rest = _ANY_FOLDERS.split(glob)
    if len(rest) > MOST_ANY_FOLDERS:
        return (glob,)
    kept = product(("**/", ""), repeat=len(rest))
    return tuple(first + "".join(map("".join, zip(each, rest, strict=True))) for each in kept)
