"""Reads OpenCode: its SQLite database, the JSON files of its older storage, and documents of `opencode export`.

`rows_of` turns stored sessions into lines of JSON, which `read` takes:
`{"table": "session" | "message" | "part", "id": …, "message_id": …, "data": {…}}`, each message before its parts.
Reverted messages are left out. Nothing is written.
"""

import json
import os
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from repomem.adapters.transcripts.events import Act, Result, Words, shortened, steps_of
from repomem.adapters.transcripts.json_shapes import inner, items, joined, mapping, parsed, records, text_at, time_of
from repomem.adapters.transcripts.steps import StepKind, Transcript, TranscriptFile, of_subagent
from repomem.adapters.transcripts.tool_calls import UNKNOWN_FAILURE, call_of, exit_code, is_refusal
from repomem.core.files import bytes_of

HOST = "opencode"
MOST_ROWS = 200_000  # of a session; a long one has some thousands
MOST_BYTES = 64 << 20  # of a session that are read
LONGEST = 4 << 20  # bytes of one row or file
_TIMEOUT = 1.0  # seconds to wait while OpenCode writes

_SESSIONS = "SELECT * FROM session WHERE parent_id IS NULL OR parent_id = ''"
_CHILDREN = "SELECT * FROM session WHERE parent_id = ?"
_ORDERED = "SELECT * FROM {table} WHERE session_id = ? ORDER BY id LIMIT ?"
_TABLES = ("message", "part")


def read(lines: Iterable[bytes | str]) -> Transcript:
    """Read a session from its rows or from an exported document."""
    session: Mapping[str, object] = {}
    messages: dict[str, Mapping[str, object]] = {}
    parts: dict[str, list[Mapping[str, object]]] = defaultdict(list)  # by the message that they belong to
    for row in _document(list(lines)):
        data = {"id": row.get("id"), **parsed(row.get("data"))}
        if row.get("table") == "session":
            session = data
        elif row.get("table") == "message":
            messages[text_at(row, "id")] = data
        elif row.get("table") == "part":
            parts[text_at(row, "message_id") or text_at(data, "messageID")].append(data)
    acts = [act for name, message in messages.items() for act in _acts(message, parts[name])]
    steps = steps_of(_before_revert(acts, session))
    name = text_at(session, "id")
    return Transcript(
        host=HOST,
        session=name,
        folder=text_at(session, "directory"),
        steps=of_subagent(steps, name) if text_at(session, "parent_id", "parentID") else steps,
        started=time_of(inner(session, "time", "created") or session.get("time_created")),
    )


def _document(lines: list[bytes | str]) -> Iterable[Mapping[str, object]]:
    """Parse the lines as rows, or all of them as one exported document."""
    whole = joined(lines)
    start = whole.find(b"{")  # `opencode export` prints a message first
    document = parsed(whole[start:]) if start >= 0 else {}
    return _rows(document) if "messages" in document else records(lines)


def _rows(document: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    yield {"table": "session", "data": document.get("info")}
    for message in items(document.get("messages")):
        info = mapping(inner(message, "info"))
        yield {"table": "message", "id": info.get("id"), "data": info}
        for part in items(inner(message, "parts")):
            yield {"table": "part", "id": inner(part, "id"), "message_id": info.get("id"), "data": part}


def _before_revert(acts: list[Act], session: Mapping[str, object]) -> list[Act]:
    """Keep the acts before the message or part that the session was reverted to."""
    target = text_at(session.get("revert"), "partID") or text_at(session.get("revert"), "messageID")
    starts = (at for at, act in enumerate(acts) if isinstance(act, Words) and target in act.key.split("/"))
    return acts[: next(starts, None)] if target else acts


def _acts(message: Mapping[str, object], parts: Iterable[Mapping[str, object]]) -> Iterator[Act]:
    if message.get("summary") is True:  # of the compacted messages
        return
    at, name = time_of(inner(message, "time", "created")), text_at(message, "id")
    kind = StepKind.ASKED if message.get("role") == "user" else StepKind.SAID
    for part in parts:
        key = text_at(part, "id")
        if part.get("type") == "text" and not (part.get("synthetic") is True or part.get("ignored") is True):
            text = text_at(part, "text")
            yield Words(kind, _unquoted(text) if kind is StepKind.ASKED else text, at, f"{name}/{key}")
        elif part.get("type") == "tool":
            state = mapping(part.get("state"))
            call = text_at(part, "callID") or key
            yield call_of(call, text_at(part, "tool"), state.get("input"), time_of(inner(state, "time", "start")) or at)
            yield from _result(call, state)


def _unquoted(prompt: str) -> str:
    """Remove the quotation marks that `opencode run` puts around a prompt."""
    inside = prompt.strip()[1:-1]
    is_quoted = prompt.strip() == f'"{inside}"' and '"' not in inside.replace('\\"', "")
    return inside.replace('\\"', '"') if is_quoted else prompt


def _result(call: str, state: Mapping[str, object]) -> Iterator[Result]:
    output = text_at(state, "output", "error")
    code = inner(state, "metadata", "exit")
    found = code if isinstance(code, int) else exit_code(output)
    if state.get("status") == "completed":
        yield Result(call, shortened(output), found or 0)
    elif state.get("status") == "error":
        is_edit = not isinstance(inner(state, "input", "command"), str)
        is_refused = is_refusal(output) or "rejected permission" in output
        failure = UNKNOWN_FAILURE if found is None else found
        yield Result(call, shortened(output), failure, is_refused, is_void=is_edit and not is_refused)


def sessions(root: Path) -> list[TranscriptFile]:
    """List all sessions but those of sub-agents; one in both a database and the older storage is listed once."""
    found: dict[str, TranscriptFile] = {}
    for database in sorted(root.glob("opencode*.db")):
        for each in _from_database(database, _SESSIONS):
            found.setdefault(each.session, each)
    for parent, each in _from_files(root.glob("storage/session/*/*.json")):
        if not parent:
            found.setdefault(each.session, each)
    return list(found.values())


def children_of(path: Path, session: str) -> list[TranscriptFile]:
    """List the sessions that a session started, in the storage that holds it."""
    if path.suffix == ".db":
        return _from_database(path, _CHILDREN, session)
    return [each for parent, each in _from_files(path.parent.glob("*.json")) if parent == session]


def rows_of(path: Path, session: str) -> list[bytes]:
    """A session's rows as lines of JSON; none if it cannot be read."""
    return _bounded(_database_rows(path, session) if path.suffix == ".db" else _storage_rows(path, session))


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


def _from_database(path: Path, question: str, *values: str) -> list[TranscriptFile]:
    [rows] = _query(path, (question, values))
    return [_stored(path, {**parsed(row.get("data")), **row}) for row in rows]


def _stored(path: Path, row: Mapping[str, object]) -> TranscriptFile:
    written = row.get("time_updated") or inner(row, "time", "updated")
    changed = written / 1000 if isinstance(written, int | float) else 0.0
    return TranscriptFile(HOST, path, str(row.get("id") or ""), changed, 0, str(row.get("directory") or ""))


def _database_rows(path: Path, session: str) -> Iterator[dict[str, object]]:
    ordered = ((_ORDERED.format(table=table), (session, MOST_ROWS)) for table in _TABLES)
    own, *others = _query(path, ("SELECT * FROM session WHERE id = ?", (session,)), *ordered)
    for row in own:
        yield {"table": "session", "id": session, "data": {**parsed(row.get("data")), **_plain(row)}}
    for table, rows in zip(_TABLES, others, strict=True):
        for row in rows:
            if len(row.get("data") or "") <= LONGEST:
                yield {"table": table, **_plain(row), "data": parsed(row.get("data"))}


def _plain(row: dict[str, object]) -> dict[str, object]:
    """Keep the columns with text or numbers; `revert` holds JSON."""
    kept = {name: value for name, value in row.items() if isinstance(value, str | int | float)}
    return kept | {name: parsed(value) for name, value in kept.items() if name == "revert" and isinstance(value, str)}


def _query(path: Path, *questions: tuple[str, Sequence[object]]) -> list[list[dict[str, Any]]]:
    """The rows for each question to a database, opened read-only; none if it cannot be read.

    In a folder that cannot be written, SQLite has no place for its shared memory: `immutable` reads without it.
    """
    modes = () if path.is_symlink() or not path.is_file() else ("mode=ro", "mode=ro&immutable=1")
    for mode in modes:
        try:
            with closing(sqlite3.connect(f"file:{quote(str(path))}?{mode}", uri=True, timeout=_TIMEOUT)) as connection:
                connection.row_factory = sqlite3.Row
                return [[dict(row) for row in connection.execute(*question)] for question in questions]
        except sqlite3.Error:
            continue
    return [[] for _ in questions]


def _from_files(paths: Iterable[Path]) -> Iterator[tuple[object, TranscriptFile]]:
    """The sessions of the older storage, each with the id of its parent."""
    for path in sorted(paths):
        if row := _json_file(path):
            yield row.get("parentID"), _stored(path, {**row, "id": row.get("id") or path.stem})


def _storage_rows(path: Path, session: str) -> Iterator[dict[str, object]]:
    """The rows of the older storage: one file each for the session, its messages and their parts."""
    storage = path.parent.parent.parent
    yield {"table": "session", "id": session, "data": _json_file(path)}
    for message in _json_files(storage / "message" / session):
        yield {"table": "message", "id": message.stem, "data": _json_file(message)}
        for part in _json_files(storage / "part" / message.stem):
            yield {"table": "part", "id": part.stem, "message_id": message.stem, "data": _json_file(part)}


def _json_files(folder: Path) -> list[Path]:
    """List a folder's JSON files by name, which is by time."""
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.is_file(follow_symlinks=False))
    except OSError:
        return []
    return [folder / name for name in names if name.endswith(".json")]


def _json_file(path: Path) -> Mapping[str, object]:
    return parsed(bytes_of(path, LONGEST))
