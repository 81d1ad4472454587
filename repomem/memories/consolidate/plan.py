"""What consolidation would do: which memories say the same, and which are to be archived. Nothing is ever deleted.

Two memories say the same only where their words are the same but for some that carry no meaning, and perhaps one that
one of them adds; never where they differ in a number, a name, a negation or a limit. What git knows comes as values.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from typing import NamedTuple

from repomem.core.records import Event, Kind, Memory, Record, Said, Source
from repomem.core.types import CleanText
from repomem.memories.status import (
    HistoryFacts,
    MemoryState,
    Status,
    Visibility,
    is_confirmed,
    is_everywhere,
    is_trusted,
)

LEAST_LIKENESS = 0.97  # EVIDENCE T8: no two of 27 decisions are so alike; the seed's 0.7 put 140 of 184 facts together
LEAST_OVERLAP = 0.9  # share of words, for memories of no certain code
MOST_ALIKE = 200  # that a text is compared with because of one word: more than a ledger of people's making has
SUPERSEDED_DAYS = 30  # in which a branch that knows nothing of it yet, or a second thought, may need the old one
RECALLED_DAYS = 30
DAYS_OF_STRENGTH = 5.0  # MemoryBank, p = exp(-t / (5 S))
FAINT = 1e-4  # half a year for a fact of ordinary importance that nobody ever recalled, nine months for a vital one
VITAL = 4  # importance from which on a person's word is never archived for want of use

_FILLERS = (
    *("a", "an", "the", "is", "are", "be", "we", "our", "us", "this", "that", "these", "those", "it", "its", "there"),
    *("very", "really", "just", "simply", "also", "please"),
)
FILLERS = frozenset(_FILLERS)
_LIMITS = (  # words that turn a sentence, or bound it
    *("no", "not", "never", "none", "neither", "nor", "nothing", "nobody", "nowhere", "cannot", "without", "hardly"),
    *("only", "except", "unless", "until", "till", "if", "when", "while", "whenever", "before", "after", "but"),
    *("instead", "rather", "than", "always", "sometimes", "usually", "mostly", "often", "rarely", "all", "any"),
    *("every", "each", "some", "most", "least", "more", "less", "first", "last", "old", "new", "must", "should"),
    *("may", "might", "can", "could", "shall", "will", "would", "again", "yet", "still", "already", "both", "either"),
)
LIMITS = frozenset(_LIMITS)
_TOKEN = re.compile(r"`[^`\n]*`|\S+")
_OPENING, _CLOSING = "\"'([{“‘<", ".,;:!?\"')]}”’…>"
_DASHES = frozenset("-–—·•*")

Covers = Callable[[Memory, Memory], bool]
"""Whether the first is seen wherever the second is."""


class MemoryUse(NamedTuple):
    """What the records tell of a memory's use."""

    accesses: int = 0
    last: str = ""  # when it was last written, recalled, confirmed or restored
    recalled: str = ""
    superseded: str = ""
    is_restored: bool = False


@dataclass(frozen=True, slots=True)
class ConsolidationInput:
    """The memories at one place of the history, and what is known of them."""

    states: Mapping[str, MemoryState]
    uses: Mapping[str, MemoryUse]
    history: HistoryFacts
    now: str  # YYYY-MM-DDTHH:MM:SSZ
    covers: Covers
    is_late: Callable[[], bool] = lambda: False  # whether there is no time left: what is like what is then left alone


@dataclass(frozen=True, slots=True)
class Group:
    """Memories that say the same as their head; `likeness` is that of the two that are least alike."""

    head: str
    members: tuple[str, ...]
    likeness: float


@dataclass(frozen=True, slots=True)
class Archival:
    """A memory to be archived, and why."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done. All of it can be taken back."""

    groups: tuple[Group, ...] = ()
    archives: tuple[Archival, ...] = ()


Words = AbstractSet[str]
Likeness = Callable[[Words, Words], float]


class _Text(NamedTuple):
    """What a memory says, to be compared; only those of one `sort` can say the same."""

    sort: tuple[object, ...]  # kind, code, scope, reasons, and the words that change a meaning, in their order
    words: tuple[str, ...]  # without fillers
    known: frozenset[str]


def cosine(one: Words, other: Words) -> float:
    """The cosine of two sets of words."""
    return len(one & other) / math.sqrt(len(one) * len(other)) if one and other else 0.0


def plan(stock: ConsolidationInput, most_live: int, likeness: Likeness = cosine) -> Plan:
    """What to group and what to archive; the same memories on the same day give the same plan."""
    groups = tuple(_groups(stock, likeness))
    grouped = {name for group in groups for name in group.members}
    return Plan(groups, tuple(_archives(stock, grouped, most_live)))


def uses_of(records: Iterable[Record], recalled: Iterable[str] = (), now: str = "") -> dict[str, MemoryUse]:
    """How each memory was used; `recalled` were recalled since the records were written."""
    found: dict[str, MemoryUse] = defaultdict(MemoryUse)
    for record in records:
        at = record.origin.at
        if record.event is Event.REMEMBER:
            found[record.id] = _used(found[record.id], record.event, at)
        for target in record.targets:
            found[target] = _used(found[target], record.event, at)
    for name in recalled:
        found[name] = _used(found[name], Event.ACCESS, now)
    return dict(found)


def _used(use: MemoryUse, event: Event, at: str) -> MemoryUse:
    if event is Event.SUPERSEDE:
        return use._replace(superseded=max(use.superseded, at))
    if event not in {Event.REMEMBER, Event.ACCESS, Event.CONFIRM, Event.RESTORE}:
        return use
    used = use._replace(last=max(use.last, at), is_restored=use.is_restored or event is Event.RESTORE)
    if event is Event.ACCESS:
        return used._replace(accesses=use.accesses + 1, recalled=max(use.recalled, at))
    return used


def strength(memory: Memory, use: MemoryUse, now: str) -> float:
    """How firmly a memory is held, 0 to 1: MemoryBank's p = exp(-t / (5 S)), t in days (arXiv 2305.10250).

    S is 1 for what was only said, and more for each recall, each memory that says the same, and its importance.
    """
    held = 1 + use.accesses + len(memory.support) + memory.said.importance
    return math.exp(-_days(use.last or memory.origin.at, now) / (DAYS_OF_STRENGTH * held))


# Groups


def _groups(stock: ConsolidationInput, likeness: Likeness) -> Iterator[Group]:
    """Complete linkage: every two of a group are alike, those among them that were grouped before too."""
    same = _same(stock)
    pairs = _pairs(same, stock, likeness)
    first = {name: names[0] for names in same.values() for name in names}  # of those that say just the same
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
    """Whether each of some memories is like each of others; one that can be in no group now is like none."""
    ones, others = ({first.get(name, "") for name in names} for names in (left, right))
    return all(a and b and (a == b or (min(a, b), max(a, b)) in pairs) for a in ones for b in others)


def _units(stock: ConsolidationInput, names: AbstractSet[str]) -> list[frozenset[str]]:
    """The memories by the groups in which they are, one on its own a group of one; those that hold one of `names`."""
    groups: dict[str, set[str]] = defaultdict(set)
    for name, one in stock.states.items():
        groups[one.memory.grouped_under or name].add(name)
    return [frozenset(group) for group in groups.values() if not group.isdisjoint(names)]


def _same(stock: ConsolidationInput) -> dict[tuple[object, ...], list[str]]:
    """The memories by what they say, word for word, where they were said and whether they are trusted; oldest first."""
    found: dict[tuple[object, ...], list[str]] = defaultdict(list)
    for name in sorted(stock.states):
        one = stock.states[name]
        if stock.is_late():
            return {}
        if _can_be_grouped(one, stock):
            memory = one.memory
            where = "" if is_everywhere(memory) else memory.origin.head
            found[_text(memory.said), where, is_trusted(memory, stock.history)].append(name)
    return found


def _pairs(
    same: Mapping[tuple[object, ...], Sequence[str]], stock: ConsolidationInput, likeness: Likeness
) -> dict[tuple[str, str], float]:
    """Every two that say the same in other words or elsewhere, by their ids in order, with how alike they are."""
    texts: dict[tuple[object, ...], dict[str, _Text]] = defaultdict(dict)
    for (text, *_), names in same.items():
        assert isinstance(text, _Text)
        texts[text.sort][names[0]] = text
    found: dict[tuple[str, str], float] = {}
    for some in texts.values():
        for one, other in _candidates(some):
            if stock.is_late():
                return {}
            pair = (min(one, other), max(one, other))
            share = likeness(some[one].known, some[other].known)
            if share >= LEAST_LIKENESS and _says_same(some[one], some[other]) and _can_join(pair, stock):
                found[pair] = share
    return found


def _can_be_grouped(one: MemoryState, stock: ConsolidationInput) -> bool:
    """Whether it is told here without a "but"; what somebody restored is not to be hidden again."""
    memory = one.memory
    is_plain = one.status in {Status.CURRENT, Status.MOVED} or (one.status is Status.PROVISIONAL and not one.why)
    is_hidden = memory.is_forgotten or memory.archived or one.contested_by
    return (
        one.visibility is Visibility.HERE
        and is_plain
        and not is_hidden
        and not stock.uses.get(memory.id, MemoryUse()).is_restored
    )


def _can_join(pair: tuple[str, str], stock: ConsolidationInput) -> bool:
    """Whether one may stand for the other: it is seen wherever the other is, and no agent's word hides a person's.

    For every two of a group this holds, so that one of them may stand for all.
    """
    one, other = _memory(stock, pair[0]), _memory(stock, pair[1])
    trusted = is_trusted(one, stock.history), is_trusted(other, stock.history)
    first_may = trusted[0] >= trusted[1] and stock.covers(one, other)
    return first_may or (trusted[1] >= trusted[0] and stock.covers(other, one))


def _head(cluster: AbstractSet[str], firsts: AbstractSet[str], stock: ConsolidationInput) -> str:
    """The one that is shown for all: trusted, then the most important, then the oldest of those seen wherever one is.

    Empty where none is shown: the head of a group may be forgotten, and what says the same stays away with it.
    """

    def order(name: str) -> tuple[bool, bool, int, str]:
        memory = _memory(stock, name)
        is_narrow = not all(stock.covers(memory, _memory(stock, other)) for other in firsts - {name})
        return not is_trusted(memory, stock.history), is_narrow, -memory.said.importance, name

    return min((name for name in cluster if not _memory(stock, name).grouped_under), key=order, default="")


def _candidates(texts: Mapping[str, _Text]) -> Iterator[tuple[str, str]]:
    """Pairs that may share nine words of ten: they share one of their rarest (prefix filter, Chaudhuri 2006)."""
    counts = Counter(word for text in texts.values() for word in text.known)
    seen: dict[str, list[str]] = defaultdict(list)
    for name in sorted(texts):
        words = sorted(texts[name].known, key=lambda word: (counts[word], word))
        rarest = words[: len(words) - math.ceil(LEAST_OVERLAP * len(words)) + 1]
        others = {other for word in rarest for other in seen[word][:MOST_ALIKE]}
        yield from ((other, name) for other in sorted(others))
        for word in rarest:
            seen[word].append(name)


def _says_same(one: _Text, other: _Text) -> bool:
    """Whether one is the other, or has words added: a word in the place of another may turn the meaning."""
    shorter, longer = sorted((one.words, other.words), key=len)
    rest = iter(longer)
    if not all(word in rest for word in shorter):  # takes from `rest` up to each word: in the same order
        return False
    has_address = one.sort[1] != ((), ())
    return has_address or len(one.known & other.known) >= LEAST_OVERLAP * len(one.known | other.known)


def _text(said: Said) -> _Text:
    tokens = [token for token in _tokens(said.text) if token[0] not in FILLERS]
    address = tuple(sorted({(each.path, each.symbol) for each in said.anchors})), tuple(sorted(said.scope))
    reasons = tuple(tuple(_tokens(text)) for text in (said.why, *said.rejected))
    telling = tuple(word for word, is_telling in tokens if is_telling)
    words = tuple(word for word, _ in tokens)
    return _Text((said.kind, address, reasons, telling), words, frozenset(words))


def _tokens(text: str) -> Iterator[tuple[str, bool]]:
    """The words of a text, and whether each is a number, a name, a sign, a negation or a limit: these count exactly."""
    for token in _TOKEN.findall(text.replace("’", "'")):
        if token.startswith("`") and token.endswith("`") and len(token) > 2:
            yield token.strip("`"), True
            continue
        bare = token.lstrip(_OPENING).rstrip(_CLOSING) or token
        if set(bare) <= _DASHES:
            continue
        plain = bare.casefold()
        is_word = bare.replace("'", "").isalpha() and bare[1:] == bare[1:].lower()
        if not is_word:
            yield bare, True
        else:
            yield plain, plain in LIMITS or plain.endswith("n't")


# Archives


def _archives(stock: ConsolidationInput, grouped: AbstractSet[str], most_live: int) -> Iterator[Archival]:
    """What was superseded long ago and what nobody used for long; then, above the cap, what is held least."""
    live = {name: one for name, one in stock.states.items() if _is_live(one) and name not in grouped}
    turns = {name: _turn(one, stock) for name, one in live.items()}
    reasons = {name: reason for name, one in live.items() if (reason := _reason(one, turns[name], stock))}
    rest = [name for name, turn in turns.items() if name not in reasons and turn.rank != _NEVER]
    too_many = max(0, len(live) - len(reasons) - most_live)
    for name in sorted(rest, key=turns.__getitem__)[:too_many]:
        reasons[name] = f"more than {most_live:,} memories"
    yield from (Archival(name, reasons[name]) for name in sorted(reasons))


def _is_live(one: MemoryState) -> bool:
    memory = one.memory
    return not (memory.is_forgotten or memory.archived or memory.grouped_under)


_REPLACED, _PLAIN, _LAST, _NEVER = range(4)


class _Turn(NamedTuple):
    """When it is a memory's turn to be archived: superseded ones, then by how firmly they are held.

    Of equals the less important goes first, then the older.
    """

    rank: int
    strength: float
    importance: int
    id: str
    successor: str


def _turn(one: MemoryState, stock: ConsolidationInput) -> _Turn:
    memory, use = one.memory, stock.uses.get(one.memory.id, MemoryUse())
    successor = _successor(one, stock)
    rank = _REPLACED if successor else _rank(memory, use, stock.now, stock.history)
    return _Turn(rank, strength(memory, use, stock.now), memory.said.importance, memory.id, successor)


def _reason(one: MemoryState, turn: _Turn, stock: ConsolidationInput) -> str:
    """Why a memory is archived whatever there is room for; empty where it is not."""
    use = stock.uses.get(one.memory.id, MemoryUse())
    if turn.successor:
        days = _days(max(use.superseded, use.last), stock.now)
        return f"superseded by {turn.successor} for {int(days)} days" if days > SUPERSEDED_DAYS else ""
    if turn.rank != _PLAIN or turn.strength >= FAINT:
        return ""
    return f"unused for {int(_days(use.last or one.memory.origin.at, stock.now))} days"


def _rank(memory: Memory, use: MemoryUse, now: str, world: HistoryFacts) -> int:
    """What is kept for its kind, its source or its use is last or never archived."""
    is_lasting = memory.said.kind in {Kind.RULE, Kind.THREAD}
    is_word_of_a_person = memory.origin.source is Source.PERSON or is_confirmed(memory, world)
    if is_word_of_a_person and (is_lasting or memory.said.importance >= VITAL):
        return _NEVER
    is_fresh = bool(use.recalled) and _days(use.recalled, now) <= RECALLED_DAYS
    return _LAST if is_lasting or is_fresh else _PLAIN


def _successor(one: MemoryState, stock: ConsolidationInput) -> str:
    """The memory that took its place wherever it is seen; empty where some branch still needs the old one."""
    if one.status is not Status.SUPERSEDED or one.visibility is not Visibility.HERE:
        return ""
    for name in one.memory.superseded_by:
        other = stock.states.get(name)
        if (
            other
            and other.visibility is Visibility.HERE
            and not other.memory.archived
            and stock.covers(other.memory, one.memory)
        ):
            return name
    return ""


def _memory(stock: ConsolidationInput, name: str) -> Memory:
    return stock.states[name].memory


def _days(since: str, now: str) -> float:
    """Days from one time to another, 0 at least; a time that cannot be read counts as now: nothing is lost by it."""
    try:
        seconds = (datetime.fromisoformat(now) - datetime.fromisoformat(since)).total_seconds()
    except (ValueError, TypeError):
        return 0.0
    return max(0.0, seconds / 86_400)


# Prose


def prose_of(records: Sequence[Record], head: str) -> CleanText | None:
    """What a model wrote of a group, with its label; None where it wrote nothing, or the group is another by now."""
    told = [each for each in records if each.event is Event.GROUP and each.other == head and each.text]
    return told[-1].text if told and set(told[-1].targets) == members_of(records, head) else None


def members_of(records: Iterable[Record], head: str) -> set[str]:
    """The memories that a head stands for now."""
    found: dict[str, str] = {}
    for record in records:
        for target in record.targets:
            if record.event is Event.GROUP:
                found[target] = record.other
            elif record.event in {Event.RESTORE, Event.FORGET}:
                found.pop(target, None)
    return {name for name, under in found.items() if under == head}
