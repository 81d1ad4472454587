"""The ledger: what cannot be rebuilt, synced before anybody is told that it is kept, in copies that are merged by id.

Its home is the git common directory. A copy lies in the user's data folder under the repository's identity, where a
fresh clone finds it, and one in the folder for temporary files where a sandbox lets nothing else be written. A record
is kept once one copy has it; whoever may write next brings the others up to date. `purge` alone takes anything out.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from repomem.adapters.ledger import file as ledger_file
from repomem.adapters.ledger.file import LedgerCopy, locked, read_copy, size_of
from repomem.adapters.ledger.lines import record_of_line
from repomem.core.errors import StoreError
from repomem.core.records import Event, Origin, Record, digest_of_id, next_id, redacted, unpurged

Records = dict[str, Record]
CATCH_UP_WAIT = 0.3  # seconds for a copy that is not the one to acknowledge by: the next writer adds what it lacks


class Ledger:
    """The copies of one repository's ledger.

    `lasting` are the folders of those that stay, the home first. `passing` is one that is emptied as soon as the
    others have what it holds, or None.
    """

    def __init__(self, lasting: Sequence[Path], passing: Path | None = None) -> None:
        self._lasting = tuple(lasting)
        self._passing = passing

    @property
    def folders(self) -> tuple[Path, ...]:
        """Where copies may lie, in the order in which they are written."""
        return (*self._lasting, *([self._passing] if self._passing else []))

    @property
    def stamp(self) -> str:
        """Another text whenever a copy has changed."""
        return " ".join(map(ledger_file.stamp_of, self.folders))

    def records(self) -> list[Record]:
        """Every record of every copy that can be read, once each, by id: later ones behind.

        Raises StoreError where one cannot be read and no other holds anything.
        """
        merged = self._now().records
        return [merged[name] for name in sorted(merged)]

    def append(self, make: Callable[[list[Record]], Sequence[Record]]) -> list[Record]:
        """Keep what `make` gives for the records so far: on the disk when this returns.

        No other process writes to the same copy meanwhile. Raises StoreError where no copy can be written, and then
        nothing is kept.
        """
        failures: dict[Path, StoreError] = {}
        for folder in self.folders:
            try:
                made, now = self._appended(folder, make)
            except StoreError as error:
                failures[folder] = error
            else:
                self._follow([each for each in self._lasting if each != folder and each not in failures], now)
                return made
        first = failures[self.folders[0]]
        raise StoreError(f"nothing was kept: {first.message}", first.hint) from first

    def settle(self) -> bool:
        """Bring the copies that can be written up to date; whether all of them now hold the same."""
        now = self._now()
        done = [_brought_up(folder, now) for folder in self._lasting if folder not in now.whole]
        if all(done):
            self._empty_passing(now.records)
        return all(done)

    def purge(self, names: Collection[str], origin: Origin) -> bool:
        """Take every byte of the records with these ids out of every copy; whether all copies could be written.

        What is left is a digest of each id, by which a copy that comes up later, or an old export, is purged too.
        """
        targets = tuple(sorted(map(digest_of_id, names)))
        self.append(lambda before: [Record(next_id(before), Event.PURGE, origin, targets)])
        now = self._now()
        done = [_brought_up(folder, now) for folder in self._to_rewrite()]
        record_of_line.cache_clear()  # a server lives on
        return all(done)

    def has_secrets(self) -> bool:
        """Whether any copy, or what was set aside from it, holds what looks like a secret now."""
        return any(map(ledger_file.has_damaged_secrets, self.folders)) or any(
            redacted(record) != record for copy in self._copies() for record in copy.records.values()
        )

    def redact(self) -> bool:
        """Take what looks like a secret now out of the records of every copy; whether all copies could be written.

        No record is lost, and each keeps its id. Lines that were set aside are deleted where something was found.
        """
        now = self._now()
        clean = {name: redacted(record) for name, record in now.records.items()}
        for folder in self.folders:
            ledger_file.drop_damaged_secrets(folder)
        whole = replace(now, records=clean, whole=frozenset())
        done = [_brought_up(folder, whole) for folder in self._to_rewrite()]
        record_of_line.cache_clear()
        return all(done)

    def copies(self) -> list[tuple[LedgerCopy, int]]:
        """Every copy that there is, with the number of lines that were set aside from it."""
        found = [folder for folder in self.folders if size_of(folder) or ledger_file.damaged_lines(folder)]
        return [(read_copy(folder), ledger_file.damaged_lines(folder)) for folder in found]

    def _to_rewrite(self) -> list[Path]:
        """The folders with a copy, or that do not let anybody look; a passing one that was emptied stays empty."""
        there = [folder for folder in self.folders if ledger_file.may_exist(folder)]
        return [folder for folder in there if folder != self._passing or size_of(folder)]

    def _copies(self) -> list[LedgerCopy]:
        """The copies that can be read."""
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

    def _now(self) -> "_Now":
        """What the copies hold together."""
        copies = self._copies()
        merged = unpurged(_merged([copy.records for copy in copies]))
        whole = frozenset(copy.folder for copy in copies if copy.is_sound and copy.records == merged)
        return _Now(merged, copies[0].by_line if copies else {}, whole)

    def _appended(self, folder: Path, make: Callable[[list[Record]], Sequence[Record]]) -> "tuple[list[Record], _Now]":
        """What was added to one copy, and what all hold together then."""
        with locked(folder):
            before = self._now()
            made = make([before.records[name] for name in sorted(before.records)])
            new = [record for record in made if record.id not in before.records]
            merged = unpurged(before.records | {record.id: record for record in new})
            now = replace(before, records=merged)
            _make_whole(folder, now)
        return [merged[record.id] for record in new if record.id in merged], now

    def _follow(self, others: Sequence[Path], now: "_Now") -> None:
        """Bring other copies up to one that was just written; what stands in the passing one then is not needed."""
        done = [_brought_up(folder, now, CATCH_UP_WAIT) for folder in others]
        if all(done) and len(done) == len(self._lasting) - 1:
            self._empty_passing(now.records)

    def _empty_passing(self, merged: Records) -> None:
        """Empty a copy of which the others have all; what was added meanwhile stays."""
        folder = self._passing
        if folder and size_of(folder):
            with suppress(StoreError), locked(folder, CATCH_UP_WAIT):
                if unpurged(read_copy(folder).records | merged).keys() <= merged.keys():
                    ledger_file.drop_damaged(folder)
                    ledger_file.replace(folder, [])


@dataclass(frozen=True, slots=True)
class _Now:
    """What the copies hold together."""

    records: Records
    by_line: Mapping[bytes, Record]  # of one copy: reading JSON is dear, and others wait for the lock meanwhile
    whole: frozenset[Path]  # the folders of those that hold all of it and nothing else


def _merged(copies: Sequence[Records]) -> Records:
    """The records of all copies. Two that differ under one id were redacted in one of them only.

    Or one was written here and a sync brought the other, in two clones of one user: his own counts.
    """
    merged: Records = {}
    for records in copies:
        differing = [name for name, record in records.items() if merged.get(name, record) != record]
        own = {name: min(merged[name], records[name], key=lambda record: record.origin.writer) for name in differing}
        merged = records | merged | {name: redacted(record) for name, record in own.items()}
    return merged


def _brought_up(folder: Path, now: _Now, wait: float | None = None) -> bool:
    """Give a copy the records that it lacks, and take out what was purged elsewhere; whether that could be done."""
    with suppress(StoreError):
        with locked(folder, wait):
            _make_whole(folder, now)
        return True
    return False


def _make_whole(folder: Path, now: _Now) -> None:
    """Merge all records into a copy, while it is locked; what others added to it since they were read stays.

    A copy that hears of a purge is written anew, and what was set aside from it goes first: it may hold those words,
    and a purge that is cut off here is still unheard of, so the next writer does it again.
    """
    copy = read_copy(folder, now.by_line)
    whole = unpurged(_merged([now.records, copy.records]))
    is_news = any(record.event is Event.PURGE and name not in copy.records for name, record in whole.items())
    if is_news or any(whole.get(name) != record for name, record in copy.records.items()):
        ledger_file.drop_damaged(folder)
        ledger_file.replace(folder, list(whole.values()))
    else:
        ledger_file.add(copy, whole.values())
