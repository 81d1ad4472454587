"""The ledger: all data that cannot be rebuilt, in copies that are merged by record id.

The main copy is in the git common directory. Another is in the user's data folder under the repository's identity,
where a new clone finds it, and a temporary one is used where a sandbox allows nothing else. A record is stored once one
copy has it; the next process that can write the others updates them. Only `purge` removes records.
"""

import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from repomem.adapters.ledger import file as ledger_file
from repomem.adapters.ledger.file import LedgerCopy, locked, read_copy, size_of
from repomem.adapters.ledger.lines import BadLine, damaged_id, is_damaged, record_of_line
from repomem.core.errors import StoreError
from repomem.core.records import Event, Origin, Record, digest_of_id, next_id, redacted, unpurged

Records = dict[str, Record]
CATCH_UP_WAIT = 0.3  # seconds to wait for a further copy; if busy, the next writer updates it


class Ledger:
    """The copies of one repository's ledger.

    `permanent` are the folders of permanent copies, the main one first. `temporary` is the folder of a copy that is
    emptied as soon as all others have its records, or None.
    """

    def __init__(self, permanent: Sequence[Path], temporary: Path | None = None) -> None:
        self._permanent = tuple(permanent)
        self._temporary = temporary

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders of all copies, in the order in which they are written."""
        return (*self._permanent, *([self._temporary] if self._temporary else []))

    @property
    def stamp(self) -> str:
        """A text that changes when any copy changes."""
        return " ".join(map(ledger_file.stamp_of, self.folders))

    def records(self) -> list[Record]:
        """The merged records of all readable copies, by id, which is by time.

        Raises StoreError if a copy cannot be read and no other has records.
        """
        merged = self._merge_all().records
        return [merged[name] for name in sorted(merged)]

    @property
    def marks(self) -> list[tuple[int, int]]:
        """The size of each copy's file in bytes, and its checksum; a copy that cannot be read counts as empty."""
        return [(len(data), zlib.crc32(data)) for data in map(ledger_file.readable_data, self.folders)]

    def appended(self, marks: Sequence[Sequence[int]]) -> list[Record] | None:
        """The records that were appended to copies since they had these marks; None if anything else has changed."""
        found: Records = {}
        for (size, checksum), data in zip(marks, map(ledger_file.readable_data, self.folders), strict=True):
            lines = data[size:].splitlines(keepends=True)
            if zlib.crc32(data[:size]) != checksum or not all(line.endswith(b"\n") for line in lines):
                return None
            for line in lines:
                try:
                    record = record_of_line(line.rstrip(b"\n"))
                except BadLine:
                    return None
                if found.setdefault(record.id, record) != record:
                    return None
        return [found[name] for name in sorted(found)]

    def append(self, make: Callable[[list[Record]], Sequence[Record]]) -> list[Record]:
        """Append the records that `make` returns for the current ones; they are synced to the disk.

        The copy is locked meanwhile. Raises StoreError if no copy can be written; then nothing is stored.
        """
        failures: dict[Path, StoreError] = {}
        for folder in self.folders:
            try:
                made, now = self._appended(folder, make)
            except StoreError as error:
                failures[folder] = error
            else:
                self._follow([each for each in self._permanent if each != folder and each not in failures], now)
                return made
        first = failures[self.folders[0]]
        raise StoreError(f"nothing was saved: {first.message}", first.hint) from first

    def settle(self) -> bool:
        """Update all copies that can be written; whether all are now equal."""
        now = self._merge_all()
        done = [_update(folder, now) for folder in self._permanent if folder not in now.whole]
        if all(done):
            self._empty_temporary(now.records)
        return all(done)

    def purge(self, names: Collection[str], origin: Origin) -> bool:
        """Delete the records with these ids from every copy; whether all copies could be written.

        A digest of each id remains, so that copies and exports that turn up later are purged too.
        """
        targets = tuple(sorted(map(digest_of_id, names)))
        self.append(lambda before: [Record(next_id(before), Event.PURGE, origin, targets)])
        return self._rewrite(self._merge_all())

    def has_secrets(self) -> bool:
        """Whether any copy, or its damaged lines, contains a secret by the current rules."""
        return any(map(ledger_file.damaged_secrets, self.folders)) or any(
            redacted(record) != record for copy in self._copies() for record in copy.records.values()
        )

    def redact(self) -> bool:
        """Redact secrets in every copy by the current rules; whether all copies could be written.

        Every record keeps its id. Files of damaged lines that contain a secret are deleted.
        """
        now = self._merge_all()
        clean = {name: redacted(record) for name, record in now.records.items()}
        for folder in self.folders:
            ledger_file.drop_damaged_secrets(folder)
        return self._rewrite(replace(now, records=clean, whole=frozenset()))

    def copies(self) -> list[tuple[LedgerCopy, int]]:
        """Every existing copy, with the number of damaged lines set aside."""
        aside = {folder: len(ledger_file.damaged_lines(folder)) for folder in self.folders}
        return [(read_copy(folder), count) for folder, count in aside.items() if count or size_of(folder)]

    def lost(self) -> dict[str, bytes]:
        """The damaged line of each record that no copy has any more, by its id, which may be damaged too."""
        copies = self._copies()
        damaged = [line for copy in copies for line in copy.bad]
        damaged += [line for folder in self.folders for line in ledger_file.damaged_lines(folder)]
        whole = {line for copy in copies for line in copy.by_line} if damaged else set[bytes]()
        known = {name for copy in copies for name in copy.records}
        named = {name: line for line in damaged if (name := damaged_id(line)) and name not in known}
        return {name: line for name, line in named.items() if not any(is_damaged(line, one) for one in whole)}

    def _rewrite(self, now: "_Merged") -> bool:
        """Update every copy that exists or cannot be accessed; whether all succeeded. An empty temporary one stays."""
        there = [folder for folder in self.folders if ledger_file.may_exist(folder)]
        done = [_update(folder, now) for folder in there if folder != self._temporary or size_of(folder)]
        record_of_line.cache_clear()  # a server process goes on
        return all(done)

    def _copies(self) -> list[LedgerCopy]:
        """The readable copies."""
        found: list[LedgerCopy] = []
        failures: list[StoreError] = []
        for folder in self.folders:
            try:
                found.append(read_copy(folder, found[0].by_line if found else {}))
            except StoreError as error:
                failures.append(error)
        if failures and not any(copy.records for copy in found):
            raise failures[0]
        return found

    def _merge_all(self) -> "_Merged":
        """The merged content of all copies."""
        copies = self._copies()
        merged = unpurged(_merged([copy.records for copy in copies]))
        whole = frozenset(copy.folder for copy in copies if copy.is_sound and copy.records == merged)
        return _Merged(merged, copies[0].by_line if copies else {}, whole)

    def _appended(
        self, folder: Path, make: Callable[[list[Record]], Sequence[Record]]
    ) -> "tuple[list[Record], _Merged]":
        """Append to one copy; the new records, and the merged content then."""
        with locked(folder):
            before = self._merge_all()
            made = make([before.records[name] for name in sorted(before.records)])
            new = [record for record in made if record.id not in before.records]
            merged = unpurged(before.records | {record.id: record for record in new})
            now = replace(before, records=merged)
            _merge_into(folder, now)
        return [merged[record.id] for record in new if record.id in merged], now

    def _follow(self, others: Sequence[Path], now: "_Merged") -> None:
        """Update the other copies after one was written, and empty the temporary one if all are equal."""
        done = [_update(folder, now, CATCH_UP_WAIT) for folder in others]
        if all(done) and len(done) == len(self._permanent) - 1:
            self._empty_temporary(now.records)

    def _empty_temporary(self, merged: Records) -> None:
        """Empty the temporary copy, unless it has records that the others lack."""
        folder = self._temporary
        if folder and size_of(folder):
            with suppress(StoreError), locked(folder, CATCH_UP_WAIT):
                if unpurged(read_copy(folder).records | merged).keys() <= merged.keys():
                    ledger_file.drop_damaged(folder)
                    ledger_file.replace(folder, [])


@dataclass(frozen=True, slots=True)
class _Merged:
    """The merged content of all copies."""

    records: Records
    by_line: Mapping[bytes, Record]  # of one copy: parsing JSON again is slow, and other processes wait for the lock
    whole: frozenset[Path]  # folders of copies that are up to date and undamaged


def _merged(copies: Sequence[Records]) -> Records:
    """The records of all copies.

    Two records under one id differ if only one was redacted, or if one clone wrote it and a sync brought it to another
    clone of the same user; then the user's own wins.
    """
    merged: Records = {}
    for records in copies:
        differing = [name for name, record in records.items() if _differ(merged.get(name, record), record)]
        own = {name: min(merged[name], records[name], key=lambda record: record.origin.writer) for name in differing}
        merged = records | merged | {name: redacted(record) for name, record in own.items()}
    return merged


def _differ(one: Record | None, other: Record) -> bool:
    """Whether two records differ; mostly they are one object, since copies share parsed records."""
    return one is not other and one != other


def _update(folder: Path, now: _Merged, wait: float | None = None) -> bool:
    """Update one copy; whether that succeeded."""
    with suppress(StoreError):
        with locked(folder, wait):
            _merge_into(folder, now)
        return True
    return False


def _merge_into(folder: Path, now: _Merged) -> None:
    """Merge all records into a locked copy, which may have new records since it was read.

    A copy with purged records is rewritten. Its damaged lines are deleted first, since they may contain purged words:
    if that is interrupted, the copy lacks the purge record and the next writer repeats it.
    """
    copy = read_copy(folder, now.by_line)
    whole = unpurged(_merged([now.records, copy.records]))
    is_news = any(record.event is Event.PURGE and name not in copy.records for name, record in whole.items())
    if is_news or any(_differ(whole.get(name), record) for name, record in copy.records.items()):
        ledger_file.drop_damaged(folder)
        ledger_file.replace(folder, list(whole.values()))
    else:
        ledger_file.add(copy, whole.values())
