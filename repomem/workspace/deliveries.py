"""Records what hooks showed to agent sessions, and its use: private, bounded files next to the index.

Two files for each session: a line for each delivery, written by hooks, and its use, written from the transcript. They
hold ids and paths, no text. A third holds the text of an answer that came too late for its prompt, until the next
prompt. All may be lost, which only lowers the figures of use. Hooks import this module, so it must be cheap.
"""

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from repomem.core.digests import short_digest
from repomem.core.files import append_to, bytes_of, delete_files_in, replace_file

FOLDER = "deliveries"
LATE = ".late"  # the suffix of a late answer
SHADOW = "shadow"  # of the variable REPOMEM: hooks record their output instead of showing it
DAYS_KEPT = 30.0  # like what hooks know of sessions
MOST_SESSIONS = 500
MOST_BYTES = 64 << 10  # of the deliveries of one session; later ones are not recorded
MOST_NAMES = 100  # ids, or paths, of one delivery


@dataclass(frozen=True, slots=True)
class Delivery:
    """The output of one hook call, shown or only recorded."""

    event: str  # session-start, prompt, subagent-start, file, command
    ids: tuple[str, ...]  # of memories, or prefixes of them
    paths: tuple[str, ...] = ()  # of code locations
    tokens: int = 0
    is_silent: bool = False
    at: float = 0.0  # seconds since 1970
    agent: str = ""  # the sub-agent that it was shown to; empty: the session's own agent


class Usage(NamedTuple):
    """An agent's first actions after a memory or a code location was shown."""

    is_opened: bool = False  # its file was read
    is_edited: bool = False
    is_run: bool = False  # the command that the memory names
    is_measurable: bool = True  # has a file or a command, so that a transcript can show its use

    @property
    def was_acted_on(self) -> bool:
        """Whether the agent acted on it."""
        return self.is_opened or self.is_edited or self.is_run


@dataclass(frozen=True, slots=True)
class SessionUse:
    """A session's use of hook output, as far as its transcript shows."""

    host: str
    session: str
    is_silent: bool = False  # hooks only recorded their output
    tokens: int = 0  # of all deliveries
    reads: int | None = None  # files read before the first edit; None if nothing was edited
    edited: int = 0  # files that it edited
    foreseen: int = 0  # of these, those shown before as a location or as a memory's file
    memories: Mapping[str, Usage] = field(default_factory=dict)  # by id
    places: Mapping[str, Usage] = field(default_factory=dict)  # by path

    @property
    def group(self) -> str:
        """The group in comparisons of sessions: brief, silent or none."""
        if not (self.memories or self.places or self.tokens):
            return "none"
        return "silent" if self.is_silent else "brief"


def is_shadow() -> bool:
    """Whether hooks record their output instead of showing it."""
    return os.environ.get("REPOMEM", "").casefold() == SHADOW


def record_delivery(folder: Path, host: str, session: str, delivery: Delivery) -> None:
    """Record a delivery in a clone's folder, if that is writable: one line, appended in one write."""
    if not session:
        return
    line = {
        **asdict(delivery),
        "ids": delivery.ids[:MOST_NAMES],
        "paths": delivery.paths[:MOST_NAMES],
        "at": delivery.at or time.time(),
    }
    path = _path(folder, host, session, ".jsonl")
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, exist_ok=True)
        append_to(path, json.dumps(line).encode() + b"\n", MOST_BYTES)


def deliveries_of(folder: Path, host: str, session: str) -> list[Delivery]:
    """The deliveries to a session, in order; a damaged line is skipped."""
    lines = bytes_of(_path(folder, host, session, ".jsonl"), MOST_BYTES).split(b"\n")
    return [found for line in lines if (found := _delivery(line))]


def record_session_use(folder: Path, use: SessionUse) -> None:
    """Record a session's use, if the folder is writable."""
    path = _path(folder, use.host, use.session, ".use.json")
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, exist_ok=True)
        replace_file(path, json.dumps(asdict(use)).encode(), is_synced=False)


def uses_in(folder: Path) -> Iterator[SessionUse]:
    """The use by sessions of the last 30 days; a damaged file is skipped."""
    oldest = time.time() - DAYS_KEPT * 24 * 60 * 60
    for path in sorted((folder / FOLDER).glob("*.use.json")):
        with suppress(OSError, ValueError, TypeError, KeyError, RecursionError, AttributeError):
            if path.stat().st_mtime >= oldest:
                yield _use(json.loads(path.read_bytes()))


def drop_old_deliveries(folder: Path) -> None:
    """Delete files older than 30 days, and all but the newest sessions."""
    oldest = time.time() - DAYS_KEPT * 24 * 60 * 60
    found: list[tuple[float, Path]] = []
    for path in (folder / FOLDER).glob("*"):
        with suppress(OSError):
            found.append((path.stat().st_mtime, path))
    newest = sorted(found, reverse=True)[: 2 * MOST_SESSIONS]
    recent = {path for changed, path in newest if changed >= oldest}
    for _, path in found:
        if path not in recent:
            with suppress(OSError):
                path.unlink()


def late_answer_file(folder: Path, host: str, session: str) -> Path:
    """Where the late answer for a session is."""
    return _path(folder, host, session, LATE)


def delete_late_answers(folder: Path) -> None:
    """Delete all late answers, and drafts of them. Raises OSError."""
    delete_files_in(folder / FOLDER, f"*{LATE}*")


def _path(folder: Path, host: str, session: str, suffix: str) -> Path:
    name = short_digest(f"{host} {session}")
    return folder / FOLDER / f"{name}{suffix}"


def _delivery(line: bytes) -> Delivery | None:
    with suppress(ValueError, TypeError, KeyError, RecursionError, AttributeError):
        values: Mapping[str, Any] = json.loads(line)
        return Delivery(
            str(values["event"]),
            tuple(map(str, values["ids"])),
            tuple(map(str, values["paths"])),
            int(values["tokens"]),
            bool(values["is_silent"]),
            float(values["at"]),
            str(values["agent"]),
        )
    return None


def _use(values: Mapping[str, Any]) -> SessionUse:
    return SessionUse(
        host=str(values["host"]),
        session=str(values["session"]),
        is_silent=bool(values["is_silent"]),
        tokens=int(values["tokens"]),
        reads=None if values["reads"] is None else int(values["reads"]),
        edited=int(values["edited"]),
        foreseen=int(values["foreseen"]),
        memories=_usages(values["memories"]),
        places=_usages(values["places"]),
    )


def _usages(values: Mapping[str, Any]) -> dict[str, Usage]:
    return {str(name): Usage(*(bool(each) for each in flags)) for name, flags in values.items()}
