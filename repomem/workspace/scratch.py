"""A folder for temporary files that is gone after a run; where that was killed, after the next one."""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

from repomem.core.errors import StoreError
from repomem.core.locks import try_lock

PREFIX = "repomem-eval-"
LOCK = "run.lock"  # held for as long as the folder is used
AGE = 60.0  # seconds after which a folder whose lock is free was left behind: a new one is not locked at once


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A new folder of this user's alone."""
    for left in Path(gettempdir()).glob(f"{PREFIX}*"):
        _sweep(left)
    with TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        with try_lock(folder / LOCK):
            yield folder


def _sweep(left: Path) -> None:
    """Delete a folder of ours that no run uses."""
    with suppress(OSError, StoreError):
        found = left.lstat()
        is_ours = not hasattr(os, "getuid") or found.st_uid == os.getuid()
        if is_ours and time.time() - found.st_mtime > AGE:
            with try_lock(left / LOCK) as is_free:
                if is_free:
                    shutil.rmtree(left, ignore_errors=True)
