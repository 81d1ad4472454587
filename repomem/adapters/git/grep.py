"""Finds the files of a commit that contain a text, with `git grep`; needs no index."""

import os

from repomem.adapters.git.repository import Repository
from repomem.core.errors import GitError


def files_with(repository: Repository, commit: str, pattern: str) -> list[str]:
    """The files of a commit with a line that matches the pattern, ignoring case; empty in a partial clone.

    The pattern is an extended regular expression.
    """
    if repository.is_partial:
        return []
    arguments = (
        "grep",
        "-I",
        "-i",
        "-l",
        "-z",
        "-E",
        "--no-textconv",
        "--no-recurse-submodules",
        "-e",
        pattern,
        commit,
    )
    try:
        listed = os.fsdecode(repository.read(*arguments, "--"))
    except GitError as error:
        if error.message.startswith("git refuses"):
            raise
        return []  # git grep fails without a word where nothing matches
    return [each.removeprefix(f"{commit}:") for each in listed.split("\0") if each]
