"""What consolidation would change: memories that say the same are grouped under one head, by complete linkage.

Superseded memories and those unused for long are archived, then the weakest above the limit.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from repomem.core.grouping import grouped_by
from repomem.core.records import Memory, MemoryKind, Source
from repomem.memories.consolidate.consolidation_input import ConsolidationInput, MemoryUse, days_between, strength
from repomem.memories.consolidate.similar_texts import MemoryText, candidate_pairs, cosine, memory_text, says_same
from repomem.memories.history_facts import HistoryFacts
from repomem.memories.status import (
    SUPERSEDED_BY,
    MemoryState,
    Status,
    Visibility,
    is_confirmed,
    is_everywhere,
    is_only_proposed,
    is_trusted,
)

LEAST_LIKENESS = 0.97  # EVIDENCE T8: no two of 27 decisions are this similar; at 0.7, 140 of 184 facts were grouped
SUPERSEDED_DAYS = 30  # a branch that does not know the successor yet may need the old memory
RECALLED_DAYS = 30
FAINT = 1e-4  # half a year for a fact of importance 3 that was never recalled, nine months for importance 5
VITAL = 4  # importance from which a person's memory is never archived as unused
_REPLACED, _PLAIN, _LAST, _NEVER = range(4)


@dataclass(frozen=True, slots=True)
class Group:
    """Memories (id and text) that say the same as one of them, which is shown for all."""

    id: str
    text: str
    members: tuple[tuple[str, str], ...]
    likeness: float  # the lowest of any pair


@dataclass(frozen=True, slots=True)
class Archival:
    """A memory to be archived, and why."""

    id: str
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The groups to make and the memories to archive; both can be undone."""

    groups: tuple[Group, ...] = ()
    archives: tuple[Archival, ...] = ()


def plan(stock: ConsolidationInput, most_live: int) -> Plan:
    """The groups and memories to archive; equal input gives an equal plan."""
    groups = tuple(_groups_of(stock))
    grouped = {name for group in groups for name, _ in group.members}
    return Plan(groups, tuple(_archivals_of(stock, grouped, most_live)))


def _groups_of(stock: ConsolidationInput) -> Iterator[Group]:
    """The new groups, by complete linkage: every pair of a group is similar, earlier members included."""
    same = _same_text(stock)
    pairs = _pairs(same, stock)
    first = {name: names[0] for names in same.values() for name in names}  # of memories with equal text
    units = _units(stock, {name for names in same.values() if len(names) > 1 for name in names}.union(*pairs))
    cluster_of = {name: unit for unit in units for name in unit}
    twins = [(names[0], name) for names in same.values() for name in names[1:]]
    for one, other in (*twins, *sorted(pairs, key=lambda pair: (-pairs[pair], pair))):
        left, right = cluster_of[one], cluster_of[other]
        if left is not right and _are_alike(left, right, first, pairs):
            cluster_of |= dict.fromkeys(left | right, left | right)
    for cluster in sorted(set(cluster_of.values()) - set(units), key=min):
        head = _head(cluster, {first[name] for name in cluster}, stock)
        new = sorted(name for name in cluster - {head} if _memory(stock, name).grouped_under != head)
        if head and new:
            members = tuple((name, _memory(stock, name).said.text) for name in new)
            some = combinations(sorted({first[name] for name in cluster}), 2)
            likeness = min((pairs[pair] for pair in some), default=1.0)
            yield Group(head, _memory(stock, head).said.text, members, likeness)


def _are_alike(
    left: AbstractSet[str], right: AbstractSet[str], first: Mapping[str, str], pairs: Mapping[tuple[str, str], float]
) -> bool:
    """Whether every pair across two clusters is similar; a memory that cannot be grouped matches none."""
    ones, others = ({first.get(name, "") for name in names} for names in (left, right))
    return all(a and b and (a == b or (min(a, b), max(a, b)) in pairs) for a in ones for b in others)


def _units(stock: ConsolidationInput, names: AbstractSet[str]) -> list[frozenset[str]]:
    """The present groups (a single memory is one) that contain one of `names`."""
    groups = grouped_by(stock.states, lambda name: _memory(stock, name).grouped_under or name)
    return [frozenset(group) for group in groups.values() if not names.isdisjoint(group)]


def _same_text(stock: ConsolidationInput) -> dict[tuple[object, ...], list[str]]:
    """Memory ids by equal text, commit and trust; oldest first."""
    found: dict[tuple[object, ...], list[str]] = defaultdict(list)
    for name in sorted(stock.states):
        one = stock.states[name]
        if stock.is_late():
            return {}
        if _can_be_grouped(one, stock):
            memory = one.memory
            commit = "" if is_everywhere(memory) else memory.origin.head
            found[memory_text(memory.said), commit, is_trusted(memory, stock.history)].append(name)
    return found


def _pairs(same: Mapping[tuple[object, ...], Sequence[str]], stock: ConsolidationInput) -> dict[tuple[str, str], float]:
    """Pairs of ids that say the same in other words or on another commit, with their similarity."""
    texts: dict[tuple[object, ...], dict[str, MemoryText]] = defaultdict(dict)
    for (text, *_), names in same.items():
        assert isinstance(text, MemoryText)
        texts[text.meaning][names[0]] = text
    found: dict[tuple[str, str], float] = {}
    for some in texts.values():
        for one, other in candidate_pairs(some):
            if stock.is_late():
                return {}
            pair = (min(one, other), max(one, other))
            share = cosine(some[one].known, some[other].known)
            if share >= LEAST_LIKENESS and says_same(some[one], some[other]) and _can_join(pair, stock):
                found[pair] = share
    return found


def _can_be_grouped(one: MemoryState, stock: ConsolidationInput) -> bool:
    """Whether it is shown here without reservation; a restored memory is never grouped again."""
    memory = one.memory
    is_plain = one.status in {Status.CURRENT, Status.MOVED} or (one.status is Status.PROVISIONAL and not one.why)
    is_hidden = memory.is_forgotten or memory.archived or memory.pinned or one.contested_by
    return (
        one.visibility is Visibility.HERE
        and is_plain
        and not is_hidden
        and not stock.uses.get(memory.id, MemoryUse()).is_restored
    )


def _can_join(pair: tuple[str, str], stock: ConsolidationInput) -> bool:
    """Whether one may represent the other: visible wherever it is, and no untrusted memory hides a trusted one.

    It holds for every pair of a group, so that one memory can represent all.
    """
    one, other = _memory(stock, pair[0]), _memory(stock, pair[1])
    trusted = is_trusted(one, stock.history), is_trusted(other, stock.history)
    first_may = trusted[0] >= trusted[1] and stock.covers(one, other)
    return first_may or (trusted[1] >= trusted[0] and stock.covers(other, one))


def _head(cluster: AbstractSet[str], firsts: AbstractSet[str], stock: ConsolidationInput) -> str:
    """The memory shown for all: trusted, then visible everywhere, then most important, then oldest.

    Empty if none can be: the head was forgotten, and its group stays hidden with it.
    """

    def order(name: str) -> tuple[bool, bool, int, str]:
        memory = _memory(stock, name)
        is_narrow = not all(stock.covers(memory, _memory(stock, other)) for other in firsts - {name})
        return not is_trusted(memory, stock.history), is_narrow, -memory.said.importance, name

    return min((name for name in cluster if not _memory(stock, name).grouped_under), key=order, default="")


def _memory(stock: ConsolidationInput, name: str) -> Memory:
    return stock.states[name].memory


def _archivals_of(stock: ConsolidationInput, grouped: AbstractSet[str], most_live: int) -> Iterator[Archival]:
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
    """Why a memory is archived regardless of the limit; or empty."""
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
