"""Repairs damage to index or catalog when it is found: everything in them can be rebuilt from git and the ledger."""

from collections.abc import Callable
from typing import TypeVar

from repomem.core.errors import StoreDamaged
from repomem.workspace.workspace import Workspace

Result = TypeVar("Result")
UNUSABLE = "cannot be used"


def set_aside(workspace: Workspace, damage: StoreDamaged) -> None:
    """Set the damaged part aside, with a notice. Raises the damage if the workspace is read-only."""
    if not workspace.is_writable:
        hint = f"make {workspace.folder} writable, so that it can be rebuilt from git"
        message = damage.message if UNUSABLE in damage.message else f"the index {UNUSABLE}: {damage.message}"
        raise StoreDamaged(message, hint, table=damage.table) from damage
    workspace.discard(damage)
    workspace.notices.append(f"{damage.message}; it is rebuilt from git, nothing is lost")


def repaired(workspace: Workspace, work: Callable[[], Result], rebuild: Callable[[], object] | None = None) -> Result:
    """The result of `work`. After damage, set the damaged part aside, rebuild the index, and try once more.

    Without `rebuild` the index is left to the next recall: writing a memory does not wait for it.
    """
    try:
        return work()
    except StoreDamaged as damage:
        set_aside(workspace, damage)
    if rebuild:
        rebuild()
    return work()
