"""Finds the files and lines of a commit that contain a text, with `git grep`; needs no index."""

import os
from collections.abc import Sequence

from repomem.adapters.git.repository import Repository
from repomem.core.errors import GitError


def files_with(repository: Repository, commit: str, pattern: str) -> list[str]:
    """The files of a commit with a line that matches the pattern, ignoring case; empty in a partial clone.

    The pattern is an extended regular expression.
    """
    listed = _grep(repository, commit, "-i", "-l", "-z", "-E", "-e", pattern)
    return [each.removeprefix(f"{commit}:") for each in listed.split("\0") if each]


def lines_with(repository: Repository, commit: str, text: str, *, is_pattern: bool = False) -> list[str]:
    """The lines of a commit with a text as "path:line:text"; empty in a partial clone.

    An extended regular expression, if it is one, ignores case.
    """
    listed = _grep(repository, commit, "-n", *(("-i", "-E") if is_pattern else ("-F",)), "-e", text)
    return [each.removeprefix(f"{commit}:") for each in listed.split("\n") if each]


def lines_with_words(repository: Repository, commit: str, words: Sequence[str], suffix: str) -> list[str]:
    """The lines with one of these whole words, of a commit's files whose names end so; empty in a partial clone.

    Ten times as fast as a regular expression: 0.2 s for the 5,000 files of rails.
    """
    if not words:
        return []
    patterns = [part for word in words for part in ("-e", word)]
    listed = _grep(repository, commit, "-n", "-w", "-F", *patterns, paths=[f"*{suffix}"])
    return [each.removeprefix(f"{commit}:") for each in listed.split("\n") if each]


def _grep(repository: Repository, commit: str, *arguments: str, paths: Sequence[str] = ()) -> str:
    if repository.is_partial:
        return ""
    try:
        return os.fsdecode(
            repository.read("grep", "-I", "--no-textconv", "--no-recurse-submodules", *arguments, commit, "--", *paths)
        )
    except GitError as error:
        if error.message.startswith("git refuses"):
            raise
        return ""  # git grep fails without a word where nothing matches
