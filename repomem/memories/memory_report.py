"""Statistics of memories: layers with their lifetimes, kinds, ages, sizes, use and bloat."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from repomem.core.grouping import grouped_by
from repomem.core.records import Event, Memory
from repomem.core.text.tokens import count_tokens
from repomem.core.times import this_moment
from repomem.memories.consolidate.consolidation_input import MemoryUse, days_between, uses_of
from repomem.memories.consolidate.recall_counts import spooled_ids
from repomem.memories.consolidate.similar_texts import candidate_pairs, memory_text, overlap
from repomem.memories.learned.wording import learned_texts
from repomem.memories.listing import ListedMemory
from repomem.memories.pinned import pinned_names
from repomem.memories.snapshots.snapshot import MemorySnapshot, memories_now
from repomem.memories.use_figures import UseFigures, use_figures
from repomem.workspace.deliveries import uses_in
from repomem.workspace.workspace import Workspace

AGES = (("last 7 days", 7), ("last 30 days", 30), ("last year", 365))  # days


@dataclass(frozen=True, slots=True)
class Layer:
    """One kind of stored knowledge."""

    name: str
    entries: int
    size: int  # bytes of its texts; of facts learnt, of nothing: they are counted from the others
    lifetime: str


@dataclass(frozen=True, slots=True)
class Use:
    """How often briefs for a task showed the memories that a brief may hold."""

    shown: int  # memories that a brief has shown
    times: int  # in all, each at most once between two consolidations
    never_shown: int
    confirmed: int  # by a person or an agent
    last: str  # when the newest was shown, as of the last consolidation; YYYY-MM-DD or empty


@dataclass(frozen=True, slots=True)
class Bloat:
    """Memories that a brief may hold and that say what another one says."""

    near_duplicates: int
    share: float  # of the memories that a brief may hold


@dataclass(frozen=True, slots=True)
class MemoryReport:
    """The figures; kinds, ages, tokens, use and bloat are those of memories that a brief may show here."""

    layers: tuple[Layer, ...]
    memories: int
    hidden: Mapping[str, int]  # status to number of memories that do not apply here
    kinds: Mapping[str, int]
    ages: Mapping[str, int]
    tokens: int  # of their texts and reasons
    longest: int  # tokens of the longest
    pinned: int
    use: Use
    bloat: Bloat
    sessions: UseFigures  # what sessions did with what hooks showed them


def memory_report(workspace: Workspace) -> MemoryReport:
    """The figures for the worktree as it is now."""
    known = memories_now(workspace)
    here = {name: known.states[name].memory for name in known.outlines.where(is_shown=bool).here}
    hidden = Counter(ListedMemory(one).status for name, one in known.states.items() if name not in here)
    now = this_moment()
    tokens = [count_tokens(f"{each.said.text} {each.said.why}".strip()) for each in here.values()]
    return MemoryReport(
        layers=_layers(known),
        memories=len(here),
        hidden=dict(sorted(hidden.items())),
        kinds=dict(sorted(Counter(each.said.kind.value for each in here.values()).items())),
        ages=_ages(here.values(), now),
        tokens=sum(tokens),
        longest=max(tokens, default=0),
        pinned=len(pinned_names(known.outlines)),
        use=_use(here, uses_of(known.records, spooled_ids(workspace), now)),
        bloat=_bloat(here),
        sessions=use_figures(list(uses_in(workspace.folder)), here),
    )


def _layers(known: MemorySnapshot) -> tuple[Layer, ...]:
    by_event = grouped_by(known.records, lambda record: record.event)
    events = Event.SESSION_START, Event.SESSION_END, Event.SESSION_NOTE
    starts, ends, notes = (by_event.get(each, []) for each in events)
    ended = {record.origin.session for record in ends}
    open_notes = [record for record in notes if record.text and record.origin.session not in ended]
    memories = [one.memory.said for one in known.states.values()]
    learned = learned_texts(known.records)
    of_notes = _bytes(record.text for record in open_notes)
    of_sessions = _bytes(record.text for record in (*starts, *ends, *(set(notes) - set(open_notes))))
    of_memories = _bytes(text for said in memories for text in (said.text, said.why, *said.rejected))
    archived = "kept until forgotten; archived when superseded or long unused"
    supported = "shown while the sessions behind them support them"
    return (
        Layer("session notes", len(open_notes), of_notes, "shown until their session ends"),
        Layer("sessions", len(starts), of_sessions, "kept; older ones are shown only as a summary"),
        Layer("memories", len(memories), of_memories, archived),
        Layer("facts learnt from sessions", len(learned), 0, supported),
    )


def _bytes(texts: Iterable[str]) -> int:
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)


def _ages(memories: Iterable[Memory], now: str) -> dict[str, int]:
    """How many were recorded in each span, each counted once."""
    counts = dict.fromkeys([*(name for name, _ in AGES), "older"], 0)
    for each in memories:
        days = days_between(each.origin.at, now)
        counts[next((name for name, most in AGES if days <= most), "older")] += 1
    return counts


def _use(memories: Mapping[str, Memory], uses: Mapping[str, MemoryUse]) -> Use:
    accesses = [uses.get(name, MemoryUse()) for name in memories]
    shown = sum(use.accesses > 0 for use in accesses)
    return Use(
        shown=shown,
        times=sum(use.accesses for use in accesses),
        never_shown=len(memories) - shown,
        confirmed=sum(bool(each.confirmed) for each in memories.values()),
        last=max((use.recalled for use in accesses), default="")[:10],
    )


def _bloat(memories: Mapping[str, Memory]) -> Bloat:
    """Those that share nine of ten words with an older one of any kind."""
    texts = {name: memory_text(each.said) for name, each in memories.items()}
    repeated = {later for earlier, later in candidate_pairs(texts) if overlap(texts[earlier], texts[later])}
    return Bloat(len(repeated), round(len(repeated) / len(memories), 4) if memories else 0.0)
