"""Memories that wait for a person (contested, drifted, gone, changed, provisional), and the actions on memories."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from repomem.core.errors import RepomemError
from repomem.core.records import Event, MemoryKind, Record, Source
from repomem.core.types.text import CleanText
from repomem.core.ulid import new_ulid
from repomem.memories.anchors.locate import anchor_at
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.memories.status import MemoryState, Status, is_confirmed, is_trusted
from repomem.workspace.ledger import (
    Speaker,
    append_records,
    check_is_person,
    ledger_of,
    origin_of,
    record_draft,
    with_work_tree,
)
from repomem.workspace.workspace import Workspace

BY_REVIEW = "let a person run repomem review on a terminal"


@dataclass(frozen=True, slots=True)
class PendingReview:
    """A memory that waits for a person, and why."""

    state: MemoryState
    why: str  # contested, provisional, drifted, gone, changed
    later: str = ""  # the memory that seems to change it

    @property
    def proposed(self) -> str:
        """The memory that may replace it; empty if none."""
        return self.state.contested_by or self.later


def reason_of(one: MemoryState) -> str:
    """Why a memory is provisional or gone, if its state names no event; else empty."""
    match one.status:
        case Status.PROVISIONAL if one.memory.origin.source is Source.AGENT:
            return "an agent recorded it, and no person has confirmed it"
        case Status.PROVISIONAL:
            return "no person has confirmed it"
        case Status.GONE:
            return "its code was deleted"
    return ""


def pending_reviews(known: MemorySnapshot, changed: Mapping[str, str] = MappingProxyType({})) -> list[PendingReview]:
    """The memories to review, most misleading first: contested, drifted, gone, changed, provisional; then by id.

    `changed` has memories with a later one that seems to change them.
    """
    order = {"contested": 0, "drifted": 1, "gone": 2, "changed": 3, "provisional": 4}
    waiting = known.outlines.where(review_reason=bool)
    reasons = dict(zip(waiting, waiting.field("review_reason"), strict=True))
    pending = [
        PendingReview(known.states[name], reasons.get(name, "changed"), changed.get(name, ""))
        for name in reasons.keys() | changed.keys()
    ]
    return sorted(pending, key=lambda each: (order[each.why], each.state.memory.id))


def confirm(workspace: Workspace, names: Iterable[str], speaker: Speaker) -> list[Record]:
    """Confirm memories, and give the records. Raises RepomemError for an agent: agents propose, persons confirm."""
    check_is_person(speaker, "confirm memories", BY_REVIEW)
    return append_records(workspace, origin_of(workspace, speaker), record_draft(Event.CONFIRM, *names))


def contradict(
    workspace: Workspace, known: MemorySnapshot, names: Iterable[str], why: CleanText, speaker: Speaker
) -> None:
    """Record that memories are not true. Raises RepomemError without a reason, or if an agent denies a trusted one."""
    if not why:
        raise RepomemError("--deny needs a reason", 'repomem confirm --deny "why it is wrong" ID')
    denied = list(dict.fromkeys(names))
    for name in denied:
        _check_may_deny(known, name, speaker)
    append_records(workspace, origin_of(workspace, speaker), record_draft(Event.CONTRADICT, *denied, text=why))


def _check_may_deny(known: MemorySnapshot, name: str, speaker: Speaker) -> None:
    memory = known.states[name].memory
    if speaker.is_person or not is_trusted(memory, known.history):
        return
    short = known.short_id(name)
    if memory.origin.source is Source.PERSON:
        reason = "a person recorded it"
    else:
        reason = "it is confirmed" if is_confirmed(memory, known.history) else "its code has survived ten commits"
    raise RepomemError(
        f"an agent cannot deny {short}: {reason}",
        f"propose a replacement: repomem remember --supersedes {short} TEXT",
    )


def reanchor(workspace: Workspace, one: MemoryState, speaker: Speaker) -> list[Record]:
    """Anchor a memory to its code as it is now, which confirms it; anchors without code are dropped.

    The first record has the anchors.
    """
    check_is_person(speaker, "attach memories to code again", BY_REVIEW)
    if not one.memory.said.anchors:
        raise RepomemError("this memory is not attached to any code", "confirm it, or forget it")
    located = [each for each in one.locations if each.path]
    anchors = tuple(anchor_at(workspace, each.path, each.symbol) for each in located)
    if not anchors:
        raise RepomemError("all of its code was deleted", "forget the memory, or write a new one: repomem remember")
    name, origin = one.memory.id, origin_of(workspace, speaker)

    def make(before: list[Record]) -> list[Record]:
        first = Record(new_ulid(before[-1].id), Event.ANCHOR, origin, (name,), anchors=anchors)
        return [first, Record(new_ulid(first.id), Event.CONFIRM, origin, (name,))]

    return ledger_of(workspace).append(make)


def close_threads(
    workspace: Workspace, known: MemorySnapshot, names: Sequence[str], note: CleanText, speaker: Speaker
) -> list[Record]:
    """Close threads, and give the records that close those that were still open: by whom, when, at which commit.

    Raises RepomemError, closing none, if one is not a thread. Agents may close a person's threads, since they do the
    work; the record names them.
    """
    for name in names:
        kind, short = known.said(name).kind, known.short_id(name)
        if kind is not MemoryKind.THREAD:
            raise RepomemError(
                f"{short} is a {kind.value}, but only an open thread can be closed",
                f"replace it: repomem remember --supersedes {short} TEXT, or forget it: repomem forget {short}",
            )
    closed = [name for name in dict.fromkeys(names) if known.states[name].status is not Status.DONE]
    if not closed:
        return []
    origin = with_work_tree(workspace, origin_of(workspace, speaker))
    return append_records(workspace, origin, record_draft(Event.DONE, *closed, text=note))
