"""What the git hooks have left for the next index run: hints, of which any may be lost.

    post-commit                             one line for each event
    post-rewrite
    <old commit> <new commit>               and what git told of rewritten commits, if nobody else was to read it

That something happened is seen from the head as well; what became of a rewritten commit, git says but once.
"""

import re
import time
from contextlib import suppress
from pathlib import Path

from repomem.adapters.settings.git_hook_script import PENDING, SPOOL
from repomem.memories.rewrites.follow import record_rewrites
from repomem.workspace.workspace import Workspace

MOST_BYTES = 8 << 20  # 100,000 rewritten commits
PENDING_SECONDS = 60.0  # a hook's run starts after one: a mark that is older, or of another clock, is nobody's
_PAIR = re.compile(rb"^([0-9a-f]{40}|[0-9a-f]{64}) ([0-9a-f]{40}|[0-9a-f]{64})(?: .*)?$", re.MULTILINE)


def take_spool(workspace: Workspace) -> int:
    """Empty the spool and record the rewritten commits in it; gives how many of them are new.

    Renamed before it is read, so that a hook that writes meanwhile begins another. What a run left behind that was
    killed on the way is taken first, and the newer spool by the run after this one.
    """
    _drop_lost_mark(workspace.folder / PENDING)
    spool = workspace.folder / SPOOL
    taken = spool.with_name(f"{SPOOL}.taken")
    recorded = 0
    with suppress(OSError):  # nothing was spooled, or nothing can be written here
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
    """Without this a clock that is set back would keep the hooks from starting a run until it has caught up."""
    with suppress(OSError):
        if abs(time.time() - pending.stat().st_mtime) > PENDING_SECONDS:
            pending.unlink()
