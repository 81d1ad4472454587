"""What an index run does for the memories: copies of the ledger, purges, rewritten commits, anchors, consolidation.

Where nothing was ever said it costs three looks at the file system.
"""

from repomem.memories.consolidate.run import consolidate_if_due
from repomem.memories.forget import finish_purges, redact_ledger
from repomem.memories.places import remembered_in
from repomem.memories.rewrites import follow_rewrites
from repomem.workspace.ledger import ledger_of
from repomem.workspace.snapshot import Snapshot
from repomem.workspace.workspace import Workspace


def look_after_ledger(workspace: Workspace) -> bool:
    """Bring the copies of the ledger up to date, and finish what a purge left; whether anything was ever said."""
    ledger = ledger_of(workspace)
    if not any(stamp != "0" for stamp in ledger.stamp.split()):
        return False
    ledger.settle()
    redact_ledger(workspace)
    finish_purges(workspace, ledger.records())
    return True


def look_after_memories(now: Snapshot) -> int:
    """Bring all that is derived from the ledger up to date; the number of blobs that had to be parsed for it."""
    workspace = now.workspace
    if not look_after_ledger(workspace):
        return 0
    if now.head:
        follow_rewrites(workspace, now.head)
    known = remembered_in(now)
    consolidate_if_due(workspace, known)
    return known.checked
