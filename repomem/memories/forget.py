"""Take a memory out: by a tombstone that can be looked behind, or to the last byte. And who may do what to which.

A purge is finished by whoever comes next if it is cut off: its record is in the ledger before anything is erased.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from repomem.adapters.ledger.ref import clear
from repomem.core.errors import RepomemError, StoreError
from repomem.core.locks import try_lock, write_lock
from repomem.core.records import Event, Memory, Record
from repomem.core.secrets.redact import rules_version
from repomem.memories.at_head import Remembered
from repomem.memories.status import is_trusted
from repomem.memories.wording import same_text
from repomem.workspace.ledger import Speaker, ledger_of, origin_of, plain_told, tell
from repomem.workspace.workspace import SYNC, SYNC_LOCK, Workspace

RECALLS = "recalls*"  # the ids that were recalled and are not counted yet
LEDGER_RULES = "redaction of the ledger"  # in the catalog: the rules by which it was last looked through
PURGES = "purges"  # in the catalog: of how many purges its caches are clean


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What became of it."""

    id: str
    is_purged: bool
    mentions: int = 0  # other records that hold the same words
    unwritten: tuple[Path, ...] = ()  # copies of the ledger that could not be written: the next writer purges them


def forget(workspace: Workspace, known: Remembered, name: str, speaker: Speaker, *, is_purge: bool) -> Forgotten:
    """Forget a memory; raises RepomemError where an agent would forget what a person said or confirmed."""
    memory = known.standings[name].memory
    check_may_change(memory, known, speaker)
    if not is_purge:
        tell(workspace, origin_of(workspace, speaker), plain_told(Event.FORGET, name))
        return Forgotten(name, is_purged=False)
    ledger = ledger_of(workspace)
    gone = [record for record in known.records if record.id == name or _says(record, memory)]
    keys = [record.other for record in gone if record.event is Event.REMEMBER and record.other]  # else it is read again
    is_done = ledger.purge([*(record.id for record in gone), *keys], origin_of(workspace, speaker))
    if os.access(workspace.folder, os.W_OK):  # else whoever may write there next does it, see finish_purges
        _erase_now(workspace)
    left = sum(memory.said.text in _words(record) for record in ledger.records())
    return Forgotten(name, True, left, () if is_done else ledger.folders)


def check_may_change(memory: Memory, known: Remembered, speaker: Speaker) -> None:
    """An agent changes what agents said and nobody confirmed; the rest is for people."""
    if not speaker.is_person and is_trusted(memory, known.world) and memory.id not in known.world.lived:
        raise RepomemError(
            "a person said or confirmed this, so only a person may take it back",
            f"run it on a terminal, or propose another: repomem remember --supersedes {memory.id[:10]} TEXT",
        )


def finish_purges(workspace: Workspace, records: list[Record]) -> None:
    """Erase what a purge that was cut off, or made by another clone, left in this clone's caches."""
    count = str(sum(record.event is Event.PURGE for record in records))
    if count != (workspace.catalog.meta(PURGES) or "0") and os.access(workspace.folder, os.W_OK):
        ledger_of(workspace).settle()
        erase_caches(workspace)


def redact_ledger(workspace: Workspace) -> None:
    """Take what newer rules know for a secret out of the ledger, where older ones let it in; once."""
    wanted = rules_version()
    if workspace.catalog.meta(LEDGER_RULES) == wanted or not os.access(workspace.folder, os.W_OK):
        return
    ledger = ledger_of(workspace)
    if ledger.has_secrets():
        if not ledger.redact():
            return  # the next index run tries again
        erase_caches(workspace)
    with write_lock(workspace.folder):
        workspace.catalog.set_meta(LEDGER_RULES, wanted)


def erase_caches(workspace: Workspace) -> None:
    """Drop all that was derived from memories: it is made again from the ledger."""
    try:
        for spool in workspace.folder.glob(RECALLS):
            spool.unlink(missing_ok=True)
        with try_lock(workspace.folder / SYNC_LOCK) as is_held:  # else a sync is on, which tidies up behind itself
            if is_held:
                clear(workspace.folder / SYNC)
    except OSError as error:
        hint = "the next index run does it, once the folder's owner and mode allow"
        raise StoreError(f"cannot delete what was derived in {workspace.folder}: {error.strerror}", hint) from error
    count = sum(record.event is Event.PURGE for record in ledger_of(workspace).records())
    with write_lock(workspace.folder):
        workspace.catalog.placings.forget_all()
        workspace.catalog.set_meta(PURGES, str(count))


def _erase_now(workspace: Workspace) -> None:
    """Erase what was derived; where another process holds the index, say what is done and what is not."""
    try:
        erase_caches(workspace)
    except StoreError as error:
        hint = "run repomem index when nothing holds it: that erases it there too"
        raise StoreError(f"gone from the ledger, but not yet from the index: {error.message}", hint) from error


def _says(record: Record, memory: Memory) -> bool:
    """Whether another record is just the same words, such as the note that the memory was made from."""
    return record.id != memory.id and same_text(_words(record), memory.said.text)


def _words(record: Record) -> str:
    return record.said.text if record.said else record.text
