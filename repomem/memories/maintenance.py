"""Memory maintenance in an index run: ledger copies, purges, rewritten commits, anchors, consolidation.

With an empty ledger it costs three file system calls.
"""

from repomem.memories.consolidate.run import consolidate_if_due
from repomem.memories.forget import finish_purges, redact_ledger
from repomem.memories.rewrites.follow import follow_rewrites
from repomem.memories.snapshots.closed_threads import with_progress
from repomem.memories.snapshots.snapshot import memories_in
from repomem.workspace.ledger import ledger_of
from repomem.workspace.snapshot import Snapshot
from repomem.workspace.workspace import Workspace

PROGRESS_SECONDS = 10.0  # for commits that may have closed a thread: maintenance runs in the background


def maintain_ledger(workspace: Workspace) -> bool:
    """Update the copies of the ledger and complete purges; whether the ledger has records."""
    ledger = ledger_of(workspace)
    if not any(stamp != "0" for stamp in ledger.stamp.split()):
        return False
    ledger.settle()
    redact_ledger(workspace)
    finish_purges(workspace, ledger.records())
    return True


def maintain_memories(now: Snapshot) -> int:
    """Update everything derived from the ledger; gives the number of blobs parsed for it."""
    workspace = now.workspace
    if not maintain_ledger(workspace):
        return 0
    if now.head:
        follow_rewrites(workspace, now.head)
    known = memories_in(now)
    with_progress(workspace, now.head, known.states, known.records, PROGRESS_SECONDS)  # cached, for recalls
    consolidate_if_due(workspace, known)
    return known.checked
