"""The SQLite file: opening, schema, format stamp, transactions.

It holds what must be quick to read without LanceDB. A rollback journal rather than a write-ahead log: readers then
need no write access, and recall works in a read-only sandbox.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from repomem.core.errors import StoreError

FILE_NAME: Final = "catalog.sqlite"
FORMAT: Final = 1  # raised when a table changes its meaning; an older catalog is then built anew
BUSY_MS: Final = 10_000  # a reader may meet a writer's commit, which takes milliseconds

_SCHEMA: Final = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE versions(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path BLOB NOT NULL, blob BLOB NOT NULL, policy BLOB NOT NULL,
    role TEXT NOT NULL, language TEXT NOT NULL, left_out TEXT NOT NULL,
    lines INTEGER NOT NULL, bytes INTEGER NOT NULL, chunks INTEGER NOT NULL, words INTEGER NOT NULL,
    UNIQUE(path, blob, policy));
CREATE TABLE views(
    id TEXT PRIMARY KEY, versions BLOB NOT NULL, chunk_words BLOB NOT NULL, file_words BLOB NOT NULL,
    used INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE worktrees(
    root BLOB PRIMARY KEY, view TEXT NOT NULL, history TEXT NOT NULL, fingerprint TEXT NOT NULL,
    report TEXT NOT NULL, facts TEXT NOT NULL, brief TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE episodes(id INTEGER PRIMARY KEY AUTOINCREMENT, commit_id BLOB NOT NULL UNIQUE);
CREATE TABLE histories(
    head TEXT PRIMARY KEY, episodes BLOB NOT NULL, words BLOB NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE tables(name TEXT PRIMARY KEY, version INTEGER NOT NULL, rows INTEGER NOT NULL) WITHOUT ROWID;
"""


def connect(folder: Path) -> sqlite3.Connection:
    """Open the catalog in `folder`, making it if needed; one of another format or damaged is begun anew.

    Where the folder cannot be written an existing catalog opens for reading. Raises StoreError where there is
    none and none can be made.
    """
    path = folder / FILE_NAME
    try:
        return _opened(path)
    except (sqlite3.DatabaseError, _OtherFormat) as error:
        if isinstance(error, sqlite3.OperationalError):
            return _read_only(path, error)
        for leftover in (path, path.with_name(path.name + "-journal")):
            leftover.unlink(missing_ok=True)
        return _opened(path)


class _OtherFormat(Exception):  # noqa: N818  # caught above, never seen outside
    """The catalog was written by another version of this schema."""


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_MS / 1000, isolation_level=None)
    connection.execute("PRAGMA synchronous=FULL")
    found = connection.execute("PRAGMA user_version").fetchone()[0]
    if found == 0:
        _create(connection)
    elif found != FORMAT:
        connection.close()
        raise _OtherFormat
    return connection


def _create(connection: sqlite3.Connection) -> None:
    with transaction(connection):
        if connection.execute("PRAGMA user_version").fetchone()[0]:
            return  # another process was quicker
        for statement in _SCHEMA.split(";\n"):
            if statement.strip():
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version={FORMAT}")


def _read_only(path: Path, cause: sqlite3.OperationalError) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True, isolation_level=None)
        if connection.execute("PRAGMA user_version").fetchone()[0] == FORMAT:
            return connection
    except sqlite3.OperationalError:
        pass
    raise StoreError(
        f"cannot open the index at {path}: {cause}",
        "check that the folder exists, can be written, and that the disk is not full",
    ) from cause


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing; on the disk when it ends."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
