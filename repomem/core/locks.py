"""Locks between processes, by file: released by the system when their holder dies, so none is ever stale."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from repomem.core.errors import StoreError

WRITE_WAIT = 10.0  # seconds that a writer waits for another's transaction; one takes well under a second


@contextmanager
def write_lock(folder: Path) -> Iterator[None]:
    """Hold the one lock that every change to the store and the catalog takes, for one transaction."""
    import filelock

    try:
        with filelock.FileLock(folder / "write.lock", timeout=WRITE_WAIT, mode=0o600):
            yield
    except filelock.Timeout as error:
        raise StoreError(
            "another repomem process holds the index and does not let go",
            "wait for it, or end it if it hangs, then run the command again",
        ) from error


@contextmanager
def try_lock(path: Path, wait: float = 0.0) -> Iterator[bool]:
    """Hold the lock if it is free within `wait` seconds; what it yields says whether it is held."""
    import filelock

    lock = filelock.FileLock(path, timeout=wait, mode=0o600)
    try:
        lock.acquire()
    except filelock.Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()
