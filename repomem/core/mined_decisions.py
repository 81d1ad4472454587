"""Decisions that people wrote down where they write anyway: in commit messages and in files of decisions.

Git has them, so the ledger does not; they are only ever quoted.
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
"""The trailers that tell of a decision, by their names in lower case."""
REVERTS = "reverts"  # is kept like a trailer, where a commit says that it takes another back


@dataclass(frozen=True, slots=True)
class MinedDecision:
    """One thing that a commit's trailer or a file of decisions says. Fields that do not apply are empty."""

    id: str  # `path:12-18`, or the short hash of the commit
    kind: MemoryKind  # decision; rule, where it binds; gotcha, where it tells what was decided against
    text: CleanText
    source: Source  # commit or file
    title: CleanText = NOTHING  # of the file, or the commit's subject
    rejected: tuple[CleanText, ...] = ()  # what was considered, and not chosen
    author: str = ""
    date: str = ""  # YYYY-MM-DD
    commit: str = ""
    path: str = ""
    start_line: int = 0
    end_line: int = 0

    @property
    def is_rejected(self) -> bool:
        """Whether all that it says is what was decided against."""
        return self.kind is MemoryKind.GOTCHA


@dataclass(frozen=True, slots=True)
class Trailer:
    """One trailer of a commit message, with the commit that it stands in."""

    commit: str
    name: str  # one of DECIDING, or REVERTS
    value: CleanText
    author: str
    date: str  # the author's, YYYY-MM-DD
    subject: CleanText
