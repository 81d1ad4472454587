"""Cached memories at one revision: a file for each worktree, if the ledger is large.

It is valid for one state of the ledger, the worktree and the branches, whose digest it contains, and is rebuilt for
any other; only memories written since are added to it, so that the usual change of a ledger needs no new snapshot.
States are decoded on access.
"""

import json
import os
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any

from repomem.adapters.ledger.file import size_of
from repomem.adapters.ledger.fold import memories_of
from repomem.adapters.ledger.ledger import Ledger
from repomem.adapters.ledger.lines import line_of, record_of_line
from repomem.core.digests import short_digest
from repomem.core.packed_file import read_packed, write_packed
from repomem.core.records import Event, Memory, MemoryContent, MemoryKind, Record
from repomem.memories.anchors.live_files import LiveFiles
from repomem.memories.history_facts import HistoryFacts
from repomem.memories.snapshots.anchor_locations import locations_of
from repomem.memories.snapshots.memory_outlines import MemoryOutlines, outlines_of_sections, sections_of
from repomem.memories.snapshots.same_value import subject_of
from repomem.memories.snapshots.state_json import history_of_row, history_row, row_of, said_of_row, state_of_row
from repomem.memories.snapshots.trusted_work import with_landed_work
from repomem.memories.status import MemoryState, memory_states
from repomem.workspace.ledger import ledger_of

FOLDER = "memories"  # in a clone's folder; its files are rebuilt if lost
FORMAT = 13
EVENTS = frozenset(  # of the other records that answers read
    [Event.SESSION_START, Event.SESSION_NOTE, Event.SESSION_END, Event.PROFILE, Event.FORGET]
)
FEWEST = 500  # memories; of fewer a snapshot is made in less time than this file takes
LARGE = 1 << 18  # bytes of the ledger's copies; fewer than FEWEST memories take less
MOST_APPENDED = 200  # records; with more, a new snapshot is stored


class StoredStates(Mapping[str, MemoryState]):
    """The states of memories by id, each decoded when it is asked for."""

    def __init__(self, outlines: MemoryOutlines, rows: memoryview, ends: Sequence[int]) -> None:
        self.outlines = outlines
        self._rows = rows
        self._ends = ends  # of each row
        self._found: dict[str, MemoryState] = {}

    def plus(self, states: Mapping[str, MemoryState]) -> "StoredStates":
        """These and further states."""
        more = StoredStates(self.outlines.plus(states), self._rows, self._ends)
        more._found = dict(states)
        return more

    def __getitem__(self, name: str) -> MemoryState:
        if name not in self._found:
            self._found[name] = state_of_row(self._row(name))
        return self._found[name]

    def said(self, name: str) -> MemoryContent:
        """What a memory says."""
        return self._found[name].memory.said if name in self._found else said_of_row(self._row(name))

    def _row(self, name: str) -> bytes:
        at = self.outlines.row_of[name]  # all outlines of a snapshot are in the order of its rows
        return bytes(self._rows[self._ends[at - 1] if at else 0 : self._ends[at]])

    def __iter__(self) -> Iterator[str]:
        return iter(self.outlines)

    def __len__(self) -> int:
        return len(self.outlines)


class StoredRecords(Sequence[Record]):
    """The records behind them: ids and those of EVENTS at once, all when they are asked for."""

    def __init__(self, ids: list[str], newest: str, lines: memoryview, read: Callable[[], Sequence[Record]]) -> None:
        self.ids = ids
        self.newest = newest
        self._lines = lines
        self._read = read

    def plus(self, records: Sequence[Record]) -> "StoredRecords":
        """These and further records, which are later."""
        ids = [*self.ids, *(record.id for record in records)]
        newest = max(self.newest, *(record.origin.at for record in records))
        return StoredRecords(ids, newest, self._lines, self._read)

    @cached_property
    def events(self) -> Sequence[Record]:
        """Those of EVENTS."""
        return list(map(record_of_line, bytes(self._lines).splitlines()))

    @cached_property
    def _all(self) -> Sequence[Record]:
        known = set(self.ids)
        return [record for record in self._read() if record.id in known]  # others were written since

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, at: Any) -> Any:  # as a list
        return self._all[at]


@dataclass(frozen=True, slots=True)
class SnapshotParts:
    """The part of a snapshot of memories that is stored."""

    states: Mapping[str, MemoryState]
    records: Sequence[Record]
    history: HistoryFacts
    mine: frozenset[str]  # ids of the user's own memories, which apply in every repository


@dataclass(frozen=True, slots=True)
class LedgerState:
    """A key of the state of the ledgers."""

    stamp: str  # of everything
    others: str  # the same without the repository's own ledger
    marks: Sequence[Sequence[int]] = ()  # see `Ledger.marks`


@dataclass(frozen=True, slots=True)
class StoredSnapshot(SnapshotParts):
    """A snapshot as stored, the ledgers from which it was made, and the subjects that its memories give values to."""

    states: StoredStates
    records: StoredRecords
    ledgers: LedgerState
    subjects: frozenset[str]


def may_be_stored(ledger: Ledger) -> bool:
    """Whether a ledger is so large that its memories may be stored; reads no copy."""
    return sum(map(size_of, ledger.folders)) >= LARGE


def are_many(count: int) -> bool:
    """Whether there are enough memories for a file."""
    return count >= FEWEST


def key_of(*parts: object) -> str:
    """A digest of everything that a snapshot depends on."""
    return short_digest(json.dumps([FORMAT, *parts], default=str), 16)


def file_for(folder: Path, root: str) -> Path:
    """The file of a worktree."""
    return folder / FOLDER / short_digest(os.fsencode(root))


def read_parts(path: Path, key: str, read: Callable[[], Sequence[Record]]) -> StoredSnapshot | None:
    """The snapshot stored for a key; None if missing or damaged. `read` gives the ledger's records."""
    with suppress(ValueError, KeyError, TypeError):
        sections = read_packed(path)
        if sections and bytes(sections["key"]).decode() == key:
            ids, newest, mine, ledgers, subjects = json.loads(bytes(sections["ids"]))
            return StoredSnapshot(
                StoredStates(outlines_of_sections(sections), sections["states"], sections["ends"].cast("Q")),
                StoredRecords(ids, newest, sections["events"], read),
                history_of_row(bytes(sections["history"])),
                frozenset(mine),
                LedgerState(*ledgers),
                frozenset(subjects),
            )
    return None


def with_new_memories(files: LiveFiles, stored: StoredSnapshot, ledgers: LedgerState) -> StoredSnapshot | None:
    """The stored snapshot with the memories written since; None if anything else was, or they change another memory."""
    if stored.ledgers.stamp == ledgers.stamp:
        return stored
    if stored.ledgers.others != ledgers.others:
        return None
    records = ledger_of(files.workspace).appended(stored.ledgers.marks)
    if not records or len(records) > MOST_APPENDED or not _only_add(records, files, stored):
        return None
    memories = memories_of(records)
    history = replace(stored.history, ancestors=stored.history.ancestors | {files.head} - {""})
    locations, _ = locations_of(files, memories, history, {}, is_kept=True)
    added = with_landed_work(files, memories, locations, history, stored.records.events)
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


def store_parts(
    path: Path, key: str, made: SnapshotParts, ledgers: LedgerState, is_current: Callable[[], bool]
) -> None:
    """Store a snapshot for a key, where that is possible, unless the ledger has changed meanwhile."""
    ids, newest = [record.id for record in made.records], max(record.origin.at for record in made.records)
    events = b"".join(line_of(record) for record in made.records if record.event in EVENTS)
    subjects = sorted({subject_key(one.memory) for one in made.states.values()} - {""})
    about = [ids, newest, sorted(made.mine), [ledgers.stamp, ledgers.others, ledgers.marks], subjects]
    rows = list(map(row_of, made.states.values()))
    sections = {
        "key": key.encode(),
        "ids": json.dumps(about).encode(),
        **sections_of(MemoryOutlines.of(made.states)),
        "states": b"".join(rows),
        "ends": array("Q", accumulate(map(len, rows))).tobytes(),
        "events": events,
        "history": history_row(made.history),
    }
    store_packed(path, sections, is_current)


def subject_key(memory: Memory) -> str:
    """A digest of the subject of a memory's value; empty if it has none."""
    subject = subject_of(memory.said)
    return short_digest(repr(subject)) if subject else ""


def store_packed(path: Path, sections: Mapping[str, bytes], is_current: Callable[[], bool]) -> None:
    """Store sections of memories, where that is possible, unless the ledger has changed meanwhile."""
    with suppress(OSError):
        write_packed(path, sections)
        for draft in path.parent.glob(f"{path.name}.*"):  # of a killed process; a living one does without its file
            draft.unlink(missing_ok=True)
        if not is_current():  # a purge must leave no trace of the purged memory
            path.unlink(missing_ok=True)
