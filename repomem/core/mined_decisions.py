"""Decisions found in commit messages and decision files.

Git stores them, so the ledger does not; they are only quoted.
"""

from dataclasses import dataclass

from repomem.core.records import MemoryKind, Source
from repomem.core.types.text import NOTHING, CleanText

DECIDING = {
    "decision": MemoryKind.DECISION,
    "constraint": MemoryKind.RULE,
    "directive": MemoryKind.RULE,
    "rejected": MemoryKind.GOTCHA,
}
"""Trailers that record a decision, by lower-case name."""
REVERTS = "reverts"  # stored like a trailer if a commit says that it reverts another


@dataclass(frozen=True, slots=True)
class MinedDecision:
    """One decision from a commit's trailer or a decision file. Fields that do not apply are empty."""

    id: str  # `path:12-18`, or the short hash of the commit
    kind: MemoryKind  # decision; rule if it binds; gotcha if it records a rejected option
    text: CleanText
    source: Source  # commit or file
    title: CleanText = NOTHING  # of the file, or the commit's subject
    rejected: tuple[CleanText, ...] = ()  # rejected options
    author: str = ""
    date: str = ""  # YYYY-MM-DD
    commit: str = ""
    path: str = ""
    start_line: int = 0
    end_line: int = 0

    @property
    def is_rejected(self) -> bool:
        """Whether it records only a rejected option."""
        return self.kind is MemoryKind.GOTCHA


@dataclass(frozen=True, slots=True)
class Trailer:
    """One trailer of a commit message, with its commit."""

    commit: str
    name: str  # one of DECIDING, or REVERTS
    value: CleanText
    author: str
    date: str  # the author's, YYYY-MM-DD
    subject: CleanText
