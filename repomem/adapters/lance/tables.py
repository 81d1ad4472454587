"""Tables of LanceDB: opened, written, indexed, cleaned.

Tables are append-only. The caller holds the write lock for each write, and every write ends with an fsync of its new
files, because LanceDB never syncs: after a power cut a table could not be opened.
"""

import contextlib
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, Self

import lancedb
import numpy as np
import pyarrow as pa
from lancedb.expr import col
from lancedb.index import FTS, BTree
from numpy.typing import NDArray

from repomem.adapters.lance import schema
from repomem.adapters.lance.errors import translated
from repomem.adapters.lance.file_sums import SAMPLE, add_sums, damaged_file, forget_deleted
from repomem.core.errors import StoreDamaged
from repomem.core.files import sync_path
from repomem.core.types.indexed import VECTORS, IndexedChunk, IndexedEpisode

INDEX_CACHE_BYTES: Final = 64 << 20  # LanceDB's default is 6 GiB
METADATA_CACHE_BYTES: Final = 32 << 20  # and 1 GiB
EMBEDDING_FUNCTIONS: Final = b"embedding_functions"  # with these, LanceDB sends queries to a server that they name
READERS_GRACE: Final = timedelta(hours=1)  # old versions stay while a long-lived reader may use them
MOST_FRAGMENTS: Final = 50  # more slow down each search
MOST_UNINDEXED: Final = 0.05  # share of rows that may be scanned
FEW_UNINDEXED: Final = 2_000  # rows: scanning them takes 15 ms, optimising the table seconds


class Tables:
    """The open tables of one repository. Ids are the catalog's; the caller knows which are live."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._schemas = {schema.CHUNKS: schema.chunk_schema(), schema.EPISODES: schema.episode_schema()}
        self._tables: dict[str, Any] = {}
        self._inodes: dict[str, int] = {}  # of the tables' folders when opened
        self._stamps: dict[str, tuple[int, int]] = {}  # of tables since opened or written here

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open chunks and episodes in `folder`; missing tables are created by the first write.

        Raises StoreDamaged if a table cannot be opened or has other columns.
        """
        store = cls(folder)
        for name in tuple(store._schemas):
            store._open(name)
        return store

    def open_vectors(self, name: str, dimensions: int) -> None:
        """Open a table of vectors of that length, or let the first write create it. Raises StoreDamaged."""
        if name not in self._tables:
            self._schemas[name] = schema.vector_schema(dimensions)
            self._open(name)

    def drop(self, name: str) -> None:
        """Delete a table of vectors, damaged or not."""
        self._tables.pop(name, None)
        self._stamps.pop(name, None)
        self._schemas.pop(name, None)
        shutil.rmtree(self._path(name), ignore_errors=True)
        forget_deleted(self._path(name))

    def is_old(self, name: str) -> bool:
        """Whether a table was not written for so long that no reader can still use it, or is only a leftover."""
        try:
            written = (self._path(name) / "_versions").stat().st_mtime
        except FileNotFoundError:
            return True
        return time.time() - written > READERS_GRACE.total_seconds()

    def vector_tables(self) -> list[str]:
        """The names of all vector tables in the folder, open or not."""
        return sorted(path.stem for path in self._folder.glob(f"{VECTORS}*.lance"))

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.lance"

    def shows(self, name: str, version: int) -> bool:
        """Whether this handle shows `version` or a later one of a table that was not replaced since."""
        if name not in self._tables:
            return version == 0
        return self._inodes[name] == self._inode(name) and self.stamp(name)[0] >= version

    def stamp(self, name: str) -> tuple[int, int]:
        """The version and number of rows of a table; (0, 0) if there is none."""
        table = self._tables.get(name)
        if table is None:
            return 0, 0
        if name not in self._stamps:  # until we write, LanceDB shows the version that it opened
            with translated(self._folder):
                self._stamps[name] = table.version, table.count_rows()
        return self._stamps[name]

    def add_chunks(self, chunks: Sequence[IndexedChunk]) -> None:
        """Add chunks in one transaction."""
        self._add(schema.CHUNKS, schema.chunk_table(chunks))

    def add_episodes(self, episodes: Sequence[IndexedEpisode]) -> None:
        """Add episodes in one transaction."""
        self._add(schema.EPISODES, schema.episode_table(episodes))

    def add_vectors(
        self, name: str, versions: Sequence[int], digests: Sequence[int], vectors: NDArray[np.float16]
    ) -> None:
        """Add vectors of chunks, (chunks, dimensions), with the version and text digest of each, in one transaction.

        All chunks of a version must come together: a version with some vectors counts as complete.
        """
        self._add(name, schema.vector_table(versions, digests, vectors))

    def index(self, name: str) -> None:
        """Build the indexes of a table that are missing or cover less than half of its rows.

        Done once at the end of a run. Rows of small runs are scanned until the table is optimised.
        """
        table = self._tables.get(name)
        if table is None:
            return
        with translated(self._folder), self._synced(name):
            table.checkout_latest()  # an older version's commit would conflict with an optimisation
            for column, config in _indexes(name).items():
                statistics = table.index_stats(f"{column}_idx")
                if statistics is None or statistics.num_unindexed_rows > statistics.num_indexed_rows:
                    table.create_index(column, config=config, replace=True)

    def delete(self, name: str, ids: Sequence[int]) -> None:
        table = self._tables.get(name)
        if table is None or not ids:
            return
        with translated(self._folder), self._synced(name):
            table.checkout_latest()
            table.delete(col(schema.id_column(name)).isin(list(ids)))

    def wants_optimising(self, name: str) -> bool:
        """Whether searches scan too many unindexed rows or too many fragments."""
        table = self._tables.get(name)
        if table is None:
            return False
        with translated(self._folder):
            stats = table.index_stats(f"{schema.id_column(name)}_idx")
            rows = max(table.count_rows(), 1)
            fragments = table.stats()["fragment_stats"]["num_fragments"]
        scanned = stats.num_unindexed_rows if stats else rows
        return bool(scanned > max(FEW_UNINDEXED, MOST_UNINDEXED * rows) or fragments > MOST_FRAGMENTS)

    def optimise(self, name: str, grace: timedelta = READERS_GRACE) -> None:
        """Merge fragments, update indexes and drop versions older than `grace`. Doubles the table's bytes meanwhile."""
        table = self._tables.get(name)
        if table is None:
            return
        with translated(self._folder), self._synced(name):
            table.checkout_latest()
            table.optimize(cleanup_older_than=grace)
        forget_deleted(self._path(name))

    def _open(self, name: str) -> None:
        if self._path(name).is_dir():
            self.check_files(name, SAMPLE)
            self._keep(name, self._opened(name))

    def check_files(self, name: str, most: int | None = None) -> None:
        """Compare the files of a table, every one or `most` of them, with their checksums. Raises StoreDamaged."""
        if damaged := damaged_file(self._path(name), most):
            raise StoreDamaged(f"a file of the table {name!r} changed on disk: {damaged}", table=name)

    def _dimensions(self, name: str) -> int:
        return int(self._schemas[name].field("vector").type.list_size)

    def _keep(self, name: str, table: Any) -> None:
        self._tables[name] = table
        self._stamps.pop(name, None)
        self._inodes[name] = self._inode(name)

    def _inode(self, name: str) -> int:
        """The inode of a table's folder: it changes when the table is deleted or rebuilt. 0 if there is none."""
        try:
            return self._path(name).stat().st_ino
        except FileNotFoundError:
            return 0

    def _opened(self, name: str) -> Any:  # LanceDB has no type for a table that both modes share
        with translated(self._folder, name):
            table = self._connection().open_table(name)
            if table.schema != self._schemas[name]:
                raise StoreDamaged(f"the table {name!r} has unexpected columns", table=name)
            if EMBEDDING_FUNCTIONS in (table.schema.metadata or {}):
                raise StoreDamaged(f"the table {name!r} has embedding functions of its own", table=name)
            return table

    def _connection(self) -> "lancedb.DBConnection":
        session = lancedb.Session(
            index_cache_size_bytes=INDEX_CACHE_BYTES, metadata_cache_size_bytes=METADATA_CACHE_BYTES
        )
        return lancedb.connect(str(self._folder.resolve()), session=session)

    def _add(self, name: str, rows: "pa.Table") -> None:
        if not rows.num_rows:
            return
        with translated(self._folder, name), self._synced(name):
            if name not in self._tables:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._keep(name, self._connection().create_table(name, schema=self._schemas[name], exist_ok=True))
            if self._inodes[name] != self._inode(name):  # LanceDB would write on into a deleted table
                raise StoreDamaged(f"the table {name!r} was deleted while it was open", table=name)
            table = self._tables[name]
            table.checkout_latest()
            table.add(rows)

    @contextlib.contextmanager
    def _synced(self, name: str) -> Iterator[None]:
        """Sync the files that the transaction adds before anything relies on them."""
        before = _files(self._path(name))
        try:
            yield
        finally:
            self._stamps.pop(name, None)
        new = sorted(_files(self._path(name)) - before)
        for path in new:
            _sync_if_there(path)
        add_sums(self._path(name), new)
        for folder in ("data", "_versions", "_transactions", "_indices", "."):
            _sync_if_there(self._path(name) / folder)
        _sync_if_there(self._folder)


def _indexes(name: str) -> dict[str, FTS | BTree]:
    """Column to index of a table."""
    first: dict[str, FTS | BTree] = {schema.id_column(name): BTree()}
    return first | ({"digest": BTree()} if name.startswith(VECTORS) else {"words": _words_index()})


def _words_index() -> FTS:
    # Words are split already. No positions: optimising has crashed with them, and no search needs phrases.
    return FTS(
        base_tokenizer="whitespace", lower_case=False, stem=False, remove_stop_words=False, ascii_folding=False,
        max_token_length=None, with_position=False,
    )  # fmt: skip


def _files(folder: Path) -> set[Path]:
    return {Path(root) / name for root, _, names in os.walk(folder) for name in names}


def _sync_if_there(path: Path) -> None:
    # LanceDB may have deleted the file; Windows cannot open folders
    with contextlib.suppress(FileNotFoundError, NotADirectoryError, PermissionError):
        sync_path(path)
