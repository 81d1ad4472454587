"""One memory in full: its content, where its code is now, and its history of records."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from repomem.core.errors import NotFound
from repomem.core.records import Anchor, Event, Memory, Origin, Record, Source
from repomem.core.types.commits import short_hash
from repomem.core.ulid import is_ulid_prefix
from repomem.memories.history_facts import HistoryFacts, recorded_at
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.memories.status import (
    AnchorLocation,
    MemoryState,
    Status,
    Visibility,
    is_everywhere,
    is_only_proposed,
    is_trusted,
)

ACTIONS = {
    Event.REMEMBER: "recorded",
    Event.SUPERSEDE: "superseded",
    Event.CONFIRM: "confirmed",
    Event.CONTRADICT: "denied",
    Event.ANCHOR: "anchored again",
    Event.DONE: "done",
    Event.FORGET: "forgotten",
    Event.UNDO: "undone",
    Event.ARCHIVE: "archived",
    Event.RESTORE: "restored",
    Event.GROUP: "grouped",
    Event.PIN: "pinned",
    Event.UNPIN: "unpinned",
}
UNDONE = {Event.DONE.value: "reopened", Event.FORGET.value: "restored"}  # by the event that was undone


@dataclass(frozen=True, slots=True)
class ShownAnchor:
    """An anchor, and where its code is now."""

    anchor: Anchor
    location: AnchorLocation | None  # None: not located, because the memory is archived


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """Something that happened to a memory."""

    what: str  # recorded, confirmed, drifted, shown, …
    at: str  # YYYY-MM-DDTHH:MM:SSZ
    by: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class ShownMemory:
    """A memory in full; `where` describes where it is visible."""

    state: MemoryState
    short_id: str
    where: str
    anchors: tuple[ShownAnchor, ...]
    history: tuple[HistoryEntry, ...]
    replaces: tuple[tuple[str, str], ...] = ()  # short id and text of each memory that it replaced, newest first
    replaced_by: tuple[tuple[str, str], ...] = ()  # the same of those that replaced it
    proposed: tuple[tuple[str, str], ...] = ()  # the same of the one that an agent proposes instead
    changed_by: tuple[tuple[str, str], ...] = ()  # the same of the one that seems to change it
    later: str = ""  # the whole id of that
    contests: tuple[tuple[str, str], ...] = ()  # the same of those that it is proposed for
    hidden: str = ""  # why no brief shows it, though it applies here
    session: tuple[str, str] = ("", "")  # short id and goal of the session that it comes from
    group: tuple[str, ...] = ()  # texts of the memories grouped under it

    @property
    def memory(self) -> Memory:
        """The memory itself."""
        return self.state.memory


def means_memory(known: MemorySnapshot, wanted: str) -> bool:
    """Whether this is the id, or a prefix of the id, of a memory."""
    prefix = wanted.upper()
    return is_ulid_prefix(wanted) and any(name.startswith(prefix) for name in known.states)


def show_memory(known: MemorySnapshot, name: str, later: str = "") -> ShownMemory:
    """The memory of that id, with a `later` one that seems to change it. NotFound if it is unknown or forgotten."""
    if name not in known.states:
        raise NotFound(f"no memory has the id {name}", "repomem memories --all lists them")
    return replace(_shown(known, name, lambda _: known.records), changed_by=tuple(_named(known, [later])), later=later)


def show_memories(known: MemorySnapshot) -> Iterator[ShownMemory]:
    """Every memory that was not forgotten, in the order of their ids; reads the records once for all."""
    about: dict[str, list[Record]] = defaultdict(list)
    for record in known.records:
        for name in {record.id, record.other, *record.targets}:
            about[name].append(record)
    return (_shown(known, name, lambda wanted: about[wanted]) for name in sorted(known.states))


def _shown(known: MemorySnapshot, name: str, about: Callable[[str], Iterable[Record]]) -> ShownMemory:
    """A memory; `about` gives the records about an id, and maybe others."""
    one = known.states[name]
    located = zip_longest(one.memory.said.anchors, one.locations)  # archived memories have no locations
    anchors = tuple(ShownAnchor(anchor, place) for anchor, place in located if anchor)
    support = (known.said(each).text for each in one.memory.support if each in known.states)
    session = one.memory.origin.session
    start = next((each for each in about(session) if each.id == session), None) if session else None
    return ShownMemory(
        one,
        known.short_id(name),
        _where(one, known.history),
        anchors,
        tuple(_history(known, about(name), name)),
        replaces=tuple(_chain(known, name, _replaced)),
        replaced_by=tuple(_chain(known, name, _successors)),
        proposed=tuple(_named(known, [one.contested_by])),
        contests=tuple(_named(known, [each for each in one.memory.supersedes if _is_proposed(known, each, name)])),
        hidden=_hidden(known, one),
        session=(known.short_id(session), start.text) if start else ("", ""),
        group=tuple(support),
    )


def _successors(known: MemorySnapshot, one: MemoryState) -> Sequence[str]:
    return [name for name in one.memory.superseded_by if not _is_proposed(known, one.memory.id, name)]


def _replaced(known: MemorySnapshot, one: MemoryState) -> Sequence[str]:
    return [name for name in one.memory.supersedes if not _is_proposed(known, name, one.memory.id)]


def _is_proposed(known: MemorySnapshot, old: str, new: str) -> bool:
    """Whether a memory is only proposed to replace another: no person has decided on it."""
    states = known.states
    return old in states and new in states and is_only_proposed(states[old].memory, states[new].memory, known.history)


def _named(known: MemorySnapshot, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    return ((known.short_id(each), known.said(each).text) for each in names if each in known.states)


def _hidden(known: MemorySnapshot, one: MemoryState) -> str:
    """Why briefs leave out a memory that applies here; empty if they do not."""
    if one.is_shown or one.visibility is not Visibility.HERE:
        return ""
    by = f" by {short_hash(one.commit)}" if one.commit else ""
    match one.status:
        case Status.GONE:
            return f"its code was deleted{by}"
        case Status.SUPERSEDED | Status.DONE:
            return one.status.value
    if one.memory.grouped_under:
        return f"grouped under {known.short_id(one.memory.grouped_under)}"
    return "a person denied it" if one.is_denied else "archived"


def _chain(
    known: MemorySnapshot, name: str, following: Callable[[MemorySnapshot, MemoryState], Sequence[str]]
) -> Iterator[tuple[str, str]]:
    """The memories before or after this one, the nearest first, each once."""
    waiting, seen = [name], {name}
    while waiting:
        for each in following(known, known.states[waiting.pop(0)]):
            if each in known.states and each not in seen:
                seen.add(each)
                waiting.append(each)
                yield known.short_id(each), known.said(each).text


def _where(one: MemoryState, history: HistoryFacts) -> str:
    """Where it is visible, in words."""
    branch, head = one.memory.origin.branch, short_hash(one.memory.origin.head)
    on = f"on branch {branch}" if branch else f"on {head}"
    match one.visibility:
        case Visibility.HERE:
            if not (branch or head):
                return "in every repository"
            return "everywhere" if is_everywhere(one.memory) else f"here; written {on} at {head or 'no commit'}"
        case Visibility.UNMERGED:
            return f"recorded {on} {recorded_at(one.memory, history)}, not merged here"
        case Visibility.ABANDONED:
            return f"recorded {on} {recorded_at(one.memory, history)}, which is not merged here"
        case Visibility.NOT_YET:
            return "not written yet"


def _history(known: MemorySnapshot, records: Iterable[Record], name: str) -> Iterator[HistoryEntry]:
    for record in records:
        proposed = [each for each in record.targets if _was_proposed(known, record, each)]
        if record.event in ACTIONS and (record.id == name or name in record.targets):
            other = known.short_id(record.other) if record.other else ""
            if name in proposed:
                yield HistoryEntry("replacement proposed", record.origin.at, _by(record.origin), record.text or other)
                yield from _taken(known, record.other, name)
                continue
            what, text = ACTIONS[record.event], record.text or (other and f"by {other}")
            if record.event is Event.UNDO and text in UNDONE:
                what, text = UNDONE[text], ""
            yield HistoryEntry(what, record.origin.at, _by(record.origin), text)
        elif record.event is Event.SUPERSEDE and record.other == name:
            replaced = [each for each in record.targets if each not in proposed]
            for what, targets in (("proposed to replace", proposed), ("superseded", replaced)):
                if targets:
                    named = ", ".join(map(known.short_id, targets))
                    yield HistoryEntry(f"{what} {named}", record.origin.at, _by(record.origin))


def _was_proposed(known: MemorySnapshot, record: Record, old: str) -> bool:
    """Whether a record only proposed to replace a memory, also if a person has confirmed the new one since."""
    if record.event is not Event.SUPERSEDE or old not in known.states:
        return False
    is_for_person = record.origin.source is Source.AGENT and is_trusted(known.states[old].memory, known.history)
    return is_for_person or _is_proposed(known, old, record.other)


def _taken(known: MemorySnapshot, new: str, old: str) -> Iterator[HistoryEntry]:
    """The confirmation by which a person accepted a proposed replacement."""
    accepted = known.states[new].memory.confirmed if new in known.states and not _is_proposed(known, old, new) else ()
    for mark in accepted[:1]:
        yield HistoryEntry("superseded", mark.origin.at, _by(mark.origin), f"by {known.short_id(new)}")


def _by(origin: Origin) -> str:
    synced = f", synced from writer {origin.writer}" if origin.writer else ""
    source = origin.source.value
    by = "" if source == origin.author else f" ({source}{synced})"
    return f"{origin.author}{by or synced}"
