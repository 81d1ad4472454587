"""Writes parsed files to the store, some thousand chunks at a time."""

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from repomem.adapters.sqlite.catalog_rows import FileVersion, TableStamp
from repomem.core.processes.locks import write_lock
from repomem.core.shared_storage import SharedFiles
from repomem.core.types.indexed import IndexedChunk
from repomem.core.types.text import CleanText
from repomem.core.word_statistics import Tally
from repomem.index.indexable_files import LiveFile
from repomem.index.parse_messages import ParsedFile
from repomem.index.vectors import cheap_space
from repomem.workspace.embedding_text import add_vectors, embedded_text
from repomem.workspace.workspace import Workspace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from repomem.adapters.lance.store import Store


ROWS_PER_TRANSACTION = 8_000  # chunks: about 30 MB in memory; table versions grow with runs, not with files
ROWS_PER_EMBEDDING = 512  # chunks embedded at a time while the workers parse on


@dataclass(slots=True)
class CodeRun:
    """The results for the files."""

    versions: list[int] = field(default_factory=list)  # of every live file, left out or not
    paths: list[str] = field(default_factory=list)  # of every live file
    left_out: Counter[str] = field(default_factory=Counter)  # of files that have no version
    faults: list[str] = field(default_factory=list)
    parsed: int = 0
    missing: int = 0  # live files that time did not suffice for
    tally: Tally = field(default_factory=Tally)
    tallied: set[int] = field(default_factory=set)  # the versions counted in it
    shared: SharedFiles = field(default_factory=SharedFiles)


class ChunkWriter:
    """Gathers parsed files, and stores them some thousand chunks at a time."""

    def __init__(self, workspace: Workspace, policy: str, done: CodeRun) -> None:
        self._workspace = workspace
        self._policy = policy
        self._done = done
        self._space = cheap_space(workspace)
        self._begin()

    def _begin(self) -> None:
        self._files: list[tuple[LiveFile, ParsedFile]] = []
        self._chunks: list[IndexedChunk] = []
        self._waiting: list[CleanText] = []  # chunks without a vector yet, if the model is inexpensive
        self._passages: list[CleanText] = []  # those that have one
        self._vectors: list[NDArray[np.float16]] = []

    def take(self, file: LiveFile, parsed: ParsedFile) -> None:
        """Add one file; stores the gathered files if they fill a transaction."""
        if parsed.chunks:
            self._done.tally.add_file([chunk.words for chunk in parsed.chunks])
            if self._space:
                self._waiting += [embedded_text(file.path, chunk) for chunk in parsed.chunks]
        self._files.append((file, parsed))
        self._chunks += parsed.chunks
        self._done.parsed += 1
        if len(self._waiting) >= ROWS_PER_EMBEDDING:
            self._embed()
        if len(self._chunks) >= ROWS_PER_TRANSACTION:
            self.finish()

    def finish(self) -> None:
        """Store the gathered files: the rows first, then the versions that refer to them."""
        if not self._files:
            return
        self._embed()
        store = self._workspace.store  # opened before the lock is taken: importing LanceDB takes seconds
        with write_lock(self._workspace.folder):
            first = self._workspace.catalog.file_versions.reserve(len(self._files))
            stamps = self._stored(store, first)
            versions = [self._version(first + at, *gathered) for at, gathered in enumerate(self._files)]
            self._workspace.catalog.file_versions.record(versions, self._policy, stamps)
        self._done.versions += [version.id for version in versions]
        self._done.tallied |= {version.id for version in versions if version.chunks}
        self._begin()

    def _embed(self) -> None:
        if self._waiting:
            self._vectors.append(self._workspace.embedder.embed(self._waiting))
            self._passages += self._waiting
            self._waiting = []

    def _stored(self, store: "Store", first: int) -> dict[str, TableStamp]:
        import numpy as np

        if not self._chunks:
            return {}
        files = enumerate(self._files, start=first)
        numbered = [chunk._replace(version=version) for version, (_, parsed) in files for chunk in parsed.chunks]
        store.add_chunks(numbered)
        stamps = {"chunks": TableStamp(*store.stamp("chunks"))}
        if self._space:
            versions = [chunk.version for chunk in numbered]
            vectors = np.concatenate(self._vectors)
            stamps |= add_vectors(self._workspace, self._space, versions, self._passages, vectors)
        return stamps

    @staticmethod
    def _version(number: int, file: LiveFile, parsed: ParsedFile) -> FileVersion:
        return FileVersion(
            id=number,
            path=file.path,
            blob=file.blob,
            role=parsed.role,
            language=parsed.language,
            left_out=parsed.left_out,
            lines=parsed.lines,
            bytes=sum(len(chunk.text) for chunk in parsed.chunks),
            chunks=len(parsed.chunks),
        )
