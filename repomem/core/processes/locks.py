"""File locks between processes. The system releases a lock when its process dies, so no lock becomes stale."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from repomem.core.errors import StoreError
from repomem.core.files import store_errors

if TYPE_CHECKING:
    from filelock import BaseFileLock

POLL_INTERVAL = 0.01  # seconds; locks are held for milliseconds, and a slower poll would starve
WRITE_LOCK = "write.lock"
TABLES_LOCK = "tables.lock"
WRITE_WAIT = 10.0  # seconds to wait for another transaction, which takes well under a second


@contextmanager
def write_lock(folder: Path) -> Iterator[None]:
    """Hold the lock for one transaction that changes the catalog or adds rows."""
    with _required(folder / WRITE_LOCK, "another repomem process has locked the index"):
        yield


@contextmanager
def tables_lock(folder: Path) -> Iterator[None]:
    """Hold the lock for replacing tables or deleting rows; take it before the write lock.

    Optimizing tables holds it too, for minutes if they are large, without the write lock.
    """
    with _required(folder / TABLES_LOCK, "another repomem process is maintaining the index, which can take minutes"):
        yield


@contextmanager
def _required(path: Path, message: str) -> Iterator[None]:
    lock = _acquire(path, WRITE_WAIT)
    if lock is None:
        raise StoreError(message, "wait for it, or end it if it hangs, then run the command again")
    try:
        yield
    finally:
        lock.release()


@contextmanager
def try_lock(path: Path, wait: float = 0.0) -> Iterator[bool]:
    """Hold the lock if it is free within `wait` seconds; yields whether it is held."""
    lock = _acquire(path, wait)
    try:
        yield lock is not None
    finally:
        if lock:
            lock.release()


def _acquire(path: Path, wait: float) -> "BaseFileLock | None":
    """Acquire the lock; None if it was not free within `wait` seconds."""
    import filelock

    lock = filelock.FileLock(path, timeout=wait, mode=0o600, poll_interval=POLL_INTERVAL)
    with store_errors("lock", path):
        try:
            lock.acquire()
        except filelock.Timeout:
            return None
    return lock
