"""The queue that git hooks append to for the next index run. Lines may be lost.

    post-commit                             one line for each event
    post-rewrite
    <old commit> <new commit>               rewritten commits, as git lists them on stdin

Events can also be seen from HEAD; git reports rewritten commits only once.
"""

import re
import time
from contextlib import suppress
from pathlib import Path

from repomem.adapters.settings.git_hook_script import PENDING, SPOOL
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.memories.rewrites.follow import record_rewrites
from repomem.workspace.workspace import Workspace

MOST_BYTES = 8 << 20  # 100,000 rewritten commits
PENDING_SECONDS = 60.0  # a hook's run starts after one; an older mark, or one by another clock, is stale
_PAIR = lazy_pattern(rb"^([0-9a-f]{40}|[0-9a-f]{64}) ([0-9a-f]{40}|[0-9a-f]{64})(?: .*)?$", re.MULTILINE)


def take_queue(workspace: Workspace) -> int:
    """Empty the queue and record its rewritten commits; returns how many are new.

    Renamed before reading, so that a hook that writes meanwhile begins another. The leftover of a killed run is read
    first, and the newer queue by the run after this one.
    """
    _drop_lost_mark(workspace.folder / PENDING)
    spool = workspace.folder / SPOOL
    taken = spool.with_name(f"{SPOOL}.taken")
    recorded = 0
    with suppress(OSError):  # the queue is empty, or nothing can be written here
        if not taken.exists():
            spool.rename(taken)
        recorded = record_rewrites(workspace, _pairs(taken))
        taken.unlink()
    return recorded


def _pairs(path: Path) -> list[tuple[str, str]]:
    with path.open("rb") as file:
        text = file.read(MOST_BYTES)
    return [(old.decode(), new.decode()) for old, new in _PAIR.findall(text)]


def _drop_lost_mark(pending: Path) -> None:
    """Drop a stale mark: after a clock was set back it would keep hooks from starting runs."""
    with suppress(OSError):
        if abs(time.time() - pending.stat().st_mtime) > PENDING_SECONDS:
            pending.unlink()
