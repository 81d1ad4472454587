"""File locks between processes. The system releases a lock when its process dies, so no lock becomes stale."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from repomem.core.disk_errors import store_errors
from repomem.core.errors import StoreError

POLL_INTERVAL = 0.01  # seconds; locks are held for milliseconds, and a slower poll would starve
WRITE_LOCK = "write.lock"
TABLES_LOCK = "tables.lock"
WRITE_WAIT = 10.0  # seconds to wait for another transaction, which takes well under a second


def write_lock(folder: Path) -> AbstractContextManager[None]:
    """Hold the lock for one transaction that changes the catalog or adds rows."""
    return _required(folder / WRITE_LOCK, "another repomem process has locked the index")


def tables_lock(folder: Path) -> AbstractContextManager[None]:
    """Hold the lock for replacing tables or deleting rows; take it before the write lock.

    Optimizing tables holds it too, for minutes if they are large, without the write lock.
    """
    return _required(folder / TABLES_LOCK, "another repomem process is maintaining the index, which can take minutes")


@contextmanager
def _required(path: Path, message: str) -> Iterator[None]:
    with try_lock(path, WRITE_WAIT) as is_held:
        if not is_held:
            raise StoreError(message, "wait for it, or end it if it hangs, then run the command again")
        yield


@contextmanager
def try_lock(path: Path, wait: float = 0.0) -> Iterator[bool]:
    """Hold the lock if it is free within `wait` seconds; yields whether it is held."""
    import filelock

    lock = filelock.FileLock(path, timeout=wait, mode=0o600, poll_interval=POLL_INTERVAL)
    with store_errors("lock", path), suppress(filelock.Timeout):
        lock.acquire()
    try:
        yield lock.is_locked
    finally:
        lock.release()
