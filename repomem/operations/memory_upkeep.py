"""What an index run does for the memories: copies of the ledger, purges, rewritten commits, anchors, consolidation.

Where nothing was ever said it costs three looks at the file system.
"""

from repomem.operations.consolidate import consolidate_if_due
from repomem.operations.forget import finish_purges
from repomem.operations.ledgers import ledger_of
from repomem.operations.places import remembered_in
from repomem.operations.reading import Snapshot
from repomem.operations.rewrites import follow_rewrites


def look_after_memories(now: Snapshot) -> int:
    """Bring all that is derived from the ledger up to date; the number of blobs that had to be parsed for it."""
    workspace, ledger = now.workspace, ledger_of(now.workspace)
    if not any(size != "0" for size in ledger.stamp.split()):
        return 0
    ledger.settle()
    finish_purges(workspace, ledger.records())
    if now.head:
        follow_rewrites(workspace, now.head)
    known = remembered_in(now)
    consolidate_if_due(workspace, known)
    return known.checked
