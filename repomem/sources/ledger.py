"""The ledger: what cannot be rebuilt, synced before anybody is told that it is kept, in copies that are merged by id.

Its home is the git common directory. A copy lies in the user's data folder under the repository's identity, where a
fresh clone finds it, and one in the folder for temporary files where a sandbox lets nothing else be written. A record
is kept once one copy has it; whoever may write next brings the others up to date. `purge` alone takes anything out.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path

from repomem.core.errors import StoreError
from repomem.core.records import Event, Origin, Record, digest_of_id, without_purged
from repomem.core.ulid import new_ulid
from repomem.sources import ledger_file
from repomem.sources.ledger_file import Copy, locked, read_copy, size_of

Records = dict[str, Record]


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
        return " ".join(str(size_of(folder)) for folder in self.folders)

    def records(self) -> list[Record]:
        """Every record of every copy, once each, by id: later ones behind."""
        merged = self._merged()
        return [merged[name] for name in sorted(merged)]

    def append(self, make: Callable[[list[Record]], Sequence[Record]]) -> list[Record]:
        """Keep what `make` gives for the records so far: on the disk when this returns.

        No other process writes to the same copy meanwhile. Raises StoreError where no copy can be written, and then
        nothing is kept.
        """
        failures = []
        for folder in self.folders:
            try:
                return self._appended(folder, make)
            except StoreError as error:
                failures.append(error)
        first = failures[0]
        raise StoreError(f"nothing was kept: {first.message}", first.hint) from first

    def settle(self) -> bool:
        """Bring the copies that can be written up to date; whether all of them now hold the same."""
        copies = self._copies()
        merged = _merged(copies)
        lacking = [copy for copy in copies if copy.folder != self._passing and not _is_whole(copy, merged)]
        done = [_brought_up(copy.folder, merged) for copy in lacking]
        if all(done) and self._passing and size_of(self._passing):
            _emptied(self._passing, merged)
        return all(done)

    def purge(self, names: Collection[str], origin: Origin) -> bool:
        """Take every byte of the records with these ids out of every copy; whether all copies could be written.

        What is left is a digest of each id, by which a copy that comes up later, or an old export, is purged too.
        """
        targets = tuple(sorted(map(digest_of_id, names)))
        self.append(lambda before: [Record(new_ulid(before[-1].id if before else ""), Event.PURGE, origin, targets)])
        merged = self._merged()
        done = [_cleaned(folder, merged) for folder in self.folders if folder.is_dir()]
        return all(done)

    def copies(self) -> list[tuple[Copy, int]]:
        """Every copy that there is, with the number of lines that were set aside from it."""
        found = [folder for folder in self.folders if size_of(folder) or ledger_file.damaged_lines(folder)]
        return [(read_copy(folder), ledger_file.damaged_lines(folder)) for folder in found]

    def _copies(self) -> list[Copy]:
        home = read_copy(self._lasting[0])
        return [home, *(read_copy(folder, home.by_line) for folder in self.folders[1:])]

    def _merged(self) -> Records:
        return _merged(self._copies())

    def _appended(self, folder: Path, make: Callable[[list[Record]], Sequence[Record]]) -> list[Record]:
        with locked(folder):
            merged = self._merged()
            made = make([merged[name] for name in sorted(merged)])
            new = [record for record in made if record.id not in merged]
            merged = _unpurged(merged | {record.id: record for record in new})
            _make_whole(folder, merged)
        for other in self._lasting:
            if other != folder:
                _brought_up(other, merged)
        return [merged[record.id] for record in new if record.id in merged]


def _merged(copies: Sequence[Copy]) -> Records:
    merged: Records = {}
    for copy in copies:
        merged |= copy.records
    return _unpurged(merged)


def _unpurged(merged: Records) -> Records:
    """The records without those that one copy knows to be purged: they come back from no other."""
    purged = {digest for record in merged.values() if record.event is Event.PURGE for digest in record.targets}
    if not purged:
        return merged
    kept = {name: without_purged(record, purged) for name, record in merged.items()}
    return {name: record for name, record in kept.items() if record is not None}


def _is_whole(copy: Copy, merged: Records) -> bool:
    return copy.is_sound and copy.records == merged


def _brought_up(folder: Path, merged: Records) -> bool:
    """Give a copy the records that it lacks, and take out what was purged elsewhere; whether that could be done."""
    with suppress(StoreError):
        with locked(folder):
            _make_whole(folder, merged)
        return True
    return False


def _make_whole(folder: Path, merged: Records) -> None:
    copy = read_copy(folder)
    if any(merged.get(name) != record for name, record in copy.records.items()):
        ledger_file.replace(folder, list(merged.values()))
        ledger_file.drop_damaged(folder)
    else:
        ledger_file.add(copy, merged.values())


def _emptied(folder: Path, merged: Records) -> None:
    """Empty a copy of which the others have all; what was added meanwhile stays."""
    with suppress(StoreError), locked(folder):
        if read_copy(folder).records.keys() <= merged.keys():
            ledger_file.replace(folder, [])


def _cleaned(folder: Path, merged: Records) -> bool:
    """Write a copy anew, and drop what was set aside from it: it may hold what is to be purged."""
    with suppress(StoreError):
        with locked(folder):
            ledger_file.replace(folder, list(merged.values()))
            ledger_file.drop_damaged(folder)
        return True
    return False
