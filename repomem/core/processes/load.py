"""The load of this machine."""

import os
from contextlib import suppress
from pathlib import Path

BUSY = 2.0  # runnable processes per core, from which on work takes more than twice its time


def is_busy() -> bool:
    """Whether many more processes want to run than there are cores."""
    return _runnable() > BUSY * (os.cpu_count() or 1)


def _runnable() -> float:
    """The number of runnable processes; if unknown, the load average of the last minute."""
    with suppress(OSError, ValueError, IndexError):
        return float(Path("/proc/loadavg").read_text(encoding="ascii").split()[3].partition("/")[0])
    with suppress(OSError, AttributeError):
        return os.getloadavg()[0]
    return 0.0
