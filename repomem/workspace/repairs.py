"""A catalog that turns out to be damaged while a memory is asked for or written down: begun anew, and asked again."""

import os
from collections.abc import Callable
from typing import TypeVar

from repomem.core.errors import StoreDamaged
from repomem.workspace.workspace import Workspace

Given = TypeVar("Given")


def repaired(workspace: Workspace, deed: Callable[[], Given]) -> Given:
    """What the deed gives. Nothing in the catalog is of use that git and the ledger cannot give again.

    The index itself is left to the next recall: whoever writes something down does not wait for it.
    """
    try:
        return deed()
    except StoreDamaged as damage:
        if not os.access(workspace.folder, os.W_OK):
            raise
        workspace.discard(damage)
        workspace.notices.append(f"{damage.message}; it is rebuilt from git, nothing is lost")
        return deed()
