"""The findings of `repomem check`."""

from dataclasses import dataclass
from enum import StrEnum

from repomem.core.types.text import NOTHING, CleanText


class Fault(StrEnum):
    """What may be wrong with a change."""

    BROKEN = "broken memory"  # the code of a memory was changed or deleted
    AGAINST = "against a decision"  # the change adds what a memory rejected
    BACK = "brings back"  # lines that a fix or a revert had removed
    AGAIN = "re-reverts"  # a completely reverted change is back


class Level(StrEnum):
    """The severity of a finding; only warnings fail a strict check."""

    WARNING = "warning"
    NOTE = "note"  # done on purpose, or against an unconfirmed memory


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """One finding about a change, and the memory or commit behind it."""

    fault: Fault
    level: Level
    id: str  # of the memory, or the commit
    source: str  # the memory's kind, or "commit"
    date: str  # YYYY-MM-DD of the memory or commit
    author: CleanText
    said: CleanText  # the memory's text, the commit's subject
    path: str  # at the head of the change, or the last path
    why: CleanText
    start_line: int = 0  # 0: no line is left
    end_line: int = 0
    symbol: str = ""
    reason: CleanText = NOTHING  # given by the memory or commit
    status: str = ""  # of a memory: provisional, or empty where confirmed
    commit: str = ""  # of the change that did it; empty where unknown
    lines: tuple[CleanText, ...] = ()  # that came back
