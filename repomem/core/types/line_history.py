"""What happened to lines after a commit: reverts, later changes and similar edits."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class RevertKind(StrEnum):
    """How a change was reverted."""

    REVERTED = "reverted"  # a later commit says so, or is its exact inverse
    REMOVED = "removed"  # code that was added and removed again within few commits
    FIX_GONE = "fix gone"  # a later commit that is not a revert removed the fix's lines


@dataclass(frozen=True, slots=True)
class RevertedChange:
    """A commit whose added lines a later commit removed."""

    how: RevertKind
    commit: str
    by: str  # the later commit
    path: str  # where most of its lines were
    symbols: tuple[str, ...]  # "path:name" of the definitions that lost them
    lines: int  # meaningful lines removed
    reason: str = ""  # quoted from the message of `by`; empty if it gives none


class LineLocation(NamedTuple):
    """A line of a live file."""

    path: str
    line: int


class LineEdit(NamedTuple):
    """A line that a commit changed, without surrounding white space and trailing comment."""

    path: str  # in that commit
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class SimilarEdits:
    """Lines that one commit changed in the same way."""

    removed: str  # code, with … at differences; empty if code was only added
    added: str
    edits: tuple[LineEdit, ...]


class LaterEdit(NamedTuple):
    """A line that was changed again: the commit, and where the line is now, if known."""

    by: str = ""
    spot: LineLocation | None = None
