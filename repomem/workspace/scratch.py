"""A temporary folder, deleted after a run or, if that was killed, by the next."""

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

from repomem.core.errors import StoreError
from repomem.core.processes.locks import try_lock
from repomem.core.processes.owners import is_own

PREFIX = "repomem-eval-"
LOCK = "run.lock"  # held while the folder is in use
AGE = 60.0  # seconds after which an unlocked folder is a leftover: a new one is not locked at once


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A new folder that only this user can read."""
    for left in Path(gettempdir()).glob(f"{PREFIX}*"):
        _sweep(left)
    with TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        with try_lock(folder / LOCK):
            yield folder


def _sweep(left: Path) -> None:
    """Delete a folder that no run uses."""
    with suppress(OSError, StoreError):
        found = left.lstat()
        if is_own(found) and time.time() - found.st_mtime > AGE:
            with try_lock(left / LOCK) as is_free:
                if is_free:
                    shutil.rmtree(left, ignore_errors=True)
