"""The SQLite file: opening, schema, format stamp, transactions.

It stores data that must be read quickly, without LanceDB. It uses a rollback journal, not a write-ahead log, so readers
need no write access and recall works in a read-only sandbox. SQLite errors become StoreDamaged, or StoreError if the
disk is full, read-only, or locked by another process.
"""

import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

from repomem.core.disk_errors import store_errors
from repomem.core.errors import StoreDamaged, StoreError
from repomem.core.grouping import batches

FILE_NAME: Final = "catalog.sqlite"
FORMAT: Final = 6  # increased when a table changes; an older catalog is then rebuilt
_NOT_DAMAGE: Final = frozenset(
    {
        *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_FULL),
        *(sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN),
        *(sqlite3.SQLITE_IOERR, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_TOOBIG),
    }
)
AT_ONCE: Final = 500  # values in a query: SQLite allows 999 in old versions
BUSY_MS: Final = 10_000  # a reader may have to wait for a commit, which takes milliseconds

_SCHEMA: Final = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE versions(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path BLOB NOT NULL, blob BLOB NOT NULL, policy BLOB NOT NULL,
    role TEXT NOT NULL, language TEXT NOT NULL, left_out TEXT NOT NULL,
    lines INTEGER NOT NULL, bytes INTEGER NOT NULL, chunks INTEGER NOT NULL,
    UNIQUE(path, blob, policy));
CREATE TABLE views(
    id TEXT PRIMARY KEY, versions BLOB NOT NULL, chunk_words BLOB NOT NULL, file_words BLOB NOT NULL,
    used INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE worktrees(
    root BLOB PRIMARY KEY, view TEXT NOT NULL, history TEXT NOT NULL, fingerprint TEXT NOT NULL,
    report TEXT NOT NULL, facts TEXT NOT NULL, brief TEXT NOT NULL, profile TEXT NOT NULL,
    decisions TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE episodes(id INTEGER PRIMARY KEY AUTOINCREMENT, commit_id BLOB NOT NULL UNIQUE);
CREATE TABLE histories(
    head TEXT PRIMARY KEY, episodes BLOB NOT NULL, words BLOB NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE commits(
    commit_id BLOB PRIMARY KEY, parents BLOB NOT NULL, subject TEXT NOT NULL, kind TEXT NOT NULL,
    reverts TEXT NOT NULL, is_cut INTEGER NOT NULL, is_removal_cut INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE changes(
    commit_id BLOB NOT NULL, path BLOB NOT NULL, symbol TEXT NOT NULL, old_path BLOB NOT NULL,
    added BLOB NOT NULL, removed BLOB NOT NULL, altered BLOB NOT NULL,
    PRIMARY KEY(commit_id, path, symbol)) WITHOUT ROWID;
CREATE INDEX changes_of_path ON changes(path);
CREATE TABLE trailers(
    commit_id BLOB NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
    author TEXT NOT NULL, date TEXT NOT NULL, subject TEXT NOT NULL, PRIMARY KEY(commit_id, place)) WITHOUT ROWID;
CREATE TABLE placings(
    anchor BLOB NOT NULL, blob TEXT NOT NULL, placed TEXT NOT NULL, PRIMARY KEY(anchor, blob)) WITHOUT ROWID;
CREATE TABLE unfound(
    id INTEGER PRIMARY KEY AUTOINCREMENT, commit_id BLOB NOT NULL, head BLOB NOT NULL, refs TEXT NOT NULL,
    UNIQUE(commit_id, head));
CREATE TABLE memory_words(memory TEXT PRIMARY KEY, words TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE memory_vectors(
    memory TEXT NOT NULL, model TEXT NOT NULL, vector BLOB NOT NULL, PRIMARY KEY(memory, model)) WITHOUT ROWID;
CREATE TABLE sentence_scores(
    id INTEGER PRIMARY KEY AUTOINCREMENT, sentence BLOB NOT NULL UNIQUE, scores BLOB NOT NULL);
CREATE TABLE tables(name TEXT PRIMARY KEY, version INTEGER NOT NULL, rows INTEGER NOT NULL) WITHOUT ROWID;
"""


def connect(folder: Path) -> sqlite3.Connection:
    """Open or create the catalog in `folder`; recreate one that is damaged or of an older format.

    In a read-only folder an existing catalog is opened for reading. Raises StoreError if it can be neither opened nor
    created, or was written by a newer repomem.
    """
    path = folder / FILE_NAME
    if path.is_dir():
        return recreate(folder)
    try:
        connection = _opened(path)
    except StoreDamaged:
        return recreate(folder)
    except StoreError as error:
        connection = _read_only(path, error)
    found = _format_of(connection)
    if found == FORMAT:
        return connection
    connection.close()
    if found > FORMAT:
        raise StoreError("the index was written by a newer repomem", f"upgrade repomem, or delete {folder}")
    return recreate(folder)


def has_catalog(folder: Path) -> bool:
    """Whether `folder` has a catalog, even a damaged one."""
    return (folder / FILE_NAME).is_file()


def file_of(folder: Path) -> tuple[int, int]:
    """The device and inode of the catalog file, which change if it is replaced; zeros if there is no file."""
    try:
        found = (folder / FILE_NAME).stat()
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino


def recreate(folder: Path) -> sqlite3.Connection:
    """Replace an unusable catalog, or a folder in its place, by an empty one."""
    path = folder / FILE_NAME
    with store_errors("replace", path, "check the owner and mode of its folder"):
        for leftover in (path, path.with_name(path.name + "-journal")):
            if leftover.is_dir() and not leftover.is_symlink():
                shutil.rmtree(leftover)
            else:
                leftover.unlink(missing_ok=True)
    return _opened(path)


def is_sound(connection: sqlite3.Connection) -> bool:
    """Whether the file passes SQLite's integrity check, which reads every page."""
    try:
        return bool(connection.execute("PRAGMA integrity_check(1)").fetchone()[0] == "ok")
    except StoreDamaged:
        return False


class Table:
    """One or more tables of an open catalog."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except sqlite3.ProgrammingError:
        raise  # a bug in repomem
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorname", "") == "SQLITE_READONLY_DBMOVED":
            raise StoreError(
                "the index was deleted by another process while this command ran", "run the command again"
            ) from error
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _NOT_DAMAGE:  # the low byte is the kind of error
            hint = "check that its folder can be written, that the disk is not full, and that no other repomem hangs"
            raise StoreError(f"the catalog cannot be used: {error}", hint) from error
        raise StoreDamaged(f"the catalog is damaged: {error}", "run repomem index") from error


class _Cursor(sqlite3.Cursor):
    """A cursor that raises repomem's errors."""

    execute = _translated()(sqlite3.Cursor.execute)
    executemany = _translated()(sqlite3.Cursor.executemany)
    fetchone = _translated()(sqlite3.Cursor.fetchone)
    fetchall = _translated()(sqlite3.Cursor.fetchall)

    def __iter__(self) -> Iterator[Any]:  # type: ignore[override]  # the type checker expects a cursor to be its own iterator
        return iter(self.fetchall())  # translating errors row by row would cost 3 µs a row


class _Connection(sqlite3.Connection):
    """A connection whose cursors raise repomem's errors."""

    def execute(self, *arguments: Any) -> _Cursor:
        return self.cursor(_Cursor).execute(*arguments)

    def executemany(self, sql: str, rows: Iterable[Any], /) -> _Cursor:
        return self.cursor(_Cursor).executemany(sql, rows)


# A server uses a connection from several threads, never at the same time.
_connect = partial(sqlite3.connect, isolation_level=None, factory=_Connection, check_same_thread=False)


def _opened(path: Path) -> sqlite3.Connection:
    with _translated():
        connection = _connect(path, timeout=BUSY_MS / 1000)
    try:
        connection.execute("PRAGMA synchronous=FULL")
        if _format_of(connection) == 0:
            _create(connection)
    except StoreError:
        connection.close()
        raise
    return connection


def _format_of(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _create(connection: sqlite3.Connection) -> None:
    with transaction(connection):
        if _format_of(connection):
            return  # another process created it first
        for statement in _SCHEMA.split(";\n"):
            if statement.strip():
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version={FORMAT}")


def _read_only(path: Path, cause: StoreError) -> sqlite3.Connection:
    with suppress(StoreError), _translated():
        connection = _connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)
        if _format_of(connection):
            return connection
        connection.close()
    raise StoreError(
        f"cannot open the index at {path}: {cause.message}",
        "check that the folder exists, can be written, and that the disk is not full",
    ) from cause


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Run a transaction; it is synced to the disk at the end."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")  # also fails if a reader keeps its lock
    except BaseException:
        if connection.in_transaction:  # SQLite itself rolls back when the disk is full
            connection.execute("ROLLBACK")
        raise


def rows_of(connection: sqlite3.Connection, select: str, values: Iterable[Any], *more: Any) -> Iterator[Any]:
    """The rows of a query with `{}` for the list of many values; `more` are the values of the marks before it."""
    for some in batches(values, AT_ONCE):
        yield from connection.execute(select.format(f"({','.join('?' * len(some))})"), (*more, *some))


def reserve_ids(connection: sqlite3.Connection, table: str, count: int) -> int:
    """Reserve `count` consecutive ids of a table, which are never reused; the first of them."""
    with transaction(connection):
        row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name=?", (table,)).fetchone()
        if row is None:
            connection.execute("INSERT INTO sqlite_sequence VALUES(?,?)", (table, count))
            return 1
        connection.execute("UPDATE sqlite_sequence SET seq=? WHERE name=?", (row[0] + count, table))
        return int(row[0]) + 1
