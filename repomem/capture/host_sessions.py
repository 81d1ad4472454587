"""What is known of the agent sessions that hosts tell of: where each one's transcript lies, and what it was shown.

A file for each session, beside the index, found by the names that the host gives. All of it can be lost: then a
brief stands twice, or a transcript is read once more, which adds nothing.
"""

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from repomem.core.errors import StoreError
from repomem.core.files import replace_file
from repomem.core.locks import try_lock
from repomem.workspace.workspace import Workspace

FOLDER = "hosts"
DAYS_KEPT = 30.0  # as long as Claude Code keeps a transcript
SAME_CALL = 20.0  # seconds: a hook that is installed for the user and for the project is run twice at once
LOCK_WAIT = 1.0  # seconds for another hook, which takes some milliseconds
MOST_SHOWN = 400  # ids of one session
MOST_NONCES = 20
NONCE_LENGTH = 6  # hex digits
TOUCHED = ".touched"


@dataclass(frozen=True, slots=True)
class HostEvent:
    """What a host says to a hook, in our words. Fields that it does not give are empty."""

    host: str
    event: str  # session-start, prompt, edit, pre-compact, post-compact, stop
    session: str = ""  # the host's own name of it
    source: str = ""  # of session-start: startup, resume, clear, compact
    prompt: str = ""
    transcript: str = ""  # its path
    said: str = ""  # the agent's last words
    paths: tuple[str, ...] = ()  # of files that it wrote


@dataclass(frozen=True, slots=True)
class HostSession:
    """One session as the hooks have seen it."""

    host: str
    session: str
    transcript: str = ""
    captured: str = ""  # the transcript's size and time when it was last read to its end
    shown: tuple[str, ...] = ()  # ids of what briefs and additions have shown in it
    nonce: str = ""  # that stood behind the last brief
    older_nonces: tuple[str, ...] = ()  # behind those before it, the newest last
    briefed: float = 0.0  # when, in seconds since 1970
    has_places: bool = False  # whether a prompt has brought places in the code
    is_brief_due: bool = False  # its context was compacted, and the host takes a brief with the next prompt only


def host_session(workspace: Workspace, event: HostEvent) -> HostSession:
    """What is known of the session that an event belongs to; a new one where nothing is."""
    known = _read(_path(workspace, event.host, event.session)) or HostSession(event.host, event.session)
    return replace(known, transcript=event.transcript or known.transcript)


def change_host_session(
    workspace: Workspace, known: HostSession, change: Callable[[HostSession], HostSession]
) -> HostSession:
    """What a session is after a change, kept where that can be written; of two hooks at once each sees the other's."""
    if not known.session:
        return change(known)
    path = _path(workspace, known.host, known.session)
    with suppress(StoreError, OSError):
        path.parent.mkdir(mode=0o700, exist_ok=True)
        with try_lock(path.with_suffix(".lock"), LOCK_WAIT):
            now = replace(_read(path) or known, transcript=known.transcript)
            _keep(path, changed := change(now))
            return changed
    return change(known)


def _keep(path: Path, known: HostSession) -> None:
    kept = replace(known, shown=known.shown[-MOST_SHOWN:], older_nonces=known.older_nonces[-MOST_NONCES:])
    replace_file(path, json.dumps(asdict(kept)).encode(), is_synced=False)


def host_sessions(workspace: Workspace) -> list[HostSession]:
    """All that are known, the one that was seen last first."""
    found = [(path.stat().st_mtime, path) for path in (workspace.folder / FOLDER).glob("*.json")]
    return [known for _, path in sorted(found, reverse=True) if (known := _read(path))]


def is_first(workspace: Workspace, event: HostEvent, what: str) -> bool:
    """Whether this call is the first of its kind a moment long: of two that come at once only one may speak.

    Where nothing can be written, every call is.
    """
    if not event.session:
        return True
    mark = _path(workspace, event.host, f"{event.session} {what}").with_suffix(".said")
    try:
        mark.parent.mkdir(mode=0o700, exist_ok=True)
        if mark.exists() and time.time() - mark.stat().st_mtime > SAME_CALL:
            mark.unlink(missing_ok=True)
        os.close(os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    except OSError:
        return True
    return True


def note_touched(workspace: Workspace, event: HostEvent) -> None:
    """Note the files that a session wrote, for a host whose transcript may not be there to tell."""
    lines = "".join(f"{json.dumps(path)}\n" for path in event.paths)
    with suppress(OSError):
        path = _path(workspace, event.host, event.session).with_suffix(TOUCHED)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(lines)


def touched(workspace: Workspace, known: HostSession) -> Iterator[str]:
    """The files that were noted for a session, as the host named them."""
    path = _path(workspace, known.host, known.session).with_suffix(TOUCHED)
    with suppress(OSError):
        for line in path.read_text(encoding="utf-8").splitlines():
            with suppress(ValueError):
                if isinstance(each := json.loads(line), str):
                    yield each


def drop_old_host_sessions(workspace: Workspace) -> None:
    """Delete what was kept of sessions that nobody has seen for long."""
    oldest = time.time() - DAYS_KEPT * 24 * 60 * 60
    for path in (workspace.folder / FOLDER).glob("*"):
        with suppress(OSError):
            if path.stat().st_mtime < oldest:
                path.unlink()


def nonce_for(known: HostSession, brief: str) -> str:
    """What stands behind a brief, so that a transcript shows whether it came through whole: another one each time."""
    what = f"{known.host} {known.session} {time.time_ns()} {brief}"
    return hashlib.blake2b(what.encode("utf-8", "surrogateescape"), digest_size=NONCE_LENGTH // 2).hexdigest()


def _read(path: Path) -> HostSession | None:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        lists = {name: tuple(values[name]) for name in ("shown", "older_nonces")}
        return HostSession(**{**values, **lists})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _path(workspace: Workspace, host: str, session: str) -> Path:
    name = hashlib.blake2b(f"{host} {session}".encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    return workspace.folder / FOLDER / f"{name}.json"
