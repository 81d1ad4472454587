"""One memory expanded: all that was said, where its code is now, and every record that made it what it is."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from repomem.core.errors import NotFound
from repomem.core.records import Anchor, Event, Memory, Record
from repomem.core.types import SHORT_HASH
from repomem.core.ulid import is_ulid_prefix
from repomem.memories.at_head import Remembered
from repomem.memories.status import Placed, Seen, Standing, is_everywhere

DEEDS = {
    Event.REMEMBER: "said",
    Event.SUPERSEDE: "superseded",
    Event.CONFIRM: "confirmed",
    Event.CONTRADICT: "denied",
    Event.ANCHOR: "anchored again",
    Event.FORGET: "forgotten",
    Event.ARCHIVE: "archived",
    Event.RESTORE: "restored",
    Event.GROUP: "grouped",
}


@dataclass(frozen=True, slots=True)
class ShownAnchor:
    """An anchor, and its code as it is now."""

    anchor: Anchor
    placed: Placed | None  # None: nobody looked, since the memory is archived


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing that was done with a memory."""

    what: str
    at: str
    by: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class ShownMemory:
    """A memory whole. `seen` says where it is seen: here, staged, tried or not yet."""

    standing: Standing
    where: str
    anchors: tuple[ShownAnchor, ...]
    deeds: tuple[Deed, ...]
    group: tuple[str, ...] = ()  # the texts of those that are shown by it

    @property
    def memory(self) -> Memory:
        """The memory itself."""
        return self.standing.memory


def means_memory(known: Remembered, wanted: str) -> bool:
    """Whether an id can only be meant as a memory's: it is written like one, and one has it."""
    prefix = wanted.upper()
    return is_ulid_prefix(wanted) and any(name.startswith(prefix) for name in known.standings)


def show_memory(known: Remembered, name: str) -> ShownMemory:
    """The memory of that id. NotFound where it was forgotten."""
    one = known.standings.get(name)
    if one is None:
        raise NotFound(f"{name} is no memory", "repomem log --memories lists them")
    placed = {each.anchor: each for each in one.placed}
    anchors = tuple(ShownAnchor(anchor, placed.get(anchor)) for anchor in one.memory.said.anchors)
    support = (known.standings[each].memory.said.text for each in one.memory.support if each in known.standings)
    return ShownMemory(one, _where(one), anchors, tuple(_deeds(known.records, name)), tuple(support))


def _where(one: Standing) -> str:
    """Where it is seen, in words."""
    branch, head = one.memory.origin.branch, one.memory.origin.head[:SHORT_HASH]
    on = f"on branch {branch}" if branch else f"on {head}"
    match one.seen:
        case Seen.HERE:
            return "everywhere" if is_everywhere(one.memory) else f"here; said {on} at {head or 'no commit'}"
        case Seen.STAGED:
            return f"staged {on} at {head}, not merged here"
        case Seen.TRIED:
            return f"tried {on} at {head}, not merged"
        case Seen.NOT_YET:
            return "not said yet"


def _deeds(records: Iterable[Record], name: str) -> Iterator[Deed]:
    for record in records:
        if record.event in DEEDS and (record.id == name or name in record.targets):
            other = f"by {record.other[:10]}" if record.other else ""
            yield Deed(DEEDS[record.event], record.origin.at, _by(record), record.text or other)
        elif record.event is Event.SUPERSEDE and record.other == name:
            yield Deed(
                f"took the place of {', '.join(each[:10] for each in record.targets)}", record.origin.at, _by(record)
            )


def _by(record: Record) -> str:
    brought = f", brought by writer {record.origin.writer}" if record.origin.writer else ""
    return f"{record.origin.author} ({record.origin.source.value}{brought})"
