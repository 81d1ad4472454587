"""A stored snapshot plus the memories written since, so that the usual change of a ledger needs no new snapshot."""

from collections.abc import Sequence
from dataclasses import replace

from repomem.adapters.ledger.fold import memories_of
from repomem.core.records import Event, MemoryKind, Record
from repomem.memories.anchors.live_files import LiveFiles
from repomem.memories.snapshots.anchor_locations import locations_of
from repomem.memories.snapshots.landed_work import with_landed_work
from repomem.memories.snapshots.stored_snapshot import LedgerState, StoredSnapshot, subject_key
from repomem.memories.status import memory_states
from repomem.workspace.ledger import ledger_of
from repomem.workspace.workspace import Workspace

MOST_APPENDED = 200  # records; with more, a new snapshot is stored


def brought_up(
    workspace: Workspace, files: LiveFiles, stored: StoredSnapshot, ledgers: LedgerState
) -> StoredSnapshot | None:
    """The stored snapshot with the memories written since; None if anything else was, or they change another memory."""
    if stored.ledgers.stamp == ledgers.stamp:
        return stored
    if stored.ledgers.others != ledgers.others:
        return None
    records = ledger_of(workspace).appended(stored.ledgers.marks)
    if not records or len(records) > MOST_APPENDED or not _only_add(records, files, stored):
        return None
    memories = memories_of(records)
    history = replace(stored.history, ancestors=stored.history.ancestors | {files.head} - {""})
    locations, _ = locations_of(workspace, files, memories, history, {}, is_kept=True)
    added = with_landed_work(workspace, files, memories, locations, history, stored.records.events)
    history = replace(
        added,
        landings={**history.landings, **added.landings},
        reverted={**history.reverted, **added.reverted},
        lived=history.lived | added.lived,
    )
    states = stored.states.plus(memory_states(memories, locations, history))
    return replace(stored, states=states, records=stored.records.plus(records), history=history)


def _only_add(records: Sequence[Record], files: LiveFiles, stored: StoredSnapshot) -> bool:
    """Whether records are new memories of this user, of the current commit, without a bearing on any other memory."""
    subjects = [subject_key(each) for each in memories_of(records).values()]
    valued = [subject for subject in subjects if subject]
    return (
        all(_is_plain(record, files) for record in records)
        and records[0].id > stored.records.ids[-1]
        and len(set(valued)) == len(valued)
        and stored.subjects.isdisjoint(valued)
        and not {files.head} & {*stored.history.rewrites, *stored.history.joins}
    )


def _is_plain(record: Record, files: LiveFiles) -> bool:
    """Whether it is a memory of this user and the current commit, and no thread, which later work may close."""
    is_memory = record.event is Event.REMEMBER and record.said and record.said.kind is not MemoryKind.THREAD
    return bool(is_memory) and not record.origin.writer and record.origin.head == files.head
