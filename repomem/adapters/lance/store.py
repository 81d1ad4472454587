"""The store: candidates found in the tables by words and vectors, and rows read by id."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial, reduce
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
import pyarrow as pa
from lancedb.expr import Expr, col, lit
from lancedb.query import MatchQuery
from numpy.typing import NDArray

from repomem.adapters.lance import schema
from repomem.adapters.lance.checksums import sums_within, unsound_rows
from repomem.adapters.lance.errors import translated
from repomem.adapters.lance.tables import Tables
from repomem.adapters.lance.vectors import Vectors
from repomem.core.byte_cache import ByteCache
from repomem.core.errors import StoreDamaged
from repomem.core.grouping import grouped_by
from repomem.core.types.indexed import FileUses, IndexedChunk, IndexedEpisode

Row = TypeVar("Row")
WORDS_COLUMNS: Final = ("version", "ordinal", "words")
RECENT_WORDS: Final = 48 << 20  # bytes of cached rows, approximately
RECENT_CHUNKS: Final = 24 << 20
RECENT_USES: Final = 16 << 20
RECENT_EPISODES: Final = 24 << 20
MANY_VECTORS: Final = 20_000  # of chunks: LanceDB scans fewer in 10 ms
MOST_VECTOR_BYTES: Final = 128 << 20  # of vectors in memory, 4 bytes per number
READ_AT_ONCE: Final = 8_192  # rows
MANY_LISTED: Final = 1_000  # ids in a filter: LanceDB takes longer with each
MOST_ASKED: Final = 2_000  # ids of one question: a larger one scans everything, and would evict all cached rows
MANY_ASKED: Final = 60  # ids whose rows take longer to unpack than a thread to start
ROW_BYTES: Final = 500  # of a row besides its long texts: its Python objects
PART_BYTES: Final = 150  # of each site of a chunk and each file of an episode


class RowCache(ByteCache[int, Row]):
    """Recently read rows of one kind, by id; `size` estimates the bytes of one.

    Rows never change under their id, so the cache is never stale. An id without rows is not cached, since it may get
    some.
    """

    def __init__(self, limit: int, size: Callable[[Row], int]) -> None:
        super().__init__(limit, lambda rows: sum(map(size, rows)))

    def rows(self, ids: Iterable[int], read: Callable[[Sequence[int]], Mapping[int, list[Row]]]) -> list[Row]:
        """The rows of these ids, by id; `read` provides those that are not cached."""
        wanted = sorted(set(ids))
        known = self.cached(wanted)
        missing = [number for number in wanted if number not in known]
        fresh = read(missing) if missing else {}
        if len(wanted) <= MOST_ASKED:
            self.keep(fresh)
        known.update(fresh)
        return [row for number in wanted for row in known.get(number, ())]


class Store(Tables):
    """The tables of one repository, searched and read."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._listed: dict[str, tuple[int, NDArray[np.int32]]] = {}  # version and ids, as last read
        self._in_memory: tuple[str, int, Vectors] | None = None  # all vectors of a version of a table
        self._is_loading = False
        self._words: RowCache[tuple[int, int, str]] = RowCache(RECENT_WORDS, lambda row: len(row[2]) + ROW_BYTES // 2)
        self._chunks: RowCache[IndexedChunk] = RowCache(RECENT_CHUNKS, _chunk_bytes)
        self._uses: RowCache[schema.UsesRow] = RowCache(
            RECENT_USES, lambda row: len(row[2]) + len(row[3]) + ROW_BYTES // 2
        )
        self._episodes: RowCache[IndexedEpisode] = RowCache(RECENT_EPISODES, _episode_bytes)

    def delete(self, name: str, ids: Sequence[int]) -> None:
        """Delete the rows with these ids, cached ones too."""
        for cache in (self._words, self._chunks, self._uses, self._episodes):
            cache.clear()
        super().delete(name, ids)

    def search_words(self, name: str, words: Sequence[str], ids: Sequence[int] | None, limit: int) -> list[int]:
        """The ids of the rows that match the words best, best first; once for each matching row.

        `ids` restricts the search (None: all rows are live). The order is LanceDB's, whose statistics count dead rows
        too: good enough for candidates, never for ranking.
        """
        table = self._tables.get(name)
        if table is None or not words:
            return []
        column = schema.id_column(name)
        with translated(self._folder):
            match = MatchQuery(" ".join(words), "words")  # type: ignore[call-arg]  # the checker knows no defaults of it
            query = table.search(match, query_type="fts")
            if ids is not None:
                query = query.where(self._among(name, ids))
            return list(query.select([column, "_score"]).limit(limit).to_arrow().column(column).to_pylist())

    def search_parts(self, parts: Sequence[str], ids: Sequence[int] | None, limit: int) -> list[int]:
        """The versions of chunks with a word that contains one of `parts`, ascending; scans all words."""
        table = self._tables.get(schema.CHUNKS)
        if table is None or not parts:
            return []
        holds = reduce(lambda one, other: one.or_(other), (col("words").contains(lit(part)) for part in parts))
        with translated(self._folder):
            found = holds if ids is None else self._among(schema.CHUNKS, ids).and_(holds)
            rows = table.search().where(found).select(["version"]).limit(self.stamp(schema.CHUNKS)[1]).to_arrow()
        return sorted(rows.column("version").to_pylist())[:limit]

    def search_vector(
        self, name: str, vector: NDArray[np.float32], ids: Sequence[int] | None, limit: int
    ) -> list[tuple[int, float]]:
        """Versions and cosine similarities of the nearest chunks, nearest first; once for each chunk."""
        table = self._tables.get(name)
        if table is None:
            return []
        if self._in_memory and self._in_memory[:2] == (name, self.stamp(name)[0]):
            ids = self._in_memory[2].near(vector, ids, limit) or ids
        with translated(self._folder, name):
            query = table.search(vector, vector_column_name="vector").distance_type("cosine").bypass_vector_index()
            if ids is not None:
                query = query.where(self._among(name, ids))
            rows = query.select(["version", "_distance"]).limit(limit).to_arrow()
        return [(number, 1.0 - far) for number, far in schema.rows_in(rows, ("version", "_distance"))]

    def wants_vectors(self, name: str) -> bool:
        """Whether vector searches are slow here and the vectors are not being loaded into memory yet."""
        if self._is_loading or name not in self._tables:
            return False
        rows = self.stamp(name)[1]
        return rows >= MANY_VECTORS and 4 * rows * self._dimensions(name) <= MOST_VECTOR_BYTES

    def hold_vectors(self, name: str) -> None:
        """Load all vectors into memory, once; half a second for 100,000."""
        table = self._tables.get(name)
        if self._is_loading or table is None:
            return
        self._is_loading = True
        with translated(self._folder, name):
            version, rows = self.stamp(name)
            batches = table.search().select(["version", "vector"]).limit(rows).to_batches(READ_AT_ONCE)
            self._in_memory = name, version, Vectors(batches, rows, self._dimensions(name))

    def words(self, name: str, ids: Sequence[int]) -> list[tuple[int, int, str]]:
        """(id, ordinal, words) of every row with one of these ids, in that order; the ordinal of an episode is 0."""
        if name == schema.CHUNKS:
            return self._words.rows(ids, partial(self._sorted_rows, WORDS_COLUMNS))
        rows = schema.rows_in(self._rows(name, ids, ("id", "words")), ("id", "words"))
        return sorted((number, 0, words) for number, words in rows)

    def chunks(self, versions: Sequence[int]) -> list[IndexedChunk]:
        """Every chunk of these file versions, by version and position, without its words."""
        return self._chunks.rows(versions, self._read_chunks)

    def uses(self, versions: Sequence[int], names: Collection[str]) -> list[FileUses]:
        """What these file versions import, define and use of these names, by version."""
        return list(schema.uses_from(self._uses.rows(versions, partial(self._sorted_rows, schema.USES_COLUMNS)), names))

    def episodes(self, ids: Sequence[int]) -> list[IndexedEpisode]:
        """The episodes with these ids, by id."""
        return self._episodes.rows(ids, self._read_episodes)

    def episodes_naming(self, text: str) -> list[IndexedEpisode]:
        """The episodes of any history with this text in a path or in their message: a superset."""
        if schema.EPISODES not in self._tables:
            return []
        with translated(self._folder):
            rows = self._where(schema.EPISODES, col("episode").contains(schema.in_json(text)), schema.EPISODE_COLUMNS)
        return list(schema.episodes_from(rows))

    def vectors_by_digest(self, name: str, digests: Sequence[int]) -> dict[int, NDArray[np.float16]]:
        """Vectors computed before, of dead rows too: the embedding cache."""
        if name not in self._tables or not digests:
            return {}
        with translated(self._folder, name):
            rows = self._where(name, col("digest").isin(list(digests)), schema.VECTOR_COLUMNS)
        return {digest: np.asarray(vector, np.float16) for digest, vector in schema.rows_in(rows, ("digest", "vector"))}

    def ids(self, name: str) -> set[int]:
        return set(self._ids_of(name).tolist()) if name in self._tables else set()

    def unsound_rows(self, name: str) -> int:
        """How many rows of a table, dead ones too, differ from their checksums. Reads all of it."""
        table = self._tables.get(name)
        if table is None:
            return 0
        with translated(self._folder, name):
            rows = table.search().select(self._schemas[name].names).limit(self.stamp(name)[1])
            return sum(unsound_rows(batch, schema.sums_of(name)) for batch in rows.to_batches(READ_AT_ONCE))

    def _among(self, name: str, ids: Sequence[int]) -> Expr:
        """A filter for these ids; if fewer ids remain, a filter that excludes those.

        A search among 28,000 of 28,005 ids takes 0.1 s; excluding the other five takes a tenth of that.
        """
        column = col(schema.id_column(name))
        if len(ids) < MANY_LISTED:
            return column.isin(list(ids))
        others = np.setdiff1d(self._ids_of(name), np.fromiter(ids, np.int32, len(ids)))
        return column.isin(list(ids)) if len(others) > len(ids) else ~column.isin(others.tolist())

    def _ids_of(self, name: str) -> NDArray[np.int32]:
        """The ids that a table holds, each once."""
        table, column = self._tables[name], schema.id_column(name)
        version, rows = self.stamp(name)
        if name not in self._listed or self._listed[name][0] != version:
            with translated(self._folder, name):
                found = table.search().select([column]).limit(rows).to_arrow().column(column)
            self._listed[name] = version, np.unique(found.to_numpy())
        return self._listed[name][1]

    def _read_chunks(self, versions: Sequence[int]) -> dict[int, list[IndexedChunk]]:
        found = schema.chunks_from(self._rows(schema.CHUNKS, versions, schema.SHOWN_COLUMNS))
        return grouped_by(sorted(found, key=lambda chunk: (chunk.version, chunk.ordinal)), lambda chunk: chunk.version)

    def _sorted_rows(self, columns: Sequence[str], versions: Sequence[int]) -> dict[int, list[Any]]:
        """These columns of the chunks of each version, still packed, by place."""
        table = self._rows(schema.CHUNKS, versions, columns)
        return grouped_by(sorted(schema.rows_in(table, columns)), itemgetter(0))

    def _read_episodes(self, ids: Sequence[int]) -> dict[int, list[IndexedEpisode]]:
        table = self._rows(schema.EPISODES, ids, schema.EPISODE_COLUMNS)
        return grouped_by(schema.episodes_from(table), lambda row: row.id)

    def _rows(self, name: str, ids: Sequence[int], columns: Sequence[str]) -> "pa.Table":
        """The rows with these ids; halves of many ids are read in parallel, since LanceDB unpacks on one core."""
        if name not in self._tables or not ids:
            return self._schemas[name].empty_table()
        middle = len(ids) // 2
        halves = [ids[:middle], ids[middle:]] if MANY_ASKED <= len(ids) <= MOST_ASKED else [ids]

        def read(some: Sequence[int]) -> "pa.Table":
            return self._where(name, col(schema.id_column(name)).isin(list(some)), columns)

        with translated(self._folder), ThreadPoolExecutor(len(halves)) as readers:
            return pa.concat_tables(readers.map(read, halves)) if len(halves) > 1 else read(ids)

    def _where(self, name: str, condition: Expr, columns: Sequence[str]) -> "pa.Table":
        """These columns of the rows for which a condition holds. Raises StoreDamaged if one differs from its checksum.

        The caller translates LanceDB's errors.
        """
        sums = schema.sums_of(name)
        query = self._tables[name].search().where(condition).select([*columns, *sums_within(sums, columns)])
        rows = query.limit(self.stamp(name)[1]).to_arrow()
        if unsound := unsound_rows(rows, sums):
            counted = "a row" if unsound == 1 else f"{unsound:,} rows"
            raise StoreDamaged(f"{counted} of the table {name!r} changed on disk", table=name)
        return rows


def _chunk_bytes(chunk: IndexedChunk) -> int:
    return ROW_BYTES + len(chunk.text) + len(chunk.signature) + len(chunk.docstring) + PART_BYTES * len(chunk.sites)


def _episode_bytes(row: IndexedEpisode) -> int:
    episode = row.episode
    parts = len(episode.files) + len(episode.symbols) + len(episode.trailers)
    return ROW_BYTES + len(row.words) + len(episode.body) + PART_BYTES * parts
