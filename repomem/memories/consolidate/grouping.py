"""Which memories are grouped under one head: those that say the same, by complete linkage."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations

from repomem.core.records import Memory
from repomem.memories.consolidate.consolidation_input import ConsolidationInput, MemoryUse
from repomem.memories.consolidate.similar_texts import MemoryText, candidate_pairs, cosine, memory_text, says_same
from repomem.memories.status import MemoryState, Status, Visibility, is_everywhere, is_trusted

LEAST_LIKENESS = 0.97  # EVIDENCE T8: no two of 27 decisions are this similar; at 0.7, 140 of 184 facts were grouped


@dataclass(frozen=True, slots=True)
class Group:
    """Memories that say the same as their head; `likeness` is the lowest of any pair."""

    head: str
    members: tuple[str, ...]
    likeness: float


def groups_of(stock: ConsolidationInput) -> Iterator[Group]:
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
        members = tuple(sorted(name for name in cluster - {head} if _memory(stock, name).grouped_under != head))
        if head and members:
            some = combinations(sorted({first[name] for name in cluster}), 2)
            yield Group(head, members, min((pairs[pair] for pair in some), default=1.0))


def _are_alike(
    left: AbstractSet[str], right: AbstractSet[str], first: Mapping[str, str], pairs: Mapping[tuple[str, str], float]
) -> bool:
    """Whether every pair across two clusters is similar; a memory that cannot be grouped matches none."""
    ones, others = ({first.get(name, "") for name in names} for names in (left, right))
    return all(a and b and (a == b or (min(a, b), max(a, b)) in pairs) for a in ones for b in others)


def _units(stock: ConsolidationInput, names: AbstractSet[str]) -> list[frozenset[str]]:
    """The present groups (a single memory is one) that contain one of `names`."""
    groups: dict[str, set[str]] = defaultdict(set)
    for name, one in stock.states.items():
        groups[one.memory.grouped_under or name].add(name)
    return [frozenset(group) for group in groups.values() if not group.isdisjoint(names)]


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
        texts[text.sort][names[0]] = text
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
