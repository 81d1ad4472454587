"""Shared storage, an optional part of repomem (`repomem.pool`): index runs reach it through here alone.

Nothing of it is loaded unless `store.uri` names shared storage.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from repomem.core.shared_storage import SharedFiles
from repomem.workspace.run import Run
from repomem.workspace.vector_space import VectorSpace
from repomem.workspace.workspace import Workspace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class SharedVectors(Protocol):
    """Vectors of one model that clones share."""

    def download(self, missing: Mapping[int, int]) -> None:
        """Store vectors of those versions (with chunk counts) for which every vector is shared."""

    def keep(self, versions: Sequence[int], fresh: "Mapping[int, NDArray[np.float16]]") -> None:
        """Keep vectors that the model made for these versions, by digest, to upload them."""

    def upload(self) -> None:
        """Upload what was kept."""


class _NoVectors:
    """Without shared storage nothing is shared."""

    def download(self, missing: Mapping[int, int]) -> None:
        pass

    def keep(self, versions: Sequence[int], fresh: "Mapping[int, NDArray[np.float16]]") -> None:
        pass

    def upload(self) -> None:
        pass


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


def shared_vectors(workspace: Workspace, run: Run, space: VectorSpace) -> SharedVectors:
    """The shared vectors of the model of `space`."""
    if not workspace.pool_uri:
        return _NoVectors()
    from repomem.pool.vectors import PoolVectors

    return PoolVectors.of(workspace, run, space)
