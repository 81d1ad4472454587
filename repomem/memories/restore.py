"""Undo decisions about a memory: single records, or restore a hidden one until it is purged.

Nothing is deleted: an UNDO record names the record that no longer counts, and for which memories. A later record of the
same kind counts again.
"""

from collections.abc import Iterable

from repomem.core.errors import NotFound, RepomemError, ambiguous
from repomem.core.records import UNDOABLE, Event, Memory, Record, Source
from repomem.core.text.escape import one_line, visible
from repomem.core.types.text import CleanText
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.memories.status import Status
from repomem.workspace.ledger import Speaker, append_records, origin_of, record_draft
from repomem.workspace.workspace import Workspace


def undo(workspace: Workspace, made: Iterable[Record], speaker: Speaker) -> None:
    """Take back records that a command has just made; others than those of UNDOABLE are left."""
    drafts = [
        record_draft(Event.UNDO, *each.targets, other=each.id, text=CleanText(each.event.value))
        for each in made
        if each.event in UNDOABLE
    ]
    if drafts:
        append_records(workspace, origin_of(workspace, speaker), *drafts)


def restore(workspace: Workspace, known: MemorySnapshot, wanted: str, speaker: Speaker) -> Memory:
    """Restore a memory that was forgotten, archived or grouped, or reopen a thread that was done.

    One that was grouped is never grouped again.

    Raises NotFound if none has that id or prefix, RepomemError if an agent would restore what a person forgot.
    """
    memory = _hidden_memory(known, wanted)
    if memory.is_forgotten:
        _restore_forgotten(workspace, known, memory, speaker)
        return memory
    if memory.archived or memory.grouped_under:
        append_records(workspace, origin_of(workspace, speaker), record_draft(Event.RESTORE, memory.id))
    if known.states[memory.id].status is Status.DONE:
        _undo_for(workspace, memory, Event.DONE, [each.record for each in memory.done], speaker)
    return memory


def _restore_forgotten(workspace: Workspace, known: MemorySnapshot, memory: Memory, speaker: Speaker) -> None:
    forgets = [record for record in known.events if record.event is Event.FORGET and memory.id in record.targets]
    if not speaker.is_person and any(record.origin.source is Source.PERSON for record in forgets):
        raise RepomemError(
            "a person forgot this memory, so only a person may restore it", "let a person run repomem restore ID"
        )
    _undo_for(workspace, memory, Event.FORGET, [record.id for record in forgets], speaker)


def _undo_for(workspace: Workspace, memory: Memory, event: Event, made: Iterable[str], speaker: Speaker) -> None:
    """Undo the records of an event with these ids, for this memory alone."""
    drafts = [record_draft(Event.UNDO, memory.id, other=each, text=CleanText(event.value)) for each in made]
    append_records(workspace, origin_of(workspace, speaker), *drafts)


def _hidden_memory(known: MemorySnapshot, wanted: str) -> Memory:
    """The hidden memory that an id or a prefix of it means."""
    prefix = wanted.strip().upper()
    states = {name: one for name, one in known.states.items() if prefix and name.startswith(prefix)}
    found = {
        name: one.memory
        for name, one in states.items()
        if one.memory.archived or one.memory.grouped_under or one.status is Status.DONE
    }
    found |= {each.id: each for each in known.forgotten if prefix and each.id.startswith(prefix)}
    if len(found) > 1:
        raise ambiguous(
            f"{prefix} matches {len(found)} hidden memories", [known.named(found[name]) for name in sorted(found)]
        )
    if found:
        return next(iter(found.values()))
    if states:
        name, one = next(iter(states.items()))
        short = known.short_id(name)
        if one.is_denied:
            raise NotFound(f"{short} was denied by a person", f"repomem confirm {short} shows it again")
        reason = f"{short} is not forgotten, archived, grouped or done"
        raise NotFound(reason, "repomem restore lists what can be restored")
    name = one_line(visible(wanted), 40)
    raise NotFound(
        f"no hidden memory has the id {name}", "repomem restore lists what can be restored; purged ones cannot"
    )
