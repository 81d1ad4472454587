"""Sessions of OpenCode: rows of its SQLite database, or the JSON files of its older storage, read and never written.

A session's rows are given as lines of JSON, in the form that `adapters.transcripts.opencode` reads: the session, then
each message with its parts behind it.
"""

import json
import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

MOST_ROWS = 200_000  # of a session; a long one has some thousands
MOST_BYTES = 64 << 20  # of a session that are read
LONGEST = 4 << 20  # bytes of one row or file
_Answer = TypeVar("_Answer")
_TIMEOUT = 1.0  # seconds to wait while OpenCode writes

_SESSIONS = "SELECT * FROM session WHERE parent_id IS NULL OR parent_id = ''"
_ORDERED = "SELECT * FROM {table} WHERE session_id = ? ORDER BY id LIMIT ?"


@dataclass(frozen=True, slots=True)
class OpencodeSession:
    """One session, and where it is stored."""

    path: Path  # the database, or the session's own file
    session: str
    changed: float  # seconds since 1970
    folder: str


def sessions(root: Path) -> list[OpencodeSession]:
    """All sessions but those of sub-agents, of databases and of the older storage; one that was moved is told once."""
    found: dict[str, OpencodeSession] = {}
    for database in sorted(root.glob("opencode*.db")):
        for each in _from_database(database):
            found.setdefault(each.session, each)
    for file in sorted(root.glob("storage/session/*/*.json")):
        if one := _from_file(file):
            found.setdefault(one.session, one)
    return list(found.values())


def rows_of(path: Path, session: str) -> list[bytes]:
    """The rows of a session as lines of JSON; none where the place cannot be read."""
    return _bounded(_database_rows(path, session) if path.suffix == ".db" else _file_rows(path, session))


def _bounded(rows: Iterator[dict[str, object]]) -> list[bytes]:
    lines: list[bytes] = []
    size = 0
    for row in rows:
        line = json.dumps(row).encode()
        size += len(line)
        if size > MOST_BYTES:
            break
        lines.append(line)
    return lines


def _from_database(path: Path) -> list[OpencodeSession]:
    def read(connection: sqlite3.Connection) -> list[OpencodeSession]:
        rows = [dict(row) for row in connection.execute(_SESSIONS)]
        return [_session(path, {**_data(row), **row}) for row in rows]

    return _asked(path, read)


def _session(path: Path, told: dict[str, object]) -> OpencodeSession:
    times = told.get("time")
    written = told.get("time_updated") or (times.get("updated") if isinstance(times, dict) else 0)
    changed = written / 1000 if isinstance(written, int | float) else 0.0
    return OpencodeSession(path, str(told.get("id") or ""), changed, str(told.get("directory") or ""))


def _database_rows(path: Path, session: str) -> Iterator[dict[str, object]]:
    def read(connection: sqlite3.Connection) -> list[dict[str, object]]:
        rows: list[dict[str, object]] = []
        for row in connection.execute("SELECT * FROM session WHERE id = ?", (session,)):
            told = dict(row)
            rows.append({"table": "session", "id": session, "data": {**_data(told), **_plain(told)}})
        for table in ("message", "part"):
            for row in connection.execute(_ORDERED.format(table=table), (session, MOST_ROWS)):  # of two fixed names
                told = dict(row)
                if len(told.get("data") or "") <= LONGEST:
                    rows.append({"table": table, **_plain(told), "data": _data(told)})
        return rows

    yield from _asked(path, read)


def _plain(row: dict[str, object]) -> dict[str, object]:
    """The columns that hold text or numbers, those with JSON read."""
    told: dict[str, object] = {}
    for name, value in row.items():
        if name == "revert" and isinstance(value, str):
            told[name] = _json(value)
        elif isinstance(value, str | int | float):
            told[name] = value
    return told


def _data(row: dict[str, object]) -> dict[str, object]:
    data = row.get("data")
    return _json(data) if isinstance(data, str | bytes) else {}


def _json(text: str | bytes) -> dict[str, object]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _asked(path: Path, question: Callable[[sqlite3.Connection], list[_Answer]]) -> list[_Answer]:
    """What a database answers that is opened for reading; nothing where neither way of opening does.

    A database whose folder cannot be written has no place for its shared memory: it is read as it lies there.
    """
    if path.is_symlink() or not path.is_file():
        return []
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        try:
            with closing(sqlite3.connect(f"file:{quote(str(path))}?{mode}", uri=True, timeout=_TIMEOUT)) as connection:
                connection.row_factory = sqlite3.Row
                return question(connection)
        except sqlite3.Error:
            continue
    return []


def _from_file(path: Path) -> OpencodeSession | None:
    told = _read(path)
    if not told or told.get("parentID"):
        return None
    return _session(path, {**told, "id": told.get("id") or path.stem})


def _file_rows(path: Path, session: str) -> Iterator[dict[str, object]]:
    """The rows of the older storage: a file for the session, for each message and for each part."""
    storage = path.parent.parent.parent
    yield {"table": "session", "id": session, "data": _read(path)}
    for message in _files(storage / "message" / session):
        yield {"table": "message", "id": message.stem, "data": _read(message)}
        for part in _files(storage / "part" / message.stem):
            yield {"table": "part", "id": part.stem, "message_id": message.stem, "data": _read(part)}


def _files(folder: Path) -> list[Path]:
    """The files of a folder in the order of their names, which is that of time."""
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.is_file(follow_symlinks=False))
    except OSError:
        return []
    return [folder / name for name in names if name.endswith(".json")]


def _read(path: Path) -> dict[str, object]:
    try:
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > LONGEST:
            return {}
        return _json(path.read_bytes())
    except OSError:
        return {}
