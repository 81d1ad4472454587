"""The state of the worktree and of its branch when a record is written."""

from dataclasses import replace

from repomem.adapters.git.branches import is_new_branch
from repomem.adapters.git.worktree import is_dirty
from repomem.core.records import Origin
from repomem.workspace.workspace import Workspace


def with_work_tree(workspace: Workspace, origin: Origin) -> Origin:
    """The origin of a record made now, with whether its work may be uncommitted."""
    if not origin.head:
        return origin
    repository = workspace.repository
    is_new = is_new_branch(repository, origin.branch, origin.head)
    return replace(origin, is_new_branch=is_new, is_dirty=is_dirty(repository))
