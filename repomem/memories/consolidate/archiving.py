"""Which memories are archived: superseded or unused for long, then the weakest above the limit."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

from repomem.core.records import Memory, MemoryKind, Source
from repomem.memories.consolidate.consolidation_input import ConsolidationInput, MemoryUse, days_between, strength
from repomem.memories.history_facts import HistoryFacts
from repomem.memories.status import SUPERSEDED_BY, MemoryState, Status, Visibility, is_confirmed, is_only_proposed

SUPERSEDED_DAYS = 30  # a branch that does not know the successor yet may need the old memory
RECALLED_DAYS = 30
FAINT = 1e-4  # half a year for a fact of importance 3 that was never recalled, nine months for importance 5
VITAL = 4  # importance from which a person's memory is never archived as unused
_REPLACED, _PLAIN, _LAST, _NEVER = range(4)


@dataclass(frozen=True, slots=True)
class Archival:
    """A memory to be archived, and why."""

    id: str
    text: str
    reason: str


def archivals_of(stock: ConsolidationInput, grouped: AbstractSet[str], most_live: int) -> Iterator[Archival]:
    """The memories superseded or unused for long; then, above `most_live`, the weakest."""
    live = {name: one for name, one in stock.states.items() if _is_live(one) and name not in grouped}
    priorities = {name: _priority(one, stock) for name, one in live.items()}
    reasons = {name: reason for name, one in live.items() if (reason := _reason(one, priorities[name], stock))}
    rest = [name for name, priority in priorities.items() if name not in reasons and priority.rank != _NEVER]
    too_many = max(0, len(live) - len(reasons) - most_live)
    for name in sorted(rest, key=priorities.__getitem__)[:too_many]:
        reasons[name] = f"more than {most_live:,} memories"
    yield from (Archival(name, live[name].memory.said.text, reasons[name]) for name in sorted(reasons))


def _is_live(one: MemoryState) -> bool:
    memory = one.memory
    return not (memory.is_forgotten or memory.archived or memory.grouped_under)


class _Priority(NamedTuple):
    """The order of archiving: superseded memories first, then the weakest, the least important, the oldest."""

    rank: int
    strength: float
    importance: int
    id: str
    successor: str


def _priority(one: MemoryState, stock: ConsolidationInput) -> _Priority:
    memory, use = one.memory, stock.uses.get(one.memory.id, MemoryUse())
    successor = _successor(one, stock)
    rank = _REPLACED if successor else _rank(memory, use, stock.now, stock.history)
    return _Priority(rank, strength(memory, use, stock.now), memory.said.importance, memory.id, successor)


def _reason(one: MemoryState, priority: _Priority, stock: ConsolidationInput) -> str:
    """Why a memory is archived at any count; empty if it is not."""
    use = stock.uses.get(one.memory.id, MemoryUse())
    if priority.successor:
        days = days_between(max(use.superseded, use.last), stock.now)
        return f"{SUPERSEDED_BY} {priority.successor} for {int(days)} days" if days > SUPERSEDED_DAYS else ""
    if priority.rank != _PLAIN or priority.strength >= FAINT:
        return ""
    return f"unused for {int(days_between(use.last or one.memory.origin.at, stock.now))} days"


def _rank(memory: Memory, use: MemoryUse, now: str, world: HistoryFacts) -> int:
    """Rules, threads, recently recalled and important memories of persons are archived last or never."""
    is_lasting_kind = memory.said.kind in {MemoryKind.RULE, MemoryKind.THREAD}
    is_by_person = memory.origin.source is Source.PERSON or is_confirmed(memory, world)
    if memory.pinned:
        return _NEVER
    if is_by_person and (is_lasting_kind or memory.said.importance >= VITAL):
        return _NEVER
    is_fresh = bool(use.recalled) and days_between(use.recalled, now) <= RECALLED_DAYS
    return _LAST if is_lasting_kind or is_fresh else _PLAIN


def _successor(one: MemoryState, stock: ConsolidationInput) -> str:
    """The memory that supersedes it on every branch; empty if some branch still needs the old one."""
    if one.status is not Status.SUPERSEDED or one.visibility is not Visibility.HERE:
        return ""
    for name in one.memory.superseded_by:
        other = stock.states.get(name)
        if (
            other
            and other.visibility is Visibility.HERE
            and not other.memory.archived
            and not is_only_proposed(one.memory, other.memory, stock.history)
            and stock.covers(other.memory, one.memory)
        ):
            return name
    return ""
