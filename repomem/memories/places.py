"""The files that are live at one place of the history, for the anchors of memories to be looked up in."""

from repomem.adapters.git.worktree import status, tracked
from repomem.memories.anchors.place import Place, stored_bytes
from repomem.memories.at_head import Remembered, remembered
from repomem.workspace.cache import CacheKey
from repomem.workspace.ledger import stamp_here
from repomem.workspace.snapshot import Snapshot
from repomem.workspace.workspace import Workspace

REMEMBERED = CacheKey[Remembered]("memories")


def place_of(snapshot: Snapshot) -> Place:
    """What was published of a work tree, or the commit that is looked at."""
    if snapshot.past:
        return Place(snapshot.past.commit, snapshot.past.blobs)
    if not snapshot.worktree.fingerprint:  # a part of it: what is not indexed yet is not gone
        return place_now(snapshot.workspace)
    return Place(snapshot.head, snapshot.tree.blobs, snapshot.dirty_paths)


def place_at(workspace: Workspace, commit: str) -> Place:
    """A commit's files, by git."""
    return Place(commit, {file.path: file.blob for file in tracked(workspace.repository, commit)})


def place_now(workspace: Workspace) -> Place:
    """The work tree as it is, without the index: by git, and the bytes of what differs from the head."""
    found = status(workspace.repository)
    blobs = {file.path: file.blob for file in tracked(workspace.repository) if file.path not in found.deleted}
    dirty = [*found.changed, *found.untracked]
    for path in dirty:
        if stored := stored_bytes(workspace, path):
            blobs[path] = stored[0]
    return Place(found.head or "", blobs, dirty)


def remembered_in(snapshot: Snapshot) -> Remembered:
    """The memories as they stand where the snapshot was taken.

    What is published, the ledger and the commits that branches name say how they stand: where all three are known to be
    as they were, so are the memories.
    """
    workspace = snapshot.workspace
    if workspace.look is None or workspace.look.tips is None or snapshot.past or not snapshot.worktree.fingerprint:
        return remembered(workspace, place_of(snapshot), snapshot.past)
    source = snapshot.worktree, stamp_here(workspace), workspace.look.tips
    return workspace.cache.get(REMEMBERED, source, lambda: remembered(workspace, place_of(snapshot)))
