"""Forget a memory (a tombstone keeps the record) or purge it (every byte is erased).

The purge record is in the ledger before anything is erased, so the next writer completes an interrupted purge.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from repomem.adapters.ledger.ledger import Ledger
from repomem.adapters.ledger.ref import clear
from repomem.core.disk_errors import store_errors
from repomem.core.errors import RepomemError, StoreError, ambiguous
from repomem.core.files import delete_files_in
from repomem.core.processes.locks import try_lock, write_lock
from repomem.core.records import Event, Memory, Record, purged_in
from repomem.core.secrets.redact import rules_version
from repomem.core.types.text import NOTHING
from repomem.memories.consolidate.recall_counts import SPOOL
from repomem.memories.noise import NOISE
from repomem.memories.snapshots import stored_snapshot
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.memories.status import is_trusted
from repomem.memories.wording import same_text
from repomem.sessions.command_notes import SAID
from repomem.sessions.digest import notes_named
from repomem.sessions.lifecycle import sessions_in
from repomem.workspace import deliveries, reminder_cache
from repomem.workspace.data_folder import foreign_folders
from repomem.workspace.foreign_ledger import purge_foreign
from repomem.workspace.ledger import Speaker, append_records, ledger_of, origin_of, record_draft, records_here
from repomem.workspace.user.own_memories import own_ids, own_ledger
from repomem.workspace.workspace import SYNC, SYNC_LOCK, Workspace

LEDGER_RULES = "redaction of the ledger"  # catalog key: the version of the rules that last scanned the ledger
CAPTURED = frozenset({Event.REMEMBER, Event.SESSION_NOTE})  # whose `other` may be a key of a transcript
PURGES = "purges"  # catalog key: the number of purges that its caches reflect


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The result of forgetting one memory."""

    is_purged: bool
    mentions: int = 0  # other records that contain the text
    unwritten: tuple[Path, ...] = ()  # copies that could not be written; the next writer purges them
    records: tuple[Record, ...] = ()  # that hid it, to undo them; empty after a purge


def forget(
    workspace: Workspace,
    known: MemorySnapshot,
    name: str,
    speaker: Speaker,
    *,
    is_purge: bool = False,
    is_noise: bool = False,
) -> Forgotten:
    """Forget a memory, or erase it, forgotten or not; if it `is_noise`, similar texts are not captured again.

    Raises RepomemError if an agent would forget a memory that a person wrote or confirmed, erase a forgotten one,
    or mark one as noise.
    """
    one = known.states.get(name)
    memory = one.memory if one else next(each for each in known.forgotten if each.id == name)
    if memory.is_forgotten and not speaker.is_person:
        raise RepomemError("only a person may erase a forgotten memory", "let a person run it on a terminal")
    _check_may_change(memory, known, speaker)
    if is_noise and not speaker.is_person:
        raise RepomemError("only a person may mark a memory as noise", "forget it without --noise")
    if not is_purge:
        why = NOISE if is_noise else NOTHING
        made = append_records(workspace, origin_of(workspace, speaker), record_draft(Event.FORGET, name, text=why))
        return Forgotten(is_purged=False, records=tuple(made))
    own = own_ids()
    ledger = own_ledger() if name in own else ledger_of(workspace)
    here = [record for record in known.records if (record.id in own) == (name in own)]
    text = memory.said.text  # which other records repeat, such as the note that became the memory
    gone = [record for record in here if record.id == name or same_text(_words(record), text)]
    return _purged(workspace, ledger, gone, text, speaker)


def note_named(workspace: Workspace, known: MemorySnapshot, wanted: str) -> Record | None:
    """The note of a session that an id or a prefix means; None if it means none. NotFound if it means several ids."""
    notes = [note.id for _, note in notes_named(sessions_in(workspace), wanted)]
    if not notes:
        return None
    matching = [*(name for name in sorted(known.states) if name.startswith(wanted.upper())), *notes]
    if len(matching) > 1:
        raise ambiguous(f"{wanted} matches {len(matching)} memories and notes", [*map(known.short_id, matching)])
    return next(record for record in records_here(workspace) if record.id == notes[0])


def forget_note(workspace: Workspace, note: Record, speaker: Speaker, *, is_purge: bool = False) -> Forgotten:
    """Forget a note of a session, or erase it. Raises RepomemError if an agent would forget a person's words."""
    if not speaker.is_person and note.origin.author != note.origin.tool:
        raise RepomemError("a person wrote this, so only a person may forget it", "let a person run it on a terminal")
    if is_purge:
        return _purged(workspace, ledger_of(workspace), [note], _words(note), speaker)
    made = append_records(workspace, origin_of(workspace, speaker), record_draft(Event.FORGET, note.id))
    return Forgotten(is_purged=False, records=tuple(made))


def _purged(workspace: Workspace, ledger: Ledger, gone: Sequence[Record], text: str, speaker: Speaker) -> Forgotten:
    """Erase records with this text, and the keys of captured ones: else a capture reads them again."""
    keys = [record.other for record in gone if record.event in CAPTURED and record.other]
    is_done = ledger.purge([*(record.id for record in gone), *keys], origin_of(workspace, speaker))
    if workspace.is_writable:  # else the next writer does it, see finish_purges
        try:
            erase_caches(workspace)
        except StoreError as error:  # another process has locked the index: the error lists the finished steps
            hint = "run repomem index once no other process uses the index"
            raise StoreError(f"erased from the ledger, but still in the index: {error.message}", hint) from error
    left = sum(text in _words(record) for record in ledger.records())
    return Forgotten(True, left, () if is_done else ledger.folders)


def _check_may_change(memory: Memory, known: MemorySnapshot, speaker: Speaker) -> None:
    """Raises RepomemError if an agent would change a memory that a person wrote or confirmed."""
    if not speaker.is_person and is_trusted(memory, known.history) and memory.id not in known.history.lived:
        raise RepomemError(
            "a person wrote or confirmed this memory, so only a person may forget it",
            "let a person run it on a terminal, or propose a replacement: "
            f"repomem remember --supersedes {memory.id[:10]} TEXT",
        )


def finish_purges(workspace: Workspace, records: list[Record]) -> None:
    """Erase from this clone's caches the remains of an interrupted purge, or of another clone's."""
    count = str(sum(record.event is Event.PURGE for record in records))
    if count != (workspace.catalog.meta(PURGES) or "0") and workspace.is_writable:
        ledger_of(workspace).settle()
        erase_caches(workspace)


def redact_ledger(workspace: Workspace) -> None:
    """Redact the ledger once for each version of the secret rules."""
    wanted = rules_version()
    if workspace.catalog.meta(LEDGER_RULES) == wanted or not workspace.is_writable:
        return
    ledger = ledger_of(workspace)
    if ledger.has_secrets():
        if not ledger.redact():
            return  # the next index run tries again
        erase_caches(workspace)
    with write_lock(workspace.folder):
        workspace.catalog.set_meta(LEDGER_RULES, wanted)


def erase_caches(workspace: Workspace) -> None:
    """Delete everything derived from memories, and what is purged from foreign ledgers."""
    records = ledger_of(workspace).records()
    hint = "fix the owner and mode of the folder; the next index run deletes them"
    with store_errors("delete cached memories in", workspace.folder, hint):
        for spool in workspace.folder.glob(f"{SPOOL}*"):
            spool.unlink(missing_ok=True)
        for cache in (reminder_cache.FOLDER, stored_snapshot.FOLDER, deliveries.FOLDER):
            delete_files_in(workspace.folder / cache)
        purge_foreign(foreign_folders(workspace.folder), purged_in(records, is_own=True))
        with try_lock(workspace.folder / SYNC_LOCK) as is_held:  # else a running sync cleans up after itself
            if is_held:
                clear(workspace.folder / SYNC)
    count = sum(record.event is Event.PURGE for record in records)
    with write_lock(workspace.folder):
        workspace.catalog.erase_derived_texts()
        workspace.catalog.set_meta(PURGES, str(count))


def _words(record: Record) -> str:
    return record.said.text if record.said else record.text.removeprefix(SAID)
