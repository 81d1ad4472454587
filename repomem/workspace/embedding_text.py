"""The text that is embedded for a chunk, its digest, and its vectors in the local table."""

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from repomem.adapters.sqlite.catalog_rows import TableStamp
from repomem.core.secrets.redact import redact
from repomem.core.types.indexed import IndexedChunk
from repomem.core.types.text import CleanText
from repomem.workspace.vector_space import VectorSpace
from repomem.workspace.workspace import Workspace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def embedded_text(path: str, chunk: IndexedChunk) -> CleanText:
    """The text that is embedded for a chunk: path and symbol say much about it."""
    place = redact(" ".join(filter(None, (path, chunk.symbol))))
    return CleanText(f"{place}\n{chunk.text}")


def passages_of(workspace: Workspace, versions: Sequence[int]) -> list[tuple[int, CleanText]]:
    """Version and passage of each chunk of these versions, in order, without versions dropped meanwhile."""
    paths = {each.id: each.path for each in workspace.catalog.file_versions.with_ids(versions)}
    chunks = workspace.store.chunks(versions)
    return [(each.version, embedded_text(paths[each.version], each)) for each in chunks if each.version in paths]


def add_vectors(
    workspace: Workspace,
    space: VectorSpace,
    versions: Sequence[int],
    passages: Sequence[CleanText],
    vectors: "NDArray[np.float16]",
) -> dict[str, TableStamp]:
    """Store vectors of passages, (passages, dimensions), under the caller's write lock; returns the table's stamp."""
    store = workspace.store
    store.open_vectors(space.table, space.dimensions)
    store.add_vectors(space.table, versions, [digest_of(each) for each in passages], vectors)
    return {space.table: TableStamp(*store.stamp(space.table))}


def digest_of(text: CleanText) -> int:
    """A 64-bit digest of a text, signed like the column."""
    data = text.encode("utf-8", "replace")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "big", signed=True)
