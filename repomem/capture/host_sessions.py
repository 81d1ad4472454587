"""Agent sessions known from hooks: the transcript of each, and the ids that its briefs have shown.

One file per session, next to the index, named after host and session id. These files can be lost: then a brief is shown
twice, or a transcript is read again, which adds nothing.
"""

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Protocol

from repomem.core.digests import short_digest
from repomem.core.errors import StoreError
from repomem.core.files import replace_file
from repomem.core.processes.locks import try_lock

FOLDER = "hosts"
DAYS_KEPT = 30.0  # as long as Claude Code keeps transcripts
SAME_CALL = 20.0  # seconds: a hook installed for both user and project runs twice at once
LOCK_WAIT = 1.0  # seconds; another hook takes milliseconds
MOST_SHOWN = 400  # ids of one session
MOST_NONCES = 20
MOST_DELEGATED = 20  # sub-agents that were announced, and did not start
NONCE_LENGTH = 6  # hex digits
TOUCHED = ".touched"


class Clone(Protocol):
    """The clone that sessions belong to: an open workspace, or a worktree found without opening one."""

    @property
    def folder(self) -> Path:
        """The folder of the index and the ledger."""


@dataclass(frozen=True, slots=True)
class HostEvent:
    """A host's hook event. Fields that the host does not send are empty."""

    host: str
    event: str  # session-start, prompt, delegate, subagent-start, edit, file, command, post-compact, capture, late
    session: str  # the host's id
    source: str = ""  # of session-start: startup, resume, clear, compact
    prompt: str = ""  # of delegate the task for a sub-agent
    transcript: str = ""  # its path
    said: str = ""  # the agent's final message
    paths: tuple[str, ...] = ()  # written files
    agent: str = ""  # the kind of sub-agent
    agent_id: str = ""  # of the sub-agent that it happens in; of delegate the id of the call


@dataclass(frozen=True, slots=True)
class HostSession:
    """The state of one session, from its hook events."""

    host: str
    session: str
    transcript: str = ""
    captured: str = ""  # size and time of the transcript when last read
    shown: tuple[str, ...] = ()  # ids shown by briefs and additions
    nonce: str = ""  # of the last brief
    older_nonces: tuple[str, ...] = ()  # of earlier briefs, newest last
    briefed: float = 0.0  # time of the last brief, seconds since 1970
    has_places: bool = False  # whether a prompt has shown code locations
    is_brief_due: bool = False  # after compaction, for hosts that accept a brief only with the next prompt
    turns_read: int = 0  # by the model that proposes memories
    delegated: tuple[tuple[str, str], ...] = ()  # kind and task of sub-agents that have not started yet


def host_session(workspace: Clone, event: HostEvent) -> HostSession:
    """The stored session of an event; a new one if there is none."""
    known = _read(session_file(workspace, event.host, event.session)) or HostSession(event.host, event.session)
    return replace(known, transcript=event.transcript or known.transcript)


def change_host_session(workspace: Clone, known: HostSession, change: Callable[[HostSession], HostSession]) -> None:
    """Change a session under its lock and store it if possible; concurrent hooks see each other's changes."""
    if known.session:
        path = session_file(workspace, known.host, known.session)
        with suppress(StoreError, OSError):
            path.parent.mkdir(mode=0o700, exist_ok=True)
            with try_lock(path.with_suffix(".lock"), LOCK_WAIT):
                _keep(path, change(replace(_read(path) or known, transcript=known.transcript)))
                return
    change(known)


def _keep(path: Path, known: HostSession) -> None:
    kept = replace(
        known,
        shown=known.shown[-MOST_SHOWN:],
        older_nonces=known.older_nonces[-MOST_NONCES:],
        delegated=known.delegated[-MOST_DELEGATED:],
    )
    replace_file(path, json.dumps(asdict(kept)).encode(), is_synced=False)


def host_sessions(workspace: Clone) -> list[HostSession]:
    """All stored sessions, the last active first."""
    paths = sorted((workspace.folder / FOLDER).glob("*.json"), key=_last_active, reverse=True)
    return [known for path in paths if (known := _read(path))]


def _last_active(path: Path) -> tuple[float, Path]:
    """The time of the last change, and the path; 0 if another process has just deleted the file."""
    try:
        return path.stat().st_mtime, path
    except FileNotFoundError:
        return 0.0, path


def is_first(workspace: Clone, event: HostEvent, what: str) -> bool:
    """Whether no equal call came within SAME_CALL seconds: of two concurrent calls only one may answer.

    Always true if nothing can be written.
    """
    if not event.session:
        return True
    mark = session_file(workspace, event.host, f"{event.session} {what}").with_suffix(".said")
    try:
        mark.parent.mkdir(mode=0o700, exist_ok=True)
        if mark.exists() and abs(time.time() - mark.stat().st_mtime) > SAME_CALL:  # or of a clock that was set back
            mark.unlink(missing_ok=True)
        os.close(os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    except OSError:
        return True
    return True


def note_touched(workspace: Clone, event: HostEvent) -> None:
    """Record the files of an edit event, for hosts without a readable transcript."""
    lines = "".join(f"{json.dumps(path)}\n" for path in event.paths)
    with suppress(OSError):
        path = session_file(workspace, event.host, event.session).with_suffix(TOUCHED)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(lines)


def touched(workspace: Clone, known: HostSession) -> Iterator[str]:
    """The recorded files of a session, as the host named them."""
    path = session_file(workspace, known.host, known.session).with_suffix(TOUCHED)
    with suppress(OSError):
        for line in path.read_text(encoding="utf-8").splitlines():
            with suppress(ValueError):
                if isinstance(name := json.loads(line), str):
                    yield name


def drop_old_host_sessions(workspace: Clone) -> None:
    """Delete the files of sessions that were inactive for DAYS_KEPT days."""
    oldest = time.time() - DAYS_KEPT * 24 * 60 * 60
    for path in (workspace.folder / FOLDER).glob("*"):
        with suppress(OSError):
            if path.stat().st_mtime < oldest:
                path.unlink()


def nonce_for(known: HostSession, brief: str) -> str:
    """A new nonce, printed after a brief, so that the transcript shows whether the brief arrived complete."""
    what = f"{known.host} {known.session} {time.time_ns()} {brief}"
    return short_digest(what, NONCE_LENGTH // 2)


def _read(path: Path) -> HostSession | None:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        lists = {name: tuple(values[name]) for name in ("shown", "older_nonces")}
        tasks = tuple((str(kind), str(task)) for kind, task in values.get("delegated", ()))
        return HostSession(**{**values, **lists, "delegated": tasks})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def session_file(workspace: Clone, host: str, session: str) -> Path:
    """The path of a session's state; related files have the same name and another suffix."""
    name = short_digest(f"{host} {session}")
    return workspace.folder / FOLDER / f"{name}.json"
