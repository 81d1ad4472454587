"""What consolidation distils from commits and sessions: numbers and ids alone, so that nothing outlives its support."""

from dataclasses import dataclass
from enum import StrEnum


class Sort(StrEnum):
    """What is distilled, and nothing else."""

    TOGETHER = "together"  # two files that change together
    CURE = "cure"  # an error, and the change after which its command passed
    PASSES = "passes"  # a command that passed in several sessions


@dataclass(frozen=True, slots=True)
class Distilled:
    """One thing that was distilled; words are read from its records whenever it is shown."""

    sort: Sort
    paths: tuple[str, ...]  # that it speaks of
    commits: tuple[str, ...] = ()  # that it rests on, newest first
    records: tuple[str, ...] = ()  # ids of the notes that it rests on; of a cure: failed, passed, then what was touched
    count: int = 0  # commits that changed both files; sessions in which the command passed
    of: int = 0  # commits that changed either
    counted_at: str = ""  # the newest commit that was counted
