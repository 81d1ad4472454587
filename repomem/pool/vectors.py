"""Vectors of expensive models in shared storage: paid for once, used by every clone.

live chunks without a vector -> digests of their texts -> which does the pool have? -> local table
vectors made here of committed files -> pool
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from repomem.adapters.git.log import head_of
from repomem.core.grouping import batches
from repomem.core.processes.locks import write_lock
from repomem.core.types.text import CleanText
from repomem.pool.files import committed_blobs, opened_pool, pool_failures_noted
from repomem.workspace.embedding_text import add_vectors, digest_of, passages_of
from repomem.workspace.vector_space import VectorSpace
from repomem.workspace.workspace import Workspace

if TYPE_CHECKING:
    from repomem.pool.tables import Pool

VERSIONS_AT_ONCE = 256  # files whose chunks are in memory
VECTORS_PER_WRITE = 4_096
MOST_HELD = 16_384  # vectors in memory: 50 MB of 1,536 dimensions
FEWEST_CHUNKS = 64  # that lack a vector: fewer cost a model about a second
FEWEST_VECTORS = 16  # that justify a write


@dataclass(slots=True)
class PoolVectors:
    """The pool's vectors of one model, for a background run."""

    workspace: Workspace
    space: VectorSpace
    made: dict[int, NDArray[np.float16]] = field(default_factory=dict)  # here, not uploaded yet
    held: dict[int, NDArray[np.float16]] = field(default_factory=dict)  # of versions that the pool has in part
    _committed: set[str] | None = None

    @property
    def _stamp(self) -> str:
        return self.space.table.rpartition("-")[2]

    def download(self, missing: Mapping[int, int]) -> None:
        """Store vectors of those versions (with chunk counts) for which the pool has every vector; hold the others."""
        if sum(missing.values()) < FEWEST_CHUNKS:
            return
        digests = {
            version: [digest_of(passage) for passage in passages]
            for part in batches(missing, VERSIONS_AT_ONCE)
            for version, passages in self._passages(part).items()
        }
        with pool_failures_noted(self.workspace), opened_pool(self.workspace) as pool:
            wanted = {digest for each in digests.values() for digest in each}
            places = pool.find_vectors(self._stamp, wanted).places
            covered = [version for version, each in digests.items() if all(digest in places for digest in each)]
            for part in batches(covered, VERSIONS_AT_ONCE):
                first = {digest: places[digest][0] for version in part for digest in digests[version]}
                self._store(pool, part, first)
            others = wanted.difference(*(digests[version] for version in covered)).intersection(places)
            some = {digest: places[digest][0] for digest in sorted(others)[:MOST_HELD]}
            if some:
                self.held.update(pool.vectors(some, self.space.dimensions))

    def keep(self, versions: Sequence[int], fresh: Mapping[int, NDArray[np.float16]]) -> None:
        """Keep vectors that the model made, by digest, to upload them if all these versions are committed."""
        if self._are_committed(versions):
            self.made.update(fresh)
            if len(self.made) >= VECTORS_PER_WRITE:
                self.upload()

    def upload(self) -> None:
        if len(self.made) < FEWEST_VECTORS:
            return
        made, self.made = self.made, {}
        with pool_failures_noted(self.workspace), opened_pool(self.workspace) as pool:
            vectors = np.stack(list(made.values()))
            pool.add_vectors(self._stamp, list(made), vectors)
            pool.tidy()

    def _passages(self, versions: Sequence[int]) -> dict[int, list[CleanText]]:
        """The texts embedded for each version's chunks, in order."""
        found: dict[int, list[CleanText]] = {}
        for version, passage in passages_of(self.workspace, versions):
            found.setdefault(version, []).append(passage)
        return found

    def _store(self, pool: "Pool", versions: Sequence[int], places: Mapping[int, tuple[str, int]]) -> None:
        known = pool.vectors(places, self.space.dimensions)
        whole = {
            version: passages
            for version, passages in self._passages(versions).items()
            if all(digest_of(passage) in known for passage in passages)
        }
        stored = {digest_of(passage) for passages in whole.values() for passage in passages}
        self.held.update({digest: vector for digest, vector in known.items() if digest not in stored})
        if not whole:
            return
        passages = [passage for each in whole.values() for passage in each]
        numbers = [version for version, each in whole.items() for _ in each]
        vectors = np.stack([known[digest_of(passage)] for passage in passages])
        with write_lock(self.workspace.folder):
            for name, stamp in add_vectors(self.workspace, self.space, numbers, passages, vectors).items():
                self.workspace.catalog.stamp_table(name, stamp)

    def _are_committed(self, versions: Sequence[int]) -> bool:
        if self._committed is None:
            self._committed = committed_blobs(self.workspace, head_of(self.workspace.repository)[0])
        blobs = self.workspace.catalog.file_versions.blobs(versions)
        return set(versions) == blobs.keys() and self._committed.issuperset(blobs.values())
