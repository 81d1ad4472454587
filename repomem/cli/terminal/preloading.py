"""Keeps a preloaded process while a long-lived command runs, so that the short ones start faster."""

import os
import time
from pathlib import Path
from threading import Thread

from repomem.core.errors import RepomemError
from repomem.core.processes.background import start_preloaded
from repomem.workspace.workspace import configured

DELAY = 5.0  # seconds: a host is busy when its session starts, and a short session needs no preloaded process


def keep_preloaded(directory: Path) -> None:
    """Start a preloaded process soon, unless `workers.preload` is off; it ends with this process."""
    Thread(target=_keep, args=(directory,), daemon=True).start()


def _keep(directory: Path) -> None:
    time.sleep(DELAY)
    process = start_preloaded() if is_wanted(directory) else None
    if process:
        process.wait()  # holds the other end of its stdin


def is_wanted(directory: Path) -> bool:
    """Whether the repository that contains a folder has the option on; false outside of one."""
    try:
        return configured(directory, os.environ)[1].config.workers.preload
    except RepomemError:
        return False
