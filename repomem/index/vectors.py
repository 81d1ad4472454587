"""The vectors of chunks: an inexpensive model's are written with the chunks, others by background runs.

    live chunks without a vector -> print the cost, and ask if it is above the limit -> model -> store
    a model answers queries once every live chunk has its vector; until then, the model before it does

Vectors are written about every ten seconds: if a run ends early, the next one continues.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from repomem.core.errors import EmbeddingError, StoreDamaged
from repomem.core.grouping import batches
from repomem.core.processes.locks import try_lock, write_lock
from repomem.core.types.text import CleanText
from repomem.index.maintenance import index_table
from repomem.index.shared_storage import shared_vectors
from repomem.memories.search.vectors import memory_embedder, vectors_of
from repomem.memories.snapshots.snapshot import memories_now
from repomem.workspace.embedding_text import add_vectors, digest_of, passages_of
from repomem.workspace.run import Run
from repomem.workspace.vector_space import VectorSpace
from repomem.workspace.workspace import LEFT, SPACE, Workspace, are_vectors_complete

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from repomem.core.ports import Embedder

LOCK = "vectors.lock"  # held while vectors are made, which may take hours; indexing continues meanwhile
FIRST_KEPT = 64  # vectors that are written together at first; then as many as are made in KEPT_SECONDS
MOST_KEPT = 8_192
KEPT_SECONDS = 10.0  # of work that a kill may lose
PASSAGES_AT_ONCE = 64  # handed to a model together: enough to keep it busy, few enough for a bar to move
LONG = 60.0  # seconds; a run that takes longer is announced
CHARACTERS_OF_TOKEN = 4  # of code, roughly: to report how much is sent


def cheap_space(workspace: Workspace) -> VectorSpace | None:
    """The space of the configured model, where its vectors are made at once with the chunks."""
    embedder = workspace.embedder
    if not embedder.is_cheap:
        return None
    try:
        return VectorSpace(workspace.loaded.config.embedding.model, embedder.model_id, embedder.dimensions)
    except EmbeddingError:  # reported when missing vectors are made
        return None


def begin_vectors(workspace: Workspace) -> None:
    """Let an inexpensive model answer queries from the first chunk on: every chunk has its vector."""
    if workspace.space is None and workspace.catalog.table_stamp("chunks") is None:
        space = cheap_space(workspace)
        if space:
            with write_lock(workspace.folder):
                _serve(workspace, space)


def index_vectors(workspace: Workspace, run: Run) -> None:
    """Make the missing vectors; then the model answers queries.

    An expensive model is used only in a background run. Raises EmbeddingError if it returns no vectors.
    """
    if not (workspace.embedder.is_cheap or run.is_background):
        return
    if not are_vectors_complete(workspace):
        with try_lock(workspace.folder / LOCK, 0.0) as is_held:
            if is_held:
                if run.may_download:
                    workspace.embedder.fetch()
                _Embedding(workspace, run).embed_missing()
    model = memory_embedder(workspace)
    if run.is_background and not model.is_cheap and (model.is_quick or are_vectors_complete(workspace)):
        _make_memory_vectors(workspace, model)


def _make_memory_vectors(workspace: Workspace, model: "Embedder") -> None:
    """Make the vectors of memories that are missing; until they are there, the static model serves for them.

    With them the map marks the memories that later ones seem to change.
    """
    known = memories_now(workspace)
    count = workspace.catalog.memory_cache.count_vectors(model.model_id, known.outlines)
    if count < len(known.outlines):
        from repomem.items.repository_map import cache_map

        with suppress(EmbeddingError):
            vectors_of(workspace, model, known, known.outlines)
            cache_map(workspace)


class _Embedding:
    """A run that makes vectors."""

    def __init__(self, workspace: Workspace, run: Run) -> None:
        self._workspace = workspace
        self._run = run
        self._model = workspace.embedder
        spec = workspace.loaded.config.embedding.model
        self._space = VectorSpace(spec, self._model.model_id, self._model.dimensions)
        self._is_announced = False
        self._kept = FIRST_KEPT
        self._shared = shared_vectors(workspace, run, self._space)

    def embed_missing(self) -> None:
        """Download vectors from shared storage, embed the rest, and upload the new ones."""
        if self._shared:
            self._shared.download(self._missing())
        try:
            self._embed_all()
        finally:
            if self._shared:
                self._shared.upload()

    def _embed_all(self) -> None:
        """Embed until nothing is missing, including chunks that are indexed meanwhile."""
        before: dict[int, int] = {}
        while missing := self._missing():
            if missing == before:
                raise StoreDamaged("the table 'chunks' lacks rows of indexed files", table="chunks")
            before = missing
            self._ask(missing)
            if not self._made_all(missing):
                return
        with write_lock(self._workspace.folder):  # an index run publishes under it the chunks left without vectors
            is_whole = not self._missing()
            if is_whole:
                _serve(self._workspace, self._space)
        if is_whole:
            index_table(self._workspace, self._space.table)
        else:
            self._embed_all()

    def _made_all(self, missing: Mapping[int, int]) -> bool:
        """Make these vectors; returns whether time sufficed."""
        left = sum(missing.values())
        with self._run.progress.stage("Embedding", left, "chunks") as stage:
            for part in self._parts(missing):
                if self._run.is_late:
                    return False
                start = time.monotonic()
                self._embed(part, left)
                self._kept = _adapted(self._kept, time.monotonic() - start)
                chunks = sum(missing[each] for each in part)
                left -= chunks
                self._workspace.catalog.set_meta(LEFT, str(left))
                stage.advance(chunks)
        return True

    def _missing(self) -> dict[int, int]:
        """How many chunks each live version has whose vectors are missing."""
        workspace = self._workspace
        workspace.refresh_store()
        workspace.open_vectors(self._space)
        done = workspace.store.ids(self._space.table)
        live = workspace.catalog.file_versions.live_chunks()
        missing = {version: chunks for version, chunks in live.items() if version not in done}
        workspace.catalog.set_meta(LEFT, str(sum(missing.values())))
        return missing

    def _parts(self, missing: Mapping[int, int]) -> Iterator[list[int]]:
        """The versions in groups whose vectors are written together."""
        part: list[int] = []
        rows = 0
        for version, chunks in missing.items():
            part.append(version)
            rows += chunks
            if rows >= self._kept:
                yield part
                part, rows = [], 0
        if part:
            yield part

    def _embed(self, versions: Sequence[int], left: int) -> None:
        """Make and store the vectors of these versions; so many chunks are `left` with them."""
        import numpy as np

        workspace = self._workspace
        found = passages_of(workspace, versions)
        if not found:  # dropped meanwhile
            return
        numbers, passages = [version for version, _ in found], [passage for _, passage in found]
        by_digest = {digest_of(each): each for each in passages}
        known = {} if self._model.is_cheap else workspace.store.vectors_by_digest(self._space.table, list(by_digest))
        shared = self._shared.held if self._shared else {}
        known |= {digest: shared[digest] for digest in by_digest if digest in shared}
        fresh = [digest for digest in by_digest if digest not in known]
        for batch in batches(fresh, PASSAGES_AT_ONCE):
            known |= dict(zip(batch, self._made([by_digest[each] for each in batch], left), strict=True))
        if self._shared:
            self._shared.keep(versions, {digest: known[digest] for digest in fresh})
        vectors = np.stack([known[digest_of(each)] for each in passages])
        with write_lock(workspace.folder):
            for name, stamp in add_vectors(workspace, self._space, numbers, passages, vectors).items():
                workspace.catalog.stamp_table(name, stamp)

    def _made(self, passages: Sequence[CleanText], left: int) -> "NDArray[np.float16]":
        """Vectors from the model, which must not change meanwhile; the first ones give an estimate."""
        spec, start = self._space.spec, time.monotonic()
        vectors = self._model.embed(passages)
        if vectors.shape != (len(passages), self._space.dimensions):
            raise EmbeddingError(
                f"{spec} gave {vectors.shape[-1]} dimensions; the index has {self._space.dimensions}",
                "the model changed during the run; run repomem index to start again with the new one",
            )
        if not self._is_announced:
            self._is_announced = True
            seconds = (time.monotonic() - start) / len(passages) * left
            if seconds > LONG:
                self._run.tell(f"embedding {left:,} chunks with {spec} will take about {_duration(seconds)}")
        return vectors

    def _ask(self, missing: Mapping[int, int]) -> None:
        """Print the model's cost, and ask if it is above the limit. Raises EmbeddingError if the answer is no."""
        characters = sum(each.bytes for each in self._workspace.catalog.file_versions.with_ids(list(missing)))
        dollars = self._model.cost(characters)
        if dollars == 0.0:
            return
        price = "has an unknown price" if dollars is None else f"costs about ${dollars:,.2f}"
        tokens = characters / CHARACTERS_OF_TOKEN
        what = f"sending {sum(missing.values()):,} chunks (about {tokens:,.0f} tokens) to {self._space.spec} {price}"
        most = self._workspace.loaded.config.embedding.ask_above_cents
        if dollars is None or 100 * dollars <= most:
            self._run.tell(what)
        elif not self._run.agrees(f"{what}. Send them?"):
            raise EmbeddingError(
                f"nothing was sent: {what}, and embedding.ask_above_cents is {most}",
                "run repomem index on a terminal and say yes, or raise that option in your own config",
            )


def _serve(workspace: Workspace, space: VectorSpace) -> None:
    """Use the vectors of a space for queries from now on; within the caller's write lock."""
    workspace.catalog.set_meta(SPACE, space.text)
    workspace.catalog.set_meta(LEFT, "0")


def _adapted(batch: int, seconds: float) -> int:
    """How many vectors to write at once, given the time for the last ones."""
    if seconds > KEPT_SECONDS:
        return max(batch // 2, 1)
    return min(2 * batch, MOST_KEPT) if seconds < KEPT_SECONDS / 3 else batch


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes} minutes" if minutes < 100 else f"{minutes / 60:.1f} hours"
