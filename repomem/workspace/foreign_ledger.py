"""The ledgers in data folders that this user did not make, read as untrusted writers'."""

from collections.abc import Iterable, Iterator, Set as AbstractSet
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from repomem.adapters.ledger.file import DAMAGED, FILE, size_of
from repomem.adapters.ledger.lines import BadLine, record_of_line
from repomem.adapters.ledger.trusted_writers import FOREIGN, is_foreign
from repomem.core.digests import short_digest
from repomem.core.files import bytes_of, replace_file
from repomem.core.foreign_records import TRAVELLING, clean_record, has_plausible_time
from repomem.core.records import Event, Record, digest_of_id
from repomem.workspace.user.folders import LEDGERS, data_folder, temporary_folder

LARGEST = 1 << 26  # bytes of a foreign ledger; a larger one is not read
COUNTED = TRAVELLING - {Event.PURGE}  # a purge would erase others' memories


def foreign_records(folders: Iterable[Path]) -> list[Record]:
    """The records of foreign ledgers, by id.

    Lines that also are in the user's own folders belong to the user. The other lines of a ledger get one writer, named
    by a hash of the whole file, and no sync sends them. Records that claim to come from a sync are left out, since the
    next sync brings them. If several records have one id, the user's wins.
    """
    known: AbstractSet[bytes] | None = None
    found: dict[str, Record] = {}
    for folder in folders:  # one at a time: each may be large
        if data := bytes_of(folder / FILE, LARGEST):
            known = _lines_of_user() if known is None else known
            for record in _records_in(data, known):
                found[record.id] = min(found.get(record.id, record), record, key=lambda one: one.origin.writer)
    return [found[name] for name in sorted(found)]


def drop_redundant(folders: Iterable[Path]) -> None:
    """Delete the foreign ledgers whose lines are all in the user's own ledgers or in another foreign one.

    If one user's ledger copied a memory from another's, any copy counts, since the writer's name may differ.
    """
    ledgers = sorted(filter(size_of, folders), key=size_of, reverse=True)  # a larger one may contain a smaller one
    seen = {key for line in (_lines_of_user() if ledgers else ()) for key in _keys(line)}
    for folder in ledgers:
        keys = [_keys(line) for line in bytes_of(folder / FILE, LARGEST).splitlines(keepends=True)]
        if keys and all(each[-1] in seen for each in keys):
            with suppress(OSError):
                (folder / FILE).unlink()
        seen.update(key for each in keys for key in each)


def _keys(line: bytes) -> tuple[str, ...]:
    """The keys of a line; another ledger must have the last one for the line to be redundant."""
    whole = short_digest(line, 16)
    with suppress(BadLine):
        record = record_of_line(line.rstrip(b"\n"))
        name = digest_of_id(record.id)
        return (name,) if is_foreign(record.origin.writer) else (name, whole)
    return (whole,)


def purge_foreign(folders: Iterable[Path], purged: AbstractSet[str]) -> None:
    """Delete the records with these digests, and damaged lines beside them, from foreign ledgers. Raises OSError."""
    for folder in folders:
        lines = bytes_of(folder / FILE, LARGEST).splitlines(keepends=True)
        digests = [_digest(line) for line in lines]
        if not purged.isdisjoint(digests):
            (folder / DAMAGED).unlink(missing_ok=True)
            kept = [line for line, digest in zip(lines, digests, strict=True) if digest and digest not in purged]
            replace_file(folder / FILE, b"".join(kept))


def _records_in(data: bytes, known: AbstractSet[bytes]) -> Iterator[Record]:
    """The records of one foreign ledger that count; those in `known` lines are unchanged."""
    writer = FOREIGN + short_digest(data, 5)  # sorts after all other writers
    for line in data.splitlines(keepends=True):
        with suppress(BadLine):
            record = record_of_line(line.rstrip(b"\n"))
            if line in known:
                yield record
            elif _counts(record):
                yield clean_record(replace(record, is_private=True, origin=replace(record.origin, writer=writer)))


def _digest(line: bytes) -> str:
    """What identifies the record of a line; empty if the line is damaged."""
    with suppress(BadLine):
        return digest_of_id(record_of_line(line.rstrip(b"\n")).id)
    return ""


def _counts(record: Record) -> bool:
    is_sound = record.id == record.id.upper() and has_plausible_time(record.id)
    return is_sound and record.event in COUNTED and not record.origin.writer


def _lines_of_user() -> frozenset[bytes]:
    """The lines of every ledger in the user's own folders."""
    roots = [data_folder() / LEDGERS]
    roots += [last_resort.parent] if (last_resort := temporary_folder("")) else []
    return frozenset(line for path in _ledgers(roots) for line in bytes_of(path, LARGEST).splitlines(keepends=True))


def _ledgers(roots: list[Path]) -> Iterator[Path]:
    for root in roots:
        with suppress(OSError):
            yield from sorted(root.glob(f"*/{FILE}"))
