"""Locks between processes, by file: released by the system when their holder dies, so none is ever stale."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from repomem.core.errors import StoreError

if TYPE_CHECKING:
    from filelock import BaseFileLock

POLL_INTERVAL = 0.01  # seconds: a lock is held for milliseconds, and who looks seldom is passed over by newcomers
TABLES_LOCK = "tables.lock"
WRITE_WAIT = 10.0  # seconds that a writer waits for another's transaction; one takes well under a second


@contextmanager
def write_lock(folder: Path) -> Iterator[None]:
    """Hold the lock that every change to the catalog takes, and every row that is added, for one transaction."""
    with _held(folder / "write.lock", "another repomem process holds the index and does not let go"):
        yield


@contextmanager
def tables_lock(folder: Path) -> Iterator[None]:
    """Hold the lock of what replaces tables or deletes rows; it is taken before the write lock.

    Who rewrites or indexes tables holds it too, for minutes where they are large, and without the write lock.
    """
    with _held(folder / TABLES_LOCK, "another repomem process is tidying up the index: minutes if it is large"):
        yield


@contextmanager
def _held(path: Path, who: str) -> Iterator[None]:
    lock = _taken(path, WRITE_WAIT)
    if lock is None:
        raise StoreError(who, "wait for it, or end it if it hangs, then run the command again")
    try:
        yield
    finally:
        lock.release()


@contextmanager
def try_lock(path: Path, wait: float = 0.0) -> Iterator[bool]:
    """Hold the lock if it is free within `wait` seconds; what it yields says whether it is held."""
    lock = _taken(path, wait)
    try:
        yield lock is not None
    finally:
        if lock:
            lock.release()


def _taken(path: Path, wait: float) -> "BaseFileLock | None":
    """The lock, held; None where it was not free within `wait` seconds."""
    import filelock

    lock = filelock.FileLock(path, timeout=wait, mode=0o600, poll_interval=POLL_INTERVAL)
    try:
        lock.acquire()
    except filelock.Timeout:
        return None
    except OSError as error:
        raise StoreError(f"cannot lock {path}: {error.strerror}", "check the owner and mode of its folder") from error
    return lock
