"""File versions: (path, blob, policy) with an id that is never reused.

The policy is a hash of all settings that change how a file is read.
"""

import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from repomem.adapters.sqlite import database
from repomem.adapters.sqlite.catalog_rows import FileVersion, TableStamp, unpack_ids
from repomem.core.types.code import Role

_ROLES = {role.value: role for role in Role}


class FileVersions(database.Table):
    """The table `versions` of an open catalog."""

    def reserve(self, count: int) -> int:
        """Reserve `count` consecutive ids; the first of them."""
        return database.reserve_ids(self._db, "versions", count)

    def known(self, files: Iterable[tuple[str, str]], policy: str) -> dict[tuple[str, str], int]:
        """The ids of those (path, blob) that are indexed under the policy."""
        by_key = {
            (bytes(path), bytes(blob)): int(number)
            for path, blob, number in self._db.execute(
                "SELECT path, blob, id FROM versions WHERE policy=?", (bytes.fromhex(policy),)
            )
        }
        wanted = ((file, by_key.get((os.fsencode(file[0]), bytes.fromhex(file[1])))) for file in files)
        return {file: number for file, number in wanted if number is not None}

    def record(self, versions: Sequence[FileVersion], policy: str, stamps: Mapping[str, TableStamp]) -> None:
        """Record versions after their chunks were stored, with the stamps of the changed tables."""
        rows = [_row(version, policy) for version in versions]
        with database.transaction(self._db):
            self._db.executemany("INSERT OR REPLACE INTO versions VALUES(?,?,?,?,?,?,?,?,?,?)", rows)
            write_stamps(self._db, stamps)

    def drop(self, ids: Iterable[int], stamps: Mapping[str, TableStamp]) -> None:
        """Delete versions after their chunks were deleted."""
        with database.transaction(self._db):
            self._db.executemany("DELETE FROM versions WHERE id=?", ((number,) for number in ids))
            write_stamps(self._db, stamps)

    def with_ids(self, ids: Sequence[int]) -> list[FileVersion]:
        """The versions with these ids, in the order of their ids."""
        wanted = set(ids)
        columns = "id, path, blob, role, language, left_out, lines, bytes, chunks"
        rows = self._db.execute(f"SELECT {columns} FROM versions ORDER BY id")  # noqa: S608  # fixed columns
        return [
            FileVersion(row[0], os.fsdecode(row[1]), row[2].hex(), _ROLES[row[3]], *row[4:])
            for row in rows
            if row[0] in wanted
        ]

    def blobs(self, ids: Sequence[int]) -> dict[int, str]:
        """The blob of each version with one of these ids."""
        wanted = set(ids)
        rows = self._db.execute("SELECT id, blob FROM versions")
        return {number: blob.hex() for number, blob in rows if number in wanted}

    def blob_by_path(self, ids: Sequence[int]) -> dict[str, str]:
        """The blob of each path among the versions with these ids, which belong to one view."""
        wanted = set(ids)
        rows = self._db.execute("SELECT id, path, blob FROM versions")
        return {os.fsdecode(path): blob.hex() for number, path, blob in rows if number in wanted}

    def dead(self) -> list[int]:
        """Versions with chunks that are in no kept view."""
        live = self._in_views()
        rows = self._db.execute("SELECT id FROM versions WHERE chunks > 0")
        return [number for (number,) in rows if number not in live]

    def live_chunks(self) -> dict[int, int]:
        """The number of chunks of each version that has any and is in a kept view."""
        live = self._in_views()
        rows = self._db.execute("SELECT id, chunks FROM versions WHERE chunks > 0 ORDER BY id")
        return {number: chunks for number, chunks in rows if number in live}

    def _in_views(self) -> set[int]:
        return {number for (packed,) in self._db.execute("SELECT versions FROM views") for number in unpack_ids(packed)}


def write_stamps(connection: sqlite3.Connection, stamps: Mapping[str, TableStamp]) -> None:
    """Write the stamps of tables, within a transaction."""
    rows = [(name, stamp.version, stamp.rows) for name, stamp in stamps.items()]
    connection.executemany("INSERT OR REPLACE INTO tables VALUES(?,?,?)", rows)


def _row(v: FileVersion, policy: str) -> tuple[object, ...]:
    key = (v.id, os.fsencode(v.path), bytes.fromhex(v.blob), bytes.fromhex(policy))
    return (*key, v.role.value, v.language, v.left_out, v.lines, v.bytes, v.chunks)
