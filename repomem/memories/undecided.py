"""The later memories that may replace others, on which no person has decided: named wherever the older one is shown."""

from collections.abc import Collection

from repomem.memories.search.likeness import LikenessToMemories
from repomem.memories.search.relevant import changed_among
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.workspace.workspace import Workspace


def undecided_successors(
    workspace: Workspace, known: MemorySnapshot, names: Collection[str], *, is_background: bool = False
) -> dict[str, str]:
    """Maps memories to the one that is proposed instead, or else to the one that seems to change them.

    If many vectors are missing, only proposals are found, unless the caller `is_background`.
    """
    if is_background:
        here = known.outlines.where(is_shown=bool).here
        LikenessToMemories(workspace, known, here).vectors()  # made and cached
    proposed = {name: other for name in names if (other := known.states[name].contested_by)}
    return changed_among(workspace, known, names) | proposed
