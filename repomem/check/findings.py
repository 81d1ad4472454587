"""What `repomem check` finds: the values that its parts give and every form of its answer shows."""

from dataclasses import dataclass
from enum import StrEnum

from repomem.core.types import NOTHING, CleanText


class Fault(StrEnum):
    """What may be wrong with a change."""

    BROKEN = "broken memory"  # the code that a memory speaks of is not what it was
    AGAINST = "against a decision"  # the change brings in what a memory turned down
    BACK = "brings back"  # lines that a fix or a revert took out
    AGAIN = "re-reverts"  # what was reverted as a whole comes again


class Level(StrEnum):
    """How much a finding asks for; only warnings fail a strict check."""

    WARNING = "warning"
    NOTE = "note"  # done on purpose, or said by somebody whose word is not confirmed


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """One thing that a change does, and the memory or commit that speaks against it."""

    fault: Fault
    level: Level
    id: str  # of the memory, or the commit
    source: str  # the memory's kind, or "commit"
    date: str  # YYYY-MM-DD, of what was said or committed
    author: CleanText
    said: CleanText  # the memory's text, the commit's subject
    path: str  # at the head of the change, or the last that it was
    why: CleanText
    start_line: int = 0  # 0: no line of it is left
    end_line: int = 0
    symbol: str = ""
    reason: CleanText = NOTHING  # that the memory or commit gives
    status: str = ""  # of a memory: provisional, or empty where it is confirmed
    commit: str = ""  # of the change, that did it; empty where that is not known
    lines: tuple[CleanText, ...] = ()  # that are back
