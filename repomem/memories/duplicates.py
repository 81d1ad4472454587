"""A new memory that repeats a known one: finds that, confirms it, and says which given options it lacks."""

from collections.abc import Iterable, Mapping, Sequence

from repomem.core.records import Event, Memory, MemoryContent, Origin, Source
from repomem.memories.amend import is_said_again
from repomem.memories.new_memory import NewMemory, RememberResult
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.memories.status import SAID_AGAIN, Status, is_everywhere, is_only_proposed, is_trusted
from repomem.memories.wording import is_same
from repomem.workspace.ledger import append_records, record_draft
from repomem.workspace.workspace import Workspace


def same_memory(known: Mapping[str, Memory], said: MemoryContent, origin: Origin) -> str:
    """The id of a known memory with this content, else of one that it says again; empty if there is none."""
    names = sorted(known)
    same = next((name for name in names if is_same(known[name].said, said)), "")
    return same or next((name for name in names if is_said_again(known[name], said, origin)), "")


def contested_by(known: MemorySnapshot, superseded: Iterable[str], successor: Memory) -> tuple[str, ...]:
    """Of the memories to supersede, those that the successor only proposes to replace."""
    return tuple(name for name in superseded if is_only_proposed(known.states[name].memory, successor, known.history))


def repeated(
    workspace: Workspace, known: MemorySnapshot, same: str, superseded: Sequence[str], new: NewMemory, origin: Origin
) -> RememberResult:
    """A duplicate is not stored again; a person's duplicate confirms the memory."""
    state = known.states[same]
    memory, others = state.memory, [old for old in superseded if old != same]
    events = [record_draft(Event.SUPERSEDE, old, other=memory.id) for old in others]
    if not memory.confirmed and is_said_again(memory, memory.said, origin):
        events.append(record_draft(Event.CONFIRM, memory.id, text=SAID_AGAIN))
    is_unconfirmed = state.status is Status.PROVISIONAL or not is_trusted(memory, known.history)
    if is_unconfirmed and origin.source is Source.PERSON:
        events.append(record_draft(Event.CONFIRM, memory.id))
    if new.is_pinned and not memory.pinned:
        events.append(record_draft(Event.PIN, memory.id))
    if events:
        append_records(workspace, origin, *events)
    is_confirmed = any(event is Event.CONFIRM for event, *_ in events)
    contested = () if is_confirmed else contested_by(known, others, memory)
    replaced = tuple(name for name in others if name not in contested)
    return RememberResult(
        "duplicate",
        memory.id,
        memory.said,
        memory.origin,
        replaced,
        contested,
        is_everywhere=applies_everywhere(memory),
        is_pinned=new.is_pinned,
    )


def unapplied_options(known: MemorySnapshot, memory: Memory, new: NewMemory, said: MemoryContent) -> tuple[str, ...]:
    """The options of `new` that a known memory with the same text lacks."""
    old = memory.said
    places = {(each.path, each.symbol) for each in old.anchors}
    lacking = {
        "--on": bool(new.on) and any((each.path, each.symbol) not in places for each in said.given),
        "--why": bool(said.why) and said.why != old.why,
        "--rejected": not set(said.rejected) <= set(old.rejected),
        "--importance": new.importance not in {None, old.importance},
        "--private": new.is_private and not (memory.id in known.mine or is_private(known, [memory.id])),
    }
    return tuple(option for option, is_lacking in lacking.items() if is_lacking)


def is_private(known: MemorySnapshot, names: Sequence[str]) -> bool:
    """Whether one of these memories is never synced."""
    return any(record.is_private and record.id in names for record in known.records)


def applies_everywhere(memory: Memory) -> bool:
    """Whether it applies on every branch, or in every repository."""
    return is_everywhere(memory) or not (memory.origin.head or memory.origin.branch)
