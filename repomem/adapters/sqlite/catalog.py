"""What is indexed and what is live: file versions, episodes, the views of each work tree, and table stamps.

A file version is (path, blob, policy) with an id that is never used twice. A view is a set of version ids; a history
lists the episode ids that a head can reach, newest first. Both are published in one transaction, so a reader sees the
old state or the new one. Versions travel in ascending order; in the file ids are packed 32-bit integers.
"""

import hashlib
import json
import os
import sqlite3
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Self

from repomem.adapters.sqlite import database
from repomem.adapters.sqlite.anchor_cache import Placings
from repomem.adapters.sqlite.changes import Changes
from repomem.adapters.sqlite.distilled import DistilledTable
from repomem.adapters.sqlite.lost_commits import Unfound
from repomem.adapters.sqlite.trailers import Trailers
from repomem.core.errors import StoreDamaged, StoreError
from repomem.core.statistics import WordStatistics
from repomem.core.types.code import Role

_WORKTREE = "root, view, history, fingerprint, report, facts, brief, profile, decisions"
_SELECT_WORKTREE = f"SELECT {_WORKTREE} FROM worktrees"  # noqa: S608  # the columns stand in the line above
DERIVED_FROM_LEDGER = ("unfound", "distilled")
DERIVED = ("versions", "views", "worktrees", "episodes", "histories", "commits", "changes", "trailers", "tables")
_ROLES = {role.value: role for role in Role}
KEPT_VIEWS = 8  # views and histories that no work tree shows any more but that a branch switch may bring back
NO_STAMPS: Mapping[str, "TableStamp"] = MappingProxyType({})


class Version(NamedTuple):
    """A file version as the catalog knows it; `left_out` is the reason why it has no chunks, or empty.

    A tuple, for they are read by the ten thousand.
    """

    id: int
    path: str
    role: Role
    language: str
    left_out: str
    lines: int
    bytes: int
    chunks: int
    words: int


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A file version to record; its id was reserved before its chunks were stored."""

    id: int
    path: str
    blob: str
    role: Role
    language: str
    left_out: str = ""
    lines: int = 0
    bytes: int = 0
    chunks: int = 0
    words: int = 0


@dataclass(frozen=True, slots=True)
class View:
    """The live file versions of a work tree, with the word statistics of their chunks and of their files."""

    versions: tuple[int, ...]
    chunk_words: WordStatistics
    file_words: WordStatistics

    @property
    def id(self) -> str:
        """A digest of the version ids: work trees that show the same files share one view."""
        return _digest(self.versions)


@dataclass(frozen=True, slots=True)
class History:
    """The episodes that a head can reach, newest first, and their word statistics."""

    head: str
    episodes: tuple[int, ...]
    words: WordStatistics


@dataclass(frozen=True, slots=True)
class Worktree:
    """What a work tree showed when it was last indexed."""

    root: str
    view: str
    history: str
    fingerprint: str
    report: str = "{}"  # what was left out and why, as JSON
    facts: str = "[]"  # what the repository's files say about it, as JSON
    brief: str = ""  # the brief without a query, ready to print, as JSON
    profile: str = "[]"  # the lines of the repository's profile, as JSON
    decisions: str = "[]"  # what its files of decisions say, as JSON


@dataclass(frozen=True, slots=True)
class TableStamp:
    """The state of a LanceDB table after the last transaction: what an honest table must at least show."""

    version: int
    rows: int


class Catalog:
    """One open catalog. Reads see the last published state; writes are transactions."""

    def __init__(self, connection: sqlite3.Connection, folder: Path) -> None:
        self._db = connection
        self._folder = folder
        self._beginnings = 0  # how often it was begun anew since: then ids may come again

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open or make the catalog in `folder`. Raises StoreError where neither can be done."""
        return cls(database.connect(folder), folder)

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    @property
    def moment(self) -> tuple[int, int, int]:
        """Another value whenever something was written, by this process or by another."""
        by_others = int(self._db.execute("PRAGMA data_version").fetchone()[0])
        return self._beginnings, by_others, self._db.total_changes

    @property
    def beginnings(self) -> int:
        """Another value once the ids of versions may mean others than before."""
        return self._beginnings

    # Facts about the store as a whole

    def meta(self, key: str) -> str:
        """A kept value, or empty."""
        row = self._db.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()
        return str(row[0]) if row else ""

    def set_meta(self, key: str, value: str) -> None:
        """Keep a value."""
        with self._writing():
            self._db.execute("INSERT OR REPLACE INTO meta VALUES(?,?)", (key, value))

    def table_stamp(self, name: str) -> TableStamp | None:
        """What the table was after the last transaction; None where it never had one."""
        row = self._db.execute("SELECT version, rows FROM tables WHERE name=?", (name,)).fetchone()
        return TableStamp(*row) if row else None

    def stamp_table(self, name: str, stamp: TableStamp) -> None:
        """Record a table's state after a transaction that changed no version's rows."""
        with self._writing():
            self._stamp(name, stamp)

    def clear(self) -> None:
        """Forget all that is derived from the tables, which are to be built anew; ids go on.

        A catalog that is damaged itself is begun anew.
        """
        if not database.is_sound(self._db):
            self._db.close()
            self._db = database.begun_anew(self._folder)
            self._beginnings += 1
        with self._writing():
            for table in DERIVED:
                self._db.execute(f"DELETE FROM {table}")  # noqa: S608  # names of ours

    def erase(self) -> None:
        """Forget all but what is known of the catalog itself, and overwrite where it stood; ids go on."""
        self._db.execute("PRAGMA secure_delete=ON")
        self.clear()
        self.placings.forget_all()
        with self._writing():
            for table in DERIVED_FROM_LEDGER:
                self._db.execute(f"DELETE FROM {table}")  # noqa: S608  # names of ours
        self._db.execute("VACUUM")

    # File versions

    def reserve_versions(self, count: int) -> int:
        """The first of `count` version ids that nobody else will ever get."""
        return self._reserve("versions", count)

    def known_versions(self, files: Iterable[tuple[str, str]], policy: str) -> dict[tuple[str, str], int]:
        """The ids of those (path, blob) that are indexed under the policy."""
        by_key = {
            (bytes(path), bytes(blob)): int(number)
            for path, blob, number in self._db.execute(
                "SELECT path, blob, id FROM versions WHERE policy=?", (bytes.fromhex(policy),)
            )
        }
        wanted = ((file, by_key.get((os.fsencode(file[0]), bytes.fromhex(file[1])))) for file in files)
        return {file: number for file, number in wanted if number is not None}

    def record_versions(
        self, versions: Sequence[NewVersion], policy: str, stamps: Mapping[str, TableStamp] = NO_STAMPS
    ) -> None:
        """Make versions known whose chunks are stored, with the stamps of the tables after that."""
        rows = [_row(version, policy) for version in versions]
        with self._writing():
            self._db.executemany("INSERT OR REPLACE INTO versions VALUES(?,?,?,?,?,?,?,?,?,?,?)", rows)
            for name, stamp in stamps.items():
                self._stamp(name, stamp)

    def blobs(self, ids: Sequence[int]) -> dict[str, str]:
        """Path to blob of the versions with these ids."""
        wanted = set(ids)
        rows = self._db.execute("SELECT id, path, blob FROM versions")
        return {os.fsdecode(path): blob.hex() for number, path, blob in rows if number in wanted}

    def blob_of_each(self, ids: Sequence[int]) -> dict[int, str]:
        """The blob of each version with one of these ids; a path may have several of them."""
        wanted = set(ids)
        rows = self._db.execute("SELECT id, blob FROM versions")
        return {number: blob.hex() for number, blob in rows if number in wanted}

    def versions(self, ids: Sequence[int]) -> list[Version]:
        """The versions with these ids, in the order of their ids."""
        wanted = set(ids)
        columns = "id, path, role, language, left_out, lines, bytes, chunks, words"
        rows = self._db.execute(f"SELECT {columns} FROM versions ORDER BY id")  # noqa: S608  # fixed columns
        return [Version(row[0], os.fsdecode(row[1]), _ROLES[row[2]], *row[3:]) for row in rows if row[0] in wanted]

    def dead_versions(self) -> list[int]:
        """Versions with chunks that no kept view shows."""
        live = self._shown()
        rows = self._db.execute("SELECT id FROM versions WHERE chunks > 0")
        return [number for (number,) in rows if number not in live]

    def live_versions(self) -> dict[int, int]:
        """How many chunks each version has that a kept view shows, where it has any."""
        live = self._shown()
        rows = self._db.execute("SELECT id, chunks FROM versions WHERE chunks > 0 ORDER BY id")
        return {number: chunks for number, chunks in rows if number in live}

    def drop_versions(self, ids: Iterable[int], stamps: Mapping[str, TableStamp]) -> None:
        """Forget versions whose chunks were deleted."""
        with self._writing():
            self._db.executemany("DELETE FROM versions WHERE id=?", ((number,) for number in ids))
            for name, stamp in stamps.items():
                self._stamp(name, stamp)

    def forget_table(self, name: str) -> None:
        """Forget the stamp of a table that was deleted."""
        with self._writing():
            self._db.execute("DELETE FROM tables WHERE name=?", (name,))

    # Episodes

    def reserve_episodes(self, count: int) -> int:
        """The first of `count` episode ids that nobody else will ever get."""
        return self._reserve("episodes", count)

    def known_episodes(self) -> dict[str, int]:
        """Commit to episode id, of every commit that is indexed."""
        return {commit.hex(): number for number, commit in self._db.execute("SELECT id, commit_id FROM episodes")}

    def record_episodes(self, episodes: Iterable[tuple[int, str]], stamp: TableStamp) -> None:
        """Make (id, commit) known, whose rows are stored."""
        rows = [(number, bytes.fromhex(commit)) for number, commit in episodes]
        with self._writing():
            self._db.executemany("INSERT OR REPLACE INTO episodes VALUES(?,?)", rows)
            self._stamp("episodes", stamp)

    @property
    def placings(self) -> Placings:
        """What was found of the anchors of memories."""
        return Placings(self._db)

    @property
    def unfound(self) -> Unfound:
        """Where commits that history lost were looked for in vain."""
        return Unfound(self._db)

    @property
    def changes(self) -> Changes:
        """What the newest commits did to lines."""
        return Changes(self._db)

    @property
    def trailers(self) -> Trailers:
        """What commit messages say of decisions."""
        return Trailers(self._db)

    @property
    def distilled(self) -> DistilledTable:
        """What was distilled from commits and sessions."""
        return DistilledTable(self._db)

    # Views and histories

    def view(self, view_id: str) -> View | None:
        """The view with this id, if it is kept."""
        row = self._db.execute("SELECT versions, chunk_words, file_words FROM views WHERE id=?", (view_id,)).fetchone()
        if row is None:
            return None
        view = View(_unpacked(row[0]), _statistics(row[1]), _statistics(row[2]))
        if view.id != view_id:
            raise StoreDamaged("the catalog is damaged: a view is not the one it is named after", "run repomem index")
        return view

    def nearest_view(self, versions: Iterable[int]) -> str:
        """The id of the kept view that differs least from these versions, or empty where none is kept."""
        return self._nearest("SELECT id, versions FROM views", set(versions))

    def history(self, head: str) -> History | None:
        """The history of a head, if it is kept."""
        row = self._db.execute("SELECT episodes, words FROM histories WHERE head=?", (head,)).fetchone()
        return History(head, _unpacked(row[0]), _statistics(row[1])) if row else None

    def nearest_history(self, episodes: Iterable[int]) -> str:
        """The name of the kept history that differs least from these episodes, or empty where none is kept."""
        return self._nearest("SELECT head, episodes FROM histories", set(episodes))

    def worktree(self, root: str) -> Worktree | None:
        """What the work tree at `root` showed when it was last indexed."""
        row = self._db.execute(_SELECT_WORKTREE + " WHERE root=?", (os.fsencode(root),)).fetchone()
        return _worktree(row) if row else None

    def worktrees(self) -> Iterator[Worktree]:
        """Every work tree that was indexed."""
        for row in self._db.execute(_SELECT_WORKTREE + " ORDER BY root"):
            yield _worktree(row)

    def publish(self, worktree: Worktree, view: View | None, history: History | None) -> None:
        """Show a new state of a work tree, at once and whole; a view or history that is kept is not written again."""
        with self._writing():
            now = 1 + int(self._db.execute("SELECT coalesce(max(used), 0) FROM views").fetchone()[0])
            if view and not self._keeps("views WHERE id=?", view.id):
                row = (view.id, _packed(view.versions), view.chunk_words.to_bytes(), view.file_words.to_bytes(), now)
                self._db.execute("INSERT INTO views VALUES(?,?,?,?,?)", row)
            if history and not self._keeps(
                "histories WHERE head=? AND episodes=?", history.head, _packed(history.episodes)
            ):
                packed = (history.head, _packed(history.episodes), history.words.to_bytes(), now)
                self._db.execute("INSERT OR REPLACE INTO histories VALUES(?,?,?,?)", packed)
            self._db.execute("UPDATE views SET used=? WHERE id=?", (now, worktree.view))
            self._db.execute("UPDATE histories SET used=? WHERE head=?", (now, worktree.history))
            shown = (os.fsencode(worktree.root), worktree.view, worktree.history, worktree.fingerprint)
            kept = (worktree.report, worktree.facts, worktree.brief, worktree.profile, worktree.decisions)
            marks = ",".join("?" * len((*shown, *kept)))
            self._db.execute(f"INSERT OR REPLACE INTO worktrees({_WORKTREE}) VALUES({marks})", (*shown, *kept))
            self._forget_unused("views", "id", "view")
            self._forget_unused("histories", "head", "history")

    def set_brief(self, root: str, brief: str) -> None:
        """Keep the brief without a query of a work tree, made after its state was published."""
        with self._writing():
            self._db.execute("UPDATE worktrees SET brief=? WHERE root=?", (brief, os.fsencode(root)))

    def drop_worktree(self, root: str) -> None:
        """Forget a work tree that is gone."""
        with self._writing():
            self._db.execute("DELETE FROM worktrees WHERE root=?", (os.fsencode(root),))

    # Behind them

    def _writing(self) -> AbstractContextManager[None]:
        return database.transaction(self._db)

    def _nearest(self, kept: str, wanted: set[int]) -> str:
        differences = (
            (len(wanted.symmetric_difference(_unpacked(packed))), name) for name, packed in self._db.execute(kept)
        )
        return min(differences, default=(0, ""))[1]

    def _keeps(self, where: str, *values: object) -> bool:
        return self._db.execute(f"SELECT 1 FROM {where}", values).fetchone() is not None  # noqa: S608  # fixed texts

    def _shown(self) -> set[int]:
        """The versions that any kept view shows."""
        return {number for blob in self._db.execute("SELECT versions FROM views") for number in _unpacked(blob[0])}

    def _stamp(self, name: str, stamp: TableStamp) -> None:
        self._db.execute("INSERT OR REPLACE INTO tables VALUES(?,?,?)", (name, stamp.version, stamp.rows))

    def _reserve(self, table: str, count: int) -> int:
        with self._writing():
            row = self._db.execute("SELECT seq FROM sqlite_sequence WHERE name=?", (table,)).fetchone()
            if row is None:
                self._db.execute("INSERT INTO sqlite_sequence VALUES(?,?)", (table, count))
                return 1
            self._db.execute("UPDATE sqlite_sequence SET seq=? WHERE name=?", (row[0] + count, table))
            return int(row[0]) + 1

    def _forget_unused(self, table: str, key: str, shown_as: str) -> None:
        self._db.execute(
            f"DELETE FROM {table} WHERE {key} NOT IN (SELECT {shown_as} FROM worktrees) AND {key} NOT IN "  # noqa: S608  # names from the lines above
            f"(SELECT {key} FROM {table} ORDER BY used DESC LIMIT {KEPT_VIEWS})"
        )


def _row(v: NewVersion, policy: str) -> tuple[object, ...]:
    key = (v.id, os.fsencode(v.path), bytes.fromhex(v.blob), bytes.fromhex(policy))
    return (*key, v.role.value, v.language, v.left_out, v.lines, v.bytes, v.chunks, v.words)


def _digest(ids: Sequence[int]) -> str:
    return hashlib.blake2b(_packed(ids), digest_size=12).hexdigest()


def _worktree(row: tuple[Any, ...]) -> Worktree:
    found = Worktree(os.fsdecode(row[0]), *row[1:])
    try:
        for kept in (found.report, found.facts, found.brief or "{}", found.profile, found.decisions):
            json.loads(kept)
    except ValueError as error:
        raise StoreDamaged("the catalog is damaged: a work tree's state cannot be read", "run repomem index") from error
    return found


def _statistics(data: bytes) -> WordStatistics:
    try:
        return WordStatistics.from_bytes(data)
    except (zlib.error, ValueError) as error:
        raise StoreDamaged("the catalog is damaged: word statistics cannot be read", "run repomem index") from error


def _packed(ids: Sequence[int]) -> bytes:
    try:
        return array("i", ids).tobytes()
    except OverflowError as error:
        raise StoreError("the index has used up its ids", "run repomem index --rebuild") from error


def _unpacked(data: bytes) -> tuple[int, ...]:
    ids = array("i")
    try:
        ids.frombytes(data)
    except ValueError as error:
        raise StoreDamaged("the catalog is damaged: a list of ids is cut short", "run repomem index") from error
    return tuple(ids)
