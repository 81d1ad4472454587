"""Finds the files and lines of a commit that contain a text, with `git grep`; needs no index."""

import os
from collections.abc import Sequence

from repomem.adapters.git.repository import Repository
from repomem.core.errors import GitError


def files_with(repository: Repository, commit: str, pattern: str) -> list[str]:
    """The files of a commit with a line that matches the pattern, ignoring case; empty in a partial clone.

    The pattern is an extended regular expression.
    """
    return _grep(repository, commit, "-i", "-l", "-z", "-E", "-e", pattern)


def lines_with(repository: Repository, commit: str, text: str, *, is_pattern: bool = False) -> list[str]:
    """The lines of a commit with a text as "path:line:text"; empty in a partial clone.

    An extended regular expression, if it is one, ignores case.
    """
    return _grep(repository, commit, "-n", *(("-i", "-E") if is_pattern else ("-F",)), "-e", text)


def lines_with_words(repository: Repository, commit: str, words: Sequence[str], suffix: str) -> list[str]:
    """The lines with one of these whole words, of a commit's files whose names end so; empty in a partial clone.

    Ten times as fast as a regular expression: 0.2 s for the 5,000 files of rails.
    """
    if not words:
        return []
    patterns = [part for word in words for part in ("-e", word)]
    return _grep(repository, commit, "-n", "-w", "-F", *patterns, paths=[f"*{suffix}"])


def _grep(repository: Repository, commit: str, *arguments: str, paths: Sequence[str] = ()) -> list[str]:
    """The files or lines that git finds, without the name of the commit in front of each."""
    if repository.is_partial:
        return []
    options = ("-I", "--no-textconv", "--no-recurse-submodules")
    try:
        listed = os.fsdecode(repository.read("grep", *options, *arguments, commit, "--", *paths))
    except GitError as error:
        if error.message.startswith("git refuses"):
            raise
        return []  # git grep fails without a word where nothing matches
    return [each.removeprefix(f"{commit}:") for each in listed.split("\0" if "-z" in arguments else "\n") if each]
