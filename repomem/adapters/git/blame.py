"""The commit that last changed a line, and the line's path and number in it."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

from repomem.adapters.git.hunks import unquoted
from repomem.adapters.git.repository import Repository
from repomem.core.errors import GitError, NotFound
from repomem.core.text.lazy_pattern import lazy_pattern


@dataclass(frozen=True, slots=True)
class Blamed:
    """One line and the commit that last changed it; `commit` is empty if the line is uncommitted."""

    commit: str
    path: str  # of the file in that commit
    line: int  # in that commit
    text: str
    before: str  # the commit before it that had the file; empty if it brought the file
    path_before: str


_BLAMED = lazy_pattern(rb"^([0-9a-f]{40,64}) \d+ \d+", re.MULTILINE)  # porcelain: the commit, its line, the line now


def blame(repository: Repository, path: str, line: int, revision: str = "") -> Blamed:
    """The commit that last changed a line of the worktree or of a revision, ignoring white space and renames.

    Moves within and between files are ignored: git would treat any single similar line as moved. Raises NotFound if
    there is no such line.
    """
    at = [revision] if revision else ["HEAD"] if repository.is_bare else []
    arguments = ["blame", "--porcelain", "--no-textconv", "-w", f"-L{line},{line}", *at, "--", path]
    try:
        answer = repository.read(*arguments).decode("utf-8", "surrogateescape").split("\n")
    except GitError as error:
        reason = error.message.removeprefix("git refuses: ")
        if reason.startswith("no such path"):
            raise NotFound(f"{path} is not a tracked file", "git ls-files lists those") from error
        if reason.startswith("no such ref: HEAD"):
            raise NotFound("the repository has no commit yet", "commit the file first") from error
        if repository.is_partial and not reason.startswith("file "):  # which has only so many lines
            raise GitError(
                f"this partial clone lacks earlier versions of {path}",
                "run the command in a clone made without --filter",
            ) from error
        raise NotFound(f"git finds no line {line} in {path}: {reason}", "give a line that the file has") from error
    commit, was_line, *_ = answer[0].split(" ")
    fields = dict(entry.partition(" ")[::2] for entry in answer[1:] if entry and not entry.startswith("\t"))
    text = next((entry[1:] for entry in answer[1:] if entry.startswith("\t")), "")
    before, _, path_before = fields.get("previous", "").partition(" ")
    is_made = bool(commit.strip("0"))
    path, path_before = (os.fsdecode(unquoted(os.fsencode(each))) for each in (fields["filename"], path_before))
    return Blamed(commit if is_made else "", path, int(was_line), text, before, path_before)


def writers_of(repository: Repository, path: str, lines: Sequence[range], revision: str) -> set[str]:
    """The commits that last changed any of these lines of a revision, ignoring white space."""
    ranges = [f"-L{each.start},{each.stop - 1}" for each in lines if each]
    if not ranges or repository.is_partial:
        return set()
    found = repository.read("blame", "--porcelain", "--no-textconv", "-w", *ranges, revision, "--", path)
    return {match[1].decode() for match in _BLAMED.finditer(found)}
