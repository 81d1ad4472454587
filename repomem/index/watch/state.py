"""What a watcher says of itself, in a file beside the index; whether it lives is known by its lock alone."""

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from repomem.core.errors import StoreError
from repomem.core.locks import try_lock

WATCH_LOCK = "watch.lock"
STATE = "watch.json"


@dataclass(frozen=True, slots=True)
class WatchState:
    """The state of the one watcher of a clone, or of one that was killed."""

    pid: int
    since: str  # ISO 8601, as are all times here
    how: str = ""  # inotify or polling
    roots: tuple[str, ...] = ()  # the work trees that it watches
    runs: int = 0  # index runs that it started and saw end
    last_run: str = ""  # when the last one ended
    last_failure: str = ""  # what the last one complained of; empty where it went well
    is_running: bool = True


def keep_state(folder: Path, state: WatchState) -> None:
    """Write the state down; a full disk is no reason to end."""
    path = folder / STATE
    draft = path.with_name(f"{STATE}.new")
    with suppress(OSError):
        draft.write_text(json.dumps(asdict(state)), encoding="utf-8")
        draft.chmod(0o600)
        draft.replace(path)


def drop_state(folder: Path) -> None:
    """Forget the state of a watcher that ends in order."""
    with suppress(OSError):
        (folder / STATE).unlink(missing_ok=True)


def watch_state(folder: Path) -> WatchState | None:
    """What the watcher of the clone says, and whether it runs; None where none does and none was killed."""
    try:
        kept = json.loads((folder / STATE).read_text(encoding="utf-8"))
        state = WatchState(**{name: kept[name] for name in (each.name for each in fields(WatchState))})
    except (OSError, ValueError, KeyError, TypeError):  # none, or one of another version
        return None
    return replace(state, roots=tuple(state.roots), is_running=_is_locked(folder / WATCH_LOCK))


def _is_locked(path: Path) -> bool:
    """Whether somebody holds the lock. Where it cannot be tried, as in a read-only sandbox, the file is believed."""
    if not path.exists():
        return False
    try:
        with try_lock(path) as is_held:
            return not is_held
    except StoreError:
        return True
