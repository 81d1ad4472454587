"""The state file of the watcher, next to the index; only the lock shows whether the watcher is running."""

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from repomem.core.errors import StoreError
from repomem.core.files import replace_file
from repomem.core.processes.locks import try_lock

WATCH_LOCK = "watch.lock"
STATE = "watch.json"


@dataclass(frozen=True, slots=True)
class WatchState:
    """The state of a clone's watcher, running or killed."""

    pid: int
    since: str  # ISO 8601, as are all times here
    how: str = ""  # inotify or polling
    roots: tuple[str, ...] = ()  # the worktrees that it watches
    runs: int = 0  # index runs that have ended
    last_run: str = ""  # when the last one ended
    last_failure: str = ""  # error of the last run; empty if it succeeded
    is_running: bool = True


def save_state(folder: Path, state: WatchState) -> None:
    """Write the state file; a full disk does not end the watch."""
    with suppress(OSError):
        replace_file(folder / STATE, json.dumps(asdict(state)).encode(), is_synced=False)


def delete_state(folder: Path) -> None:
    """Delete the state file, at a regular end."""
    with suppress(OSError):
        (folder / STATE).unlink(missing_ok=True)


def watch_state(folder: Path) -> WatchState | None:
    """The state of the clone's watcher, running or killed; None if there is neither."""
    try:
        stored = json.loads((folder / STATE).read_text(encoding="utf-8"))
        state = WatchState(**{each.name: stored[each.name] for each in fields(WatchState)})
    except (OSError, ValueError, KeyError, TypeError):  # none, or one of another version
        return None
    return replace(state, roots=tuple(state.roots), is_running=_is_locked(folder / WATCH_LOCK))


def _is_locked(path: Path) -> bool:
    """Whether a process holds the lock; assumed where it cannot be tried, as in a read-only sandbox."""
    if not path.exists():
        return False
    try:
        with try_lock(path) as is_held:
            return not is_held
    except StoreError:
        return True
