"""The one place that knows LanceDB: opening, adding, searching, cleaning.

Tables are add-only. Every write is made under the caller's write lock, and is followed by a sync of the files that it
wrote, because LanceDB never syncs: a power cut would leave a table that cannot be opened. What LanceDB raises leaves
this module as StoreDamaged, or as StoreError where the disk is full or not to be written.
"""

import contextlib
import errno
import os
import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

os.environ.setdefault("LANCEDB_LOG", "error")  # a warning of LanceDB on stderr is noise to an agent

import lancedb
import pyarrow as pa
from lancedb.expr import col, lit
from lancedb.index import FTS, BTree
from lancedb.query import MatchQuery

from repomem.core.errors import StoreDamaged, StoreError
from repomem.core.types import IndexedChunk, IndexedEpisode
from repomem.store import schema

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INDEX_CACHE_BYTES: Final = 64 << 20  # LanceDB's own default is 6 GiB
METADATA_CACHE_BYTES: Final = 32 << 20  # and 1 GiB
READERS_GRACE: Final = timedelta(hours=1)  # old versions stay while a long-lived reader may still hold them
MOST_FRAGMENTS: Final = 50  # more make each search slower
MOST_UNINDEXED: Final = 0.05  # share of rows that are searched by scanning, where they are
FEW_UNINDEXED: Final = 2_000  # rows, or fewer: scanning them takes 15 ms, optimising the table seconds


_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN: Final = (errno.EACCES, errno.EPERM, errno.EROFS)
_SHORT: Final = (errno.EAGAIN, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM)


class Store:
    """The open tables of one repository. Ids are those of the catalog; what is live is the caller's knowledge."""

    def __init__(self, folder: Path, dimensions: int) -> None:
        self._folder = folder
        self._schemas = {
            schema.CHUNKS: schema.chunk_schema(dimensions),
            schema.EPISODES: schema.episode_schema(dimensions),
        }
        self._tables: dict[str, Any] = {}
        self._inodes: dict[str, int] = {}  # of the tables' folders as they were opened

    @classmethod
    def open(cls, folder: Path, dimensions: int) -> Self:
        """Open the store in `folder`; tables that do not exist are made by the first write.

        Raises StoreDamaged where a table cannot be opened or has other columns.
        """
        store = cls(folder, dimensions)
        if folder.is_dir():
            for name in store._schemas:
                if (folder / f"{name}.lance").is_dir():
                    store._keep(name, store._opened(name))
        return store

    def shows(self, name: str, version: int) -> bool:
        """Whether this handle shows a table's `version` or a later one, and the table was not replaced meanwhile."""
        if name not in self._tables:
            return version == 0
        with _translated(self._folder):
            return self._inodes[name] == self._inode(name) and bool(self._tables[name].version >= version)

    def stamp(self, name: str) -> tuple[int, int]:
        """The version and the number of rows of a table; (0, 0) where there is none."""
        with _translated(self._folder):
            table = self._tables.get(name)
            return (table.version, table.count_rows()) if table is not None else (0, 0)

    def add_chunks(
        self, chunks: Sequence[IndexedChunk], digests: Sequence[int], vectors: "NDArray[np.float16]"
    ) -> None:
        """Add chunks in one transaction; `vectors` is (chunks, dimensions)."""
        self._add(schema.CHUNKS, schema.chunk_table(chunks, digests, vectors))

    def add_episodes(self, episodes: Sequence[IndexedEpisode], vectors: "NDArray[np.float16]") -> None:
        """Add episodes in one transaction; `vectors` is (episodes, dimensions)."""
        self._add(schema.EPISODES, schema.episode_table(episodes, vectors))

    def index(self, name: str) -> None:
        """Build the indexes of a table that has rows: those that are missing or cover less than half of them.

        Done once at the end of a run. What a small run adds is searched by scanning until it is optimised.
        """
        table = self._tables.get(name)
        if table is None:
            return
        with _translated(self._folder), self._synced(name):
            table.checkout_latest()  # from an older version LanceDB's commit conflicts with another's optimising
            for column, config in _indexes(name).items():
                statistics = table.index_stats(f"{column}_idx")
                if statistics is None or statistics.num_unindexed_rows > statistics.num_indexed_rows:
                    table.create_index(column, config=config, replace=True)

    def search_words(self, name: str, words: Sequence[str], ids: Sequence[int] | None, limit: int) -> list[int]:
        """The ids of the rows that match the words best, best first, an id as often as it has rows.

        `ids` restricts the search to these (None: all rows are live). The order is LanceDB's, whose statistics
        count dead rows too: good enough to choose candidates, never to rank them.
        """
        table = self._tables.get(name)
        if table is None or not words:
            return []
        column = schema.ID_COLUMN[name]
        with _translated(self._folder):
            query = table.search(_match(words), query_type="fts")
            if ids is not None:
                query = query.where(col(column).isin(list(ids)))
            return list(query.select([column, "_score"]).limit(limit).to_arrow().column(column).to_pylist())

    def search_parts(self, parts: Sequence[str], ids: Sequence[int] | None, limit: int) -> list[int]:
        """The versions of chunks with a word that holds one of `parts`, in their order; all words are scanned."""
        table = self._tables.get(schema.CHUNKS)
        if table is None or not parts:
            return []
        holds = reduce(lambda one, other: one.or_(other), (col("words").contains(lit(part)) for part in parts))
        with _translated(self._folder):
            found = holds if ids is None else col("version").isin(list(ids)).and_(holds)
            rows = table.search().where(found).select(["version"]).limit(table.count_rows()).to_arrow()
        return sorted(rows.column("version").to_pylist())[:limit]

    def search_vector(
        self, name: str, vector: "NDArray[np.float32]", ids: Sequence[int] | None, limit: int
    ) -> list[tuple[int, float]]:
        """Ids and cosine similarities of the nearest rows, nearest first, an id as often as it has rows."""
        table = self._tables.get(name)
        if table is None:
            return []
        column = schema.ID_COLUMN[name]
        with _translated(self._folder):
            query = table.search(vector, vector_column_name="vector").distance_type("cosine").bypass_vector_index()
            if ids is not None:
                query = query.where(col(column).isin(list(ids)))
            rows = query.select([column, "_distance"]).limit(limit).to_arrow()
        distances = rows.column("_distance").to_pylist()
        return [(number, 1.0 - far) for number, far in zip(rows.column(column).to_pylist(), distances, strict=True)]

    def words(self, name: str, ids: Sequence[int]) -> list[tuple[int, int, str]]:
        """(id, ordinal, words) of every row with one of these ids, in that order; the ordinal of an episode is 0."""
        column = schema.ID_COLUMN[name]
        columns = [column, "ordinal", "words"] if name == schema.CHUNKS else [column, "words"]
        table = self._rows(name, ids, columns)
        if table is None:
            return []
        ordinals = table.column("ordinal").to_pylist() if name == schema.CHUNKS else [0] * table.num_rows
        return sorted(zip(table.column(column).to_pylist(), ordinals, table.column("words").to_pylist(), strict=True))

    def chunks(self, versions: Sequence[int]) -> list[IndexedChunk]:
        """Every chunk of these file versions, by version and place, without its words."""
        table = self._rows(schema.CHUNKS, versions, list(schema.SHOWN_COLUMNS))
        found = schema.chunks_from(table) if table is not None else iter(())
        return sorted(found, key=lambda chunk: (chunk.version, chunk.ordinal))

    def episodes(self, ids: Sequence[int]) -> list[IndexedEpisode]:
        """The episodes with these ids, by id."""
        table = self._rows(schema.EPISODES, ids, list(schema.EPISODE_COLUMNS))
        found = schema.episodes_from(table) if table is not None else iter(())
        return sorted(found, key=lambda row: row.id)

    def vectors_by_digest(self, digests: Sequence[int]) -> "dict[int, NDArray[np.float16]]":
        """Vectors that were computed before, dead rows included: the embedding cache."""
        import numpy as np

        table = self._tables.get(schema.CHUNKS)
        if table is None or not digests:
            return {}
        with _translated(self._folder):
            query = table.search().where(col("digest").isin(list(digests))).select(["digest", "vector"])
            rows = query.limit(table.count_rows()).to_arrow()
        return {
            digest: np.asarray(vector, np.float16)
            for digest, vector in zip(rows.column("digest").to_pylist(), rows.column("vector").to_pylist(), strict=True)
        }

    def delete(self, name: str, ids: Sequence[int]) -> None:
        """Delete the rows with these ids."""
        table = self._tables.get(name)
        if table is None or not ids:
            return
        with _translated(self._folder), self._synced(name):
            table.checkout_latest()
            table.delete(col(schema.ID_COLUMN[name]).isin(list(ids)))

    def wants_optimising(self, name: str) -> bool:
        """Whether searches scan too many unindexed rows or too many fragments."""
        table = self._tables.get(name)
        if table is None:
            return False
        with _translated(self._folder):
            stats = table.index_stats("words_idx")
            rows = max(table.count_rows(), 1)
            fragments = table.stats()["fragment_stats"]["num_fragments"]
        scanned = stats.num_unindexed_rows if stats else rows
        return bool(scanned > max(FEW_UNINDEXED, MOST_UNINDEXED * rows) or fragments > MOST_FRAGMENTS)

    def optimise(self, name: str, grace: timedelta = READERS_GRACE) -> None:
        """Merge fragments, bring the indexes up to date and drop versions older than `grace`.

        It rewrites the table, so that its bytes double meanwhile.
        """
        table = self._tables.get(name)
        if table is None:
            return
        with _translated(self._folder), self._synced(name):
            table.checkout_latest()
            table.optimize(cleanup_older_than=grace)

    # Behind them

    def _keep(self, name: str, table: Any) -> None:
        self._tables[name] = table
        self._inodes[name] = self._inode(name)

    def _inode(self, name: str) -> int:
        """Names the folder of a table: another number, and it was deleted or built anew. 0 where there is none."""
        try:
            return (self._folder / f"{name}.lance").stat().st_ino
        except FileNotFoundError:
            return 0

    def _opened(self, name: str) -> Any:  # LanceDB has no type for a table that both modes share
        with _translated(self._folder):
            table = self._connection().open_table(name)
            if table.schema != self._schemas[name]:
                raise StoreDamaged(f"the table {name!r} has other columns than it should")
            return table

    def _connection(self) -> "lancedb.DBConnection":
        session = lancedb.Session(
            index_cache_size_bytes=INDEX_CACHE_BYTES, metadata_cache_size_bytes=METADATA_CACHE_BYTES
        )
        return lancedb.connect(str(self._folder.resolve()), session=session)

    def _add(self, name: str, rows: "pa.Table") -> None:
        if not rows.num_rows:
            return
        with _translated(self._folder), self._synced(name):
            if name not in self._tables:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._keep(name, self._connection().create_table(name, schema=self._schemas[name], exist_ok=True))
            if self._inodes[name] != self._inode(name):  # LanceDB would write on into a table that nobody can open
                raise StoreDamaged(f"the table {name!r} was deleted while it was open")
            table = self._tables[name]
            table.checkout_latest()
            table.add(rows)

    def _rows(self, name: str, ids: Sequence[int], columns: list[str]) -> "pa.Table | None":
        table = self._tables.get(name)
        if table is None or not ids:
            return None
        with _translated(self._folder):
            query = table.search().where(col(schema.ID_COLUMN[name]).isin(list(ids))).select(columns)
            return query.limit(table.count_rows()).to_arrow()

    @contextlib.contextmanager
    def _synced(self, name: str) -> Iterator[None]:
        """Bring the files that the transaction adds to the disk before anything is built on them."""
        before = _files(self._folder / f"{name}.lance")
        yield
        for path in sorted(_files(self._folder / f"{name}.lance") - before):
            _sync(path)
        for folder in ("data", "_versions", "_transactions", "_indices", "."):
            _sync(self._folder / f"{name}.lance" / folder)
        _sync(self._folder)


def _indexes(name: str) -> dict[str, FTS | BTree]:
    """Column to index of a table."""
    indexes: dict[str, FTS | BTree] = {"words": _words_index(), schema.ID_COLUMN[name]: BTree()}
    return indexes | {"digest": BTree()} if name == schema.CHUNKS else indexes


def _words_index() -> FTS:
    # The words are split already. Positions are off: with them optimising has crashed, and nothing asks for phrases.
    return FTS(
        base_tokenizer="whitespace", lower_case=False, stem=False, remove_stop_words=False, ascii_folding=False,
        max_token_length=None, with_position=False,
    )  # fmt: skip


def _match(words: Sequence[str]) -> MatchQuery:
    return MatchQuery(" ".join(words), "words")  # type: ignore[call-arg]  # its defaults are unknown to the checker


def _files(folder: Path) -> set[Path]:
    return {Path(root) / name for root, _, names in os.walk(folder) for name in names}


def _sync(path: Path) -> None:
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:  # a file that LanceDB has cleaned away meanwhile, or a folder that cannot be opened (Windows)
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _translated(folder: Path) -> Iterator[None]:
    """LanceDB raises RuntimeError, ValueError, OSError and Arrow errors for what is wrong on the disk.

    What the machine refuses is no damage: to rebuild the index for it would lose a good one.
    """
    try:
        yield
    except StoreError:
        raise
    except (RuntimeError, ValueError, OSError, KeyError, MemoryError, pa.ArrowException, *_panics()) as error:
        refusal = _refusal(error)
        if refusal in _FULL:
            raise StoreError("the disk is full", "free some space and run the command again") from error
        if refusal in _FORBIDDEN:
            raise StoreError(f"cannot write the index in {folder}", "check the folder's owner and mode") from error
        if refusal is not None:
            raise StoreError(
                f"the index cannot be used now: {os.strerror(refusal)}", "look at the machine's limits (ulimit -a)"
            ) from error
        first_line = (str(error) or type(error).__name__).splitlines()[0]
        raise StoreDamaged(f"the index in {folder} cannot be used: {first_line[:200]}") from error


def _panics() -> tuple[type[Exception], ...]:
    """The class by which a panic in LanceDB's threads comes up, as some flipped bytes cause; no module exports it."""
    return tuple(each for each in Exception.__subclasses__() if each.__name__ == "RustPanic")


def _refusal(error: Exception) -> int | None:
    """The number of the system's error behind one of LanceDB, if it is one that says nothing about the files."""
    if isinstance(error, MemoryError) or "can't start new thread" in str(error):
        return errno.ENOMEM
    told = re.search(r"os error (\d+)", str(error))
    number = int(told[1]) if told else getattr(error, "errno", None)
    return number if number in (*_FULL, *_FORBIDDEN, *_SHORT) else None
