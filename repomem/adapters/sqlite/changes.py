"""Changes of the newest commits to lines of source files, and trailers, stored when a commit is indexed.

Hashes of lines are stored as 32-bit integers, since they do not compress.
"""

import os
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from repomem.adapters.sqlite import database
from repomem.adapters.sqlite.catalog_rows import unpack_numbers
from repomem.core.mined_decisions import REVERTS, Trailer
from repomem.core.types.text import CleanText

_COLUMNS = "commit_id, path, symbol, old_path, added, removed, altered"


@dataclass(frozen=True, slots=True)
class SymbolChange:
    """A commit's changes to the lines of one symbol; a line is its 32-bit hash."""

    commit: str
    path: str
    symbol: str  # unqualified; empty outside all definitions
    added: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()
    altered: tuple[tuple[int, int], ...] = ()  # an old line and its similar new line
    old_path: str = ""  # of a rename: the previous path

    @property
    def taken_out(self) -> Iterator[int]:
        """The lines before: removed ones, and those that were altered."""
        yield from self.removed
        yield from (old for old, _ in self.altered)

    @property
    def put_in(self) -> Iterator[int]:
        """The lines after: added ones, and what others were altered to."""
        yield from self.added
        yield from (new for _, new in self.altered)

    @property
    def written(self) -> Iterator[int]:
        """The lines after without those that changed in layout only."""
        yield from self.added
        yield from (new for old, new in self.altered if new != old)


@dataclass(frozen=True, slots=True)
class CommitSummary:
    """The fields of a commit that revert detection needs."""

    commit: str
    parents: tuple[str, ...]
    subject: str
    kind: str = ""  # conventional-commit type
    reverts: str = ""  # the commit that its message says it reverts, as written
    is_cut: bool = False  # part of the commit was too long to read, so lines may be missing
    is_removal_cut: bool = False  # among them removed ones: what it added may have been moved


class Changes(database.Table):
    """The tables `commits` and `changes` of an open catalog."""

    def recorded(self) -> set[str]:
        """The commits whose changes are recorded, even if there were none."""
        return {commit.hex() for (commit,) in self._db.execute("SELECT commit_id FROM commits")}

    def record(self, commits: Iterable[CommitSummary], changes: Iterable[SymbolChange]) -> None:
        with database.transaction(self._db):
            self._db.executemany("INSERT OR REPLACE INTO commits VALUES(?,?,?,?,?,?,?)", map(_commit_row, commits))
            self._db.executemany("INSERT OR REPLACE INTO changes VALUES(?,?,?,?,?,?,?)", map(_change_row, changes))

    def commits(self, episodes: Sequence[int]) -> list[CommitSummary]:
        """The recorded commits of these episodes, in the given order."""
        if not episodes:
            return []
        columns = "episodes.id, commits.commit_id, parents, subject, kind, reverts, is_cut, is_removal_cut"
        rows = self._db.execute(
            f"SELECT {columns} FROM commits JOIN episodes ON episodes.commit_id = commits.commit_id "  # noqa: S608  # fixed columns
            "WHERE episodes.id BETWEEN ? AND ?",
            (min(episodes), max(episodes)),
        )
        by_id = {row[0]: _committed(row[1:]) for row in rows}
        return [by_id[number] for number in episodes if number in by_id]

    def of_commits(self, commits: Iterable[str]) -> list[SymbolChange]:
        return self._selected("commit_id", [bytes.fromhex(commit) for commit in commits])

    def of_paths(self, paths: Iterable[str]) -> list[SymbolChange]:
        return self._selected("path", list(map(os.fsencode, paths)))

    def paths(self) -> set[str]:
        """Every path with changes."""
        return {os.fsdecode(path) for (path,) in self._db.execute("SELECT DISTINCT path FROM changes")}

    def paths_of_symbol(self, symbol: str) -> list[str]:
        """The paths in which a symbol, by its unqualified name, was ever changed."""
        rows = self._db.execute("SELECT DISTINCT path FROM changes WHERE symbol=? ORDER BY path", (symbol,))
        return [os.fsdecode(path) for (path,) in rows]

    def renames(self) -> list[tuple[str, str]]:
        """The old and new path of every renamed file."""
        rows = self._db.execute("SELECT DISTINCT old_path, path FROM changes WHERE old_path != x'' ORDER BY 1, 2")
        return [(os.fsdecode(old), os.fsdecode(new)) for old, new in rows]

    def episode_ids(self, commits: Iterable[str]) -> dict[str, int]:
        ask = "SELECT id FROM episodes WHERE commit_id=?"
        found = {commit: self._db.execute(ask, (bytes.fromhex(commit),)).fetchone() for commit in commits}
        return {commit: row[0] for commit, row in found.items() if row}

    def _selected(self, column: str, values: Sequence[bytes]) -> list[SymbolChange]:
        select = f"SELECT {_COLUMNS} FROM changes WHERE {column} IN {{}}"  # noqa: S608  # fixed names
        return [_change(row) for row in database.rows_of(self._db, select, values)]


class Trailers(database.Table):
    """The table `trailers` of an open catalog: those of commit messages that record or revert a decision."""

    def record(self, trailers: Iterable[Trailer]) -> None:
        """Store trailers in order; a commit may have several of one name."""
        rows = [
            (bytes.fromhex(each.commit), at, each.name, each.value, each.author, each.date, each.subject)
            for at, each in enumerate(trailers)
        ]
        with database.transaction(self._db):
            self._db.executemany("DELETE FROM trailers WHERE commit_id=?", {(row[0],) for row in rows})
            self._db.executemany("INSERT OR REPLACE INTO trailers VALUES(?,?,?,?,?,?,?)", rows)

    def by_episode(self) -> list[tuple[int, Trailer]]:
        """Every trailer with its episode id, in the order in which they were stored."""
        rows = self._db.execute(
            "SELECT episodes.id, trailers.commit_id, name, value, author, date, subject FROM trailers "
            "JOIN episodes ON episodes.commit_id = trailers.commit_id ORDER BY episodes.id, place"
        )
        return [
            (row[0], Trailer(row[1].hex(), row[2], CleanText(row[3]), row[4], row[5], CleanText(row[6])))
            for row in rows
        ]

    def reverts(self) -> list[tuple[str, str]]:
        """The commits that revert another, each with its hash or subject; of a merge, also with what it brought."""
        ask = "SELECT commit_id, value FROM trailers WHERE name=? ORDER BY commit_id, place"
        return [(commit.hex(), value) for commit, value in self._db.execute(ask, (REVERTS,))]


def _commit_row(c: CommitSummary) -> tuple[object, ...]:
    parents = bytes.fromhex("".join(c.parents))
    return bytes.fromhex(c.commit), parents, c.subject, c.kind, c.reverts, int(c.is_cut), int(c.is_removal_cut)


def _committed(row: tuple[bytes, bytes, str, str, str, int, int]) -> CommitSummary:
    commit, packed, subject, kind, reverts, *cut = row
    size = len(commit)  # of every hash
    parents = tuple(packed[at : at + size].hex() for at in range(0, len(packed), size))
    return CommitSummary(commit.hex(), parents, subject, kind, reverts, *map(bool, cut))


def _change_row(change: SymbolChange) -> tuple[object, ...]:
    pairs = [line for pair in change.altered for line in pair]
    packed = (array("I", lines).tobytes() for lines in (change.added, change.removed, pairs))
    key = (bytes.fromhex(change.commit), os.fsencode(change.path), change.symbol, os.fsencode(change.old_path))
    return (*key, *packed)


def _change(row: tuple[bytes, bytes, str, bytes, bytes, bytes, bytes]) -> SymbolChange:
    commit, path, symbol, old_path, added, removed, altered = row
    pairs = iter(unpack_numbers(altered, "I"))
    return SymbolChange(
        commit.hex(),
        os.fsdecode(path),
        symbol,
        unpack_numbers(added, "I"),
        unpack_numbers(removed, "I"),
        tuple(zip(pairs, pairs, strict=True)),
        os.fsdecode(old_path),
    )
