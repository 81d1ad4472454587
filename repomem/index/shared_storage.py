"""Shared storage, an optional part of repomem (`repomem.pool`): index runs reach it through here alone.

Nothing of it is loaded unless `store.uri` names shared storage.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING

from repomem.core.shared_storage import SharedFiles
from repomem.workspace.run import Run
from repomem.workspace.vector_space import VectorSpace
from repomem.workspace.workspace import Workspace

if TYPE_CHECKING:
    from repomem.pool.vectors import PoolVectors


def download_outlines(workspace: Workspace, run: Run, blobs: Collection[str]) -> SharedFiles:
    """The outlines of these blobs that other clones shared."""
    if not run.may_share or not workspace.pool_uri:
        return SharedFiles()
    from repomem.pool import files

    return files.download_outlines(workspace, run, blobs)


def upload_outlines(workspace: Workspace, shared: SharedFiles, head: str | None) -> None:
    """Share the outlines that this run made."""
    if workspace.pool_uri:
        from repomem.pool import files

        files.upload_outlines(workspace, shared, head)


def shared_vectors(workspace: Workspace, run: Run, space: VectorSpace) -> "PoolVectors | None":
    """The shared vectors of the model of `space`; None without shared storage, and for an inexpensive model."""
    if not (workspace.pool_uri and run.may_share) or workspace.embedder.is_cheap:
        return None  # an inexpensive model's vectors cost less than a request
    from repomem.pool.vectors import PoolVectors

    return PoolVectors(workspace, space)
