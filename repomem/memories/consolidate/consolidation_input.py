"""The input of consolidation: memories at one revision, how each was used, how strong it is, and on which branches."""

import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from repomem.core.errors import GitError
from repomem.core.records import MOST_USES, USED, Event, Memory, Record
from repomem.memories.history_facts import HistoryFacts, name_here, names_of_record
from repomem.memories.status import MemoryState, is_everywhere
from repomem.workspace.workspace import Workspace

DAYS_OF_STRENGTH = 5.0  # MemoryBank, p = exp(-t / (5 S))


class MemoryUse(NamedTuple):
    """How a memory was used, by the records."""

    accesses: int = 0
    last: str = ""  # when it was last written, recalled, confirmed or restored
    recalled: str = ""
    superseded: str = ""
    is_restored: bool = False


@dataclass(frozen=True, slots=True)
class ConsolidationInput:
    """The memories at one revision, with the facts for consolidation."""

    states: Mapping[str, MemoryState]
    uses: Mapping[str, MemoryUse]
    history: HistoryFacts
    now: str  # YYYY-MM-DDTHH:MM:SSZ
    covers: Callable[[Memory, Memory], bool]  # whether the first is visible on every branch where the second is
    is_late: Callable[[], bool] = lambda: False  # whether the time is up; grouping then stops


def uses_of(records: Iterable[Record], recalled: Iterable[str] = (), now: str = "") -> dict[str, MemoryUse]:
    """How each memory was used; `recalled` are recalls that the records do not have yet."""
    uses: dict[str, MemoryUse] = defaultdict(MemoryUse)
    for record in records:
        at = record.origin.at
        if record.event is Event.REMEMBER:
            uses[record.id] = _used(uses[record.id], record.event, at)
        for target in record.targets:
            is_shown = record.event is Event.ACCESS and record.other != USED
            uses[target] = _used(uses[target], record.event, at, is_shown=is_shown)
    for name in recalled:
        uses[name] = _used(uses[name], Event.ACCESS, now, is_shown=True)
    return dict(uses)


def _used(use: MemoryUse, event: Event, at: str, *, is_shown: bool = False) -> MemoryUse:
    if event is Event.SUPERSEDE:
        return use._replace(superseded=max(use.superseded, at))
    if event not in {Event.REMEMBER, Event.ACCESS, Event.CONFIRM, Event.RESTORE}:
        return use
    used = use._replace(last=max(use.last, at), is_restored=use.is_restored or event is Event.RESTORE)
    return used._replace(accesses=use.accesses + 1, recalled=max(use.recalled, at)) if is_shown else used


def strength(memory: Memory, use: MemoryUse, now: str) -> float:
    """The strength of a memory, 0 to 1: MemoryBank's p = exp(-t / (5 S)), t in days (arXiv 2305.10250).

    S is 1 plus the recalls, the sessions that acted on it (at most three), the memories grouped under it, and its
    importance.
    """
    strengths = 1 + use.accesses + min(memory.uses, MOST_USES) + len(memory.support) + memory.said.importance
    return math.exp(-days_between(use.last or memory.origin.at, now) / (DAYS_OF_STRENGTH * strengths))


def days_between(since: str, now: str) -> float:
    """Days from one time to another, at least 0; 0 if a time cannot be read, so that nothing is archived for it."""
    try:
        seconds = (datetime.fromisoformat(now) - datetime.fromisoformat(since)).total_seconds()
    except (ValueError, TypeError):
        return 0.0
    return max(0.0, seconds / 86_400)


@dataclass(slots=True)
class BranchCoverage:
    """Whether one memory is visible on every local branch where another is: git answers.

    False once the deadline has passed.
    """

    workspace: Workspace
    history: HistoryFacts
    deadline: float  # on time.monotonic
    is_cut: bool = False
    _known: dict[tuple[str, str], bool] = field(default_factory=dict)

    def __call__(self, one: Memory, other: Memory) -> bool:
        if is_everywhere(one) or not one.origin.head:
            return True
        if is_everywhere(other) or not other.origin.head:
            return False
        key = self._commit(one), self._commit(other)
        if key[0] == key[1]:
            return True
        if key not in self._known:
            if self.is_late():
                return False
            self._known[key] = self._is_covered(*key)
        return self._known[key]

    def is_late(self) -> bool:
        """Whether the deadline has passed; `is_cut` keeps that."""
        self.is_cut = self.is_cut or time.monotonic() > self.deadline
        return self.is_cut

    def _commit(self, memory: Memory) -> str:
        """The commit it was written on, by its current name."""
        return name_here(memory, self.history) or names_of_record(memory.id, memory.origin, self.history)[0]

    def _is_covered(self, one: str, other: str) -> bool:
        wanted = (f"--contains={other}", f"--no-contains={one}", "--count=1", "refs/heads")
        try:
            return not self.workspace.repository.read("for-each-ref", "--format=%(refname)", *wanted).strip()
        except GitError:  # this clone lacks the commit: where it is visible is unknown
            return False
