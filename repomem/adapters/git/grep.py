"""Finds the files and lines of a commit that contain a text, with `git grep`; needs no index."""

import os

from repomem.adapters.git.repository import Repository
from repomem.core.errors import GitError


def files_with(repository: Repository, commit: str, pattern: str) -> list[str]:
    """The files of a commit with a line that matches the pattern, ignoring case; empty in a partial clone.

    The pattern is an extended regular expression.
    """
    if repository.is_partial:
        return []
    listed = _grep(repository, commit, "-i", "-l", "-z", "-E", "-e", pattern)
    return [each.removeprefix(f"{commit}:") for each in listed.split("\0") if each]


def lines_with(repository: Repository, commit: str, text: str, *, is_pattern: bool = False) -> list[str]:
    """The lines of a commit with a text as "path:line:text"; empty in a partial clone.

    An extended regular expression, if it is one, ignores case.
    """
    if repository.is_partial:
        return []
    listed = _grep(repository, commit, "-n", *(("-i", "-E") if is_pattern else ("-F",)), "-e", text)
    return [each.removeprefix(f"{commit}:") for each in listed.split("\n") if each]


def _grep(repository: Repository, commit: str, *arguments: str) -> str:
    try:
        return os.fsdecode(
            repository.read("grep", "-I", "--no-textconv", "--no-recurse-submodules", *arguments, commit, "--")
        )
    except GitError as error:
        if error.message.startswith("git refuses"):
            raise
        return ""  # git grep fails without a word where nothing matches
