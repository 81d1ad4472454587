"""The one place that knows LanceDB: opening, adding, searching, cleaning.

Tables are add-only. Every write is made under the caller's write lock, and is followed by a sync of the files that it
wrote, because LanceDB never syncs: a power cut would leave a table that cannot be opened. What LanceDB raises leaves
this module as StoreDamaged, or as StoreError where the disk is full or not to be written.
"""

import contextlib
import errno
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

os.environ.setdefault("LANCEDB_LOG", "error")  # a warning of LanceDB on stderr is noise to an agent

import lancedb
import pyarrow as pa
from lancedb.expr import col, lit
from lancedb.index import FTS, BTree
from lancedb.query import MatchQuery

from repomem.adapters.lance import schema
from repomem.adapters.lance.checksums import sums_within, unsound_rows
from repomem.adapters.lance.panics import panics
from repomem.adapters.lance.row_cache import MOST_ASKED, Recent
from repomem.adapters.lance.vectors import Vectors
from repomem.core.errors import StoreDamaged, StoreError
from repomem.core.files import sync_path
from repomem.core.types.indexed import VECTORS, FileUses, IndexedChunk, IndexedEpisode

if TYPE_CHECKING:
    import numpy as np
    from lancedb.expr import Expr
    from numpy.typing import NDArray

Row = TypeVar("Row")
INDEX_CACHE_BYTES: Final = 64 << 20  # LanceDB's own default is 6 GiB
METADATA_CACHE_BYTES: Final = 32 << 20  # and 1 GiB
RECENT_WORDS: Final = 48 << 20  # bytes of rows that an open store keeps, as nearly as Python lets one count
RECENT_CHUNKS: Final = 24 << 20
RECENT_USES: Final = 16 << 20
RECENT_EPISODES: Final = 24 << 20
MANY_VECTORS: Final = 20_000  # of chunks: LanceDB goes through fewer in 10 ms
MOST_VECTOR_BYTES: Final = 128 << 20  # of those that are held in memory, 4 for each number
HELD_AT_ONCE: Final = 8_192  # rows read at once
MANY_LISTED: Final = 1_000  # ids to search among: LanceDB takes longer with each
MANY_ASKED: Final = 60  # ids whose rows take longer to unpack than a thread to start
ROW_BYTES: Final = 500  # of a row beside its long texts: the objects that it is made of
PART_BYTES: Final = 150  # of each site of a chunk, and each file of an episode
FUNCTIONS: Final = b"embedding_functions"  # by which LanceDB would send a question wherever the table says
READERS_GRACE: Final = timedelta(hours=1)  # old versions stay while a long-lived reader may still hold them
MOST_FRAGMENTS: Final = 50  # more make each search slower
MOST_UNINDEXED: Final = 0.05  # share of rows that are searched by scanning, where they are
FEW_UNINDEXED: Final = 2_000  # rows, or fewer: scanning them takes 15 ms, optimising the table seconds


_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN: Final = (errno.EACCES, errno.EPERM, errno.EROFS)
_SHORT: Final = (errno.EAGAIN, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM)


class Store:
    """The open tables of one repository. Ids are those of the catalog; what is live is the caller's knowledge."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._schemas = {schema.CHUNKS: schema.chunk_schema(), schema.EPISODES: schema.episode_schema()}
        self._tables: dict[str, Any] = {}
        self._inodes: dict[str, int] = {}  # of the tables' folders as they were opened
        self._listed: dict[str, tuple[int, NDArray[np.int32]]] = {}  # version and ids, when they were last read
        self._stamps: dict[str, tuple[int, int]] = {}  # of tables since they were opened or written by us
        self._held: tuple[str, int, Vectors] | None = None  # all vectors of a version of a table
        self._is_holding = False
        self._words: Recent[tuple[int, int, str]] = Recent(RECENT_WORDS, lambda row: len(row[2]) + ROW_BYTES // 2)
        self._chunks: Recent[IndexedChunk] = Recent(RECENT_CHUNKS, _chunk_bytes)
        self._uses: Recent[schema.UsesRow] = Recent(RECENT_USES, lambda row: len(row[2]) + len(row[3]) + ROW_BYTES // 2)
        self._episodes: Recent[IndexedEpisode] = Recent(RECENT_EPISODES, _episode_bytes)

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open the chunks and episodes in `folder`; tables that do not exist are made by the first write.

        Raises StoreDamaged where a table cannot be opened or has other columns.
        """
        store = cls(folder)
        for name in tuple(store._schemas):
            store._open(name)
        return store

    def open_vectors(self, name: str, dimensions: int) -> None:
        """Open a table of vectors of that length, or have the first write make it. StoreDamaged as above."""
        if name not in self._tables:
            self._schemas[name] = schema.vector_schema(dimensions)
            self._open(name)

    def drop(self, name: str) -> None:
        """Delete a table of vectors, sound or not."""
        self._tables.pop(name, None)
        self._stamps.pop(name, None)
        self._schemas.pop(name, None)
        shutil.rmtree(self._folder / f"{name}.lance", ignore_errors=True)

    def is_old(self, name: str) -> bool:
        """Whether a table was not written for so long that no reader of an earlier state is left, or is but a rest."""
        try:
            written = (self._folder / f"{name}.lance" / "_versions").stat().st_mtime
        except FileNotFoundError:
            return True
        return time.time() - written > READERS_GRACE.total_seconds()

    def vector_tables(self) -> list[str]:
        """The names of all tables of vectors that lie here, open or not."""
        return sorted(path.stem for path in self._folder.glob(f"{VECTORS}*.lance"))

    def shows(self, name: str, version: int) -> bool:
        """Whether this handle shows a table's `version` or a later one, and the table was not replaced meanwhile."""
        if name not in self._tables:
            return version == 0
        return self._inodes[name] == self._inode(name) and self.stamp(name)[0] >= version

    def stamp(self, name: str) -> tuple[int, int]:
        """The version and the number of rows of a table; (0, 0) where there is none."""
        table = self._tables.get(name)
        if table is None:
            return 0, 0
        if name not in self._stamps:  # a handle shows what it showed until we write: LanceDB looks at no newer version
            with _translated(self._folder):
                self._stamps[name] = table.version, table.count_rows()
        return self._stamps[name]

    def add_chunks(self, chunks: Sequence[IndexedChunk]) -> None:
        """Add chunks in one transaction."""
        self._add(schema.CHUNKS, schema.chunk_table(chunks))

    def add_episodes(self, episodes: Sequence[IndexedEpisode]) -> None:
        """Add episodes in one transaction."""
        self._add(schema.EPISODES, schema.episode_table(episodes))

    def add_vectors(
        self, name: str, versions: Sequence[int], digests: Sequence[int], vectors: "NDArray[np.float16]"
    ) -> None:
        """Add vectors of chunks, (chunks, dimensions), in one transaction: the version of each and its text's digest.

        All chunks of a version must come together: a version that has some counts as having all.
        """
        self._add(name, schema.vector_table(versions, digests, vectors))

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
        column = schema.id_column(name)
        with _translated(self._folder):
            query = table.search(_match(words), query_type="fts")
            if ids is not None:
                query = query.where(self._among(name, ids))
            return list(query.select([column, "_score"]).limit(limit).to_arrow().column(column).to_pylist())

    def search_parts(self, parts: Sequence[str], ids: Sequence[int] | None, limit: int) -> list[int]:
        """The versions of chunks with a word that holds one of `parts`, in their order; all words are scanned."""
        table = self._tables.get(schema.CHUNKS)
        if table is None or not parts:
            return []
        holds = reduce(lambda one, other: one.or_(other), (col("words").contains(lit(part)) for part in parts))
        with _translated(self._folder):
            found = holds if ids is None else self._among(schema.CHUNKS, ids).and_(holds)
            rows = table.search().where(found).select(["version"]).limit(self.stamp(schema.CHUNKS)[1]).to_arrow()
        return sorted(rows.column("version").to_pylist())[:limit]

    def search_vector(
        self, name: str, vector: "NDArray[np.float32]", ids: Sequence[int] | None, limit: int
    ) -> list[tuple[int, float]]:
        """Versions and cosine similarities of the nearest chunks, nearest first, a version as often as it has such."""
        table = self._tables.get(name)
        if table is None:
            return []
        if self._held and self._held[:2] == (name, self.stamp(name)[0]):
            ids = self._held[2].near(vector, ids, limit) or ids
        with _translated(self._folder, name):
            query = table.search(vector, vector_column_name="vector").distance_type("cosine").bypass_vector_index()
            if ids is not None:
                query = query.where(self._among(name, ids))
            rows = query.select(["version", "_distance"]).limit(limit).to_arrow()
        distances = rows.column("_distance").to_pylist()
        return [(number, 1.0 - far) for number, far in zip(rows.column("version").to_pylist(), distances, strict=True)]

    def wants_vectors(self, name: str) -> bool:
        """Whether searches by vector take long here, and it was not begun yet to hold the vectors in memory."""
        if self._is_holding or name not in self._tables:
            return False
        rows = self.stamp(name)[1]
        return rows >= MANY_VECTORS and 4 * rows * self._dimensions(name) <= MOST_VECTOR_BYTES

    def hold_vectors(self, name: str) -> None:
        """Read all vectors into memory, where that was not begun; half a second for 100,000."""
        table = self._tables.get(name)
        if self._is_holding or table is None:
            return
        self._is_holding = True
        with _translated(self._folder, name):
            version, rows = self.stamp(name)
            batches = table.search().select(["version", "vector"]).limit(rows).to_batches(HELD_AT_ONCE)
            self._held = name, version, Vectors(batches, "version", rows, self._dimensions(name))

    def words(self, name: str, ids: Sequence[int]) -> list[tuple[int, int, str]]:
        """(id, ordinal, words) of every row with one of these ids, in that order; the ordinal of an episode is 0."""
        if name == schema.CHUNKS:
            return self._words.rows(ids, self._read_words)
        table = self._rows(name, ids, ["id", "words"])
        if table is None:
            return []
        ordinals = [0] * table.num_rows
        return sorted(zip(table.column("id").to_pylist(), ordinals, table.column("words").to_pylist(), strict=True))

    def chunks(self, versions: Sequence[int]) -> list[IndexedChunk]:
        """Every chunk of these file versions, by version and place, without its words."""
        return self._chunks.rows(versions, self._read_chunks)

    def uses(self, versions: Sequence[int], names: Collection[str]) -> list[FileUses]:
        """What these file versions import, define and use of these names, by version."""
        return list(schema.uses_from(self._uses.rows(versions, self._read_uses), names))

    def episodes(self, ids: Sequence[int]) -> list[IndexedEpisode]:
        """The episodes with these ids, by id."""
        return self._episodes.rows(ids, self._read_episodes)

    def vectors_by_digest(self, name: str, digests: Sequence[int]) -> "dict[int, NDArray[np.float16]]":
        """Vectors that were computed before, dead rows included: the embedding cache."""
        import numpy as np

        table = self._tables.get(name)
        if table is None or not digests:
            return {}
        with _translated(self._folder, name):
            query = table.search().where(col("digest").isin(list(digests)))
            rows = query.select(self._schemas[name].names).limit(self.stamp(name)[1]).to_arrow()
            _check_sums(name, rows)
        return {
            digest: np.asarray(vector, np.float16)
            for digest, vector in zip(rows.column("digest").to_pylist(), rows.column("vector").to_pylist(), strict=True)
        }

    def ids(self, name: str) -> set[int]:
        """The ids that a table holds."""
        return set(self._ids_of(name).tolist()) if name in self._tables else set()

    def unsound_rows(self, name: str) -> int:
        """How many rows of a table, dead ones included, are not as they were written; all of it is read."""
        table = self._tables.get(name)
        if table is None:
            return 0
        with _translated(self._folder, name):
            rows = table.search().select(self._schemas[name].names).limit(self.stamp(name)[1])
            return sum(unsound_rows(batch, schema.sums_of(name)) for batch in rows.to_batches(HELD_AT_ONCE))

    def delete(self, name: str, ids: Sequence[int]) -> None:
        """Delete the rows with these ids."""
        table = self._tables.get(name)
        if table is None or not ids:
            return
        for recent in (self._words, self._chunks, self._uses, self._episodes):
            recent.clear()
        with _translated(self._folder), self._synced(name):
            table.checkout_latest()
            table.delete(col(schema.id_column(name)).isin(list(ids)))

    def wants_optimising(self, name: str) -> bool:
        """Whether searches scan too many unindexed rows or too many fragments."""
        table = self._tables.get(name)
        if table is None:
            return False
        with _translated(self._folder):
            stats = table.index_stats(f"{schema.id_column(name)}_idx")
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

    def _among(self, name: str, ids: Sequence[int]) -> "Expr":
        """That a row has one of these ids; where there are fewer others, that it has none of those.

        A search among 28,000 of 28,005 ids takes 0.1 s, and one without the other five a tenth of that.
        """
        column = col(schema.id_column(name))
        if len(ids) < MANY_LISTED:
            return column.isin(list(ids))
        import numpy as np

        others = np.setdiff1d(self._ids_of(name), np.fromiter(ids, np.int32, len(ids)))
        return column.isin(list(ids)) if len(others) > len(ids) else ~column.isin(others.tolist())

    def _ids_of(self, name: str) -> "NDArray[np.int32]":
        """The ids that a table holds, each once."""
        import numpy as np

        table, column = self._tables[name], schema.id_column(name)
        version, rows = self.stamp(name)
        if name not in self._listed or self._listed[name][0] != version:
            with _translated(self._folder, name):
                found = table.search().select([column]).limit(rows).to_arrow().column(column)
            self._listed[name] = version, np.unique(found.to_numpy())
        return self._listed[name][1]

    def _read_words(self, versions: Sequence[int]) -> dict[int, list[tuple[int, int, str]]]:
        table = self._rows(schema.CHUNKS, versions, ["version", "ordinal", "words"])
        columns = (
            [table.column(name).to_pylist() for name in ("version", "ordinal", "words")] if table else [(), (), ()]
        )
        return _by_id(sorted(zip(*columns, strict=True)), lambda row: row[0])

    def _read_chunks(self, versions: Sequence[int]) -> dict[int, list[IndexedChunk]]:
        table = self._rows(schema.CHUNKS, versions, list(schema.SHOWN_COLUMNS))
        found = schema.chunks_from(table) if table is not None else iter(())
        return _by_id(sorted(found, key=lambda chunk: (chunk.version, chunk.ordinal)), lambda chunk: chunk.version)

    def _read_uses(self, versions: Sequence[int]) -> dict[int, list[schema.UsesRow]]:
        table = self._rows(schema.CHUNKS, versions, list(schema.USES_COLUMNS))
        return _by_id(schema.uses_rows(table) if table is not None else (), lambda row: row[0])

    def _read_episodes(self, ids: Sequence[int]) -> dict[int, list[IndexedEpisode]]:
        table = self._rows(schema.EPISODES, ids, list(schema.EPISODE_COLUMNS))
        return _by_id(schema.episodes_from(table) if table is not None else (), lambda row: row.id)

    def _open(self, name: str) -> None:
        if (self._folder / f"{name}.lance").is_dir():
            self._keep(name, self._opened(name))

    def _dimensions(self, name: str) -> int:
        return int(self._schemas[name].field("vector").type.list_size)

    def _keep(self, name: str, table: Any) -> None:
        self._tables[name] = table
        self._stamps.pop(name, None)
        self._inodes[name] = self._inode(name)

    def _inode(self, name: str) -> int:
        """Names the folder of a table: another number, and it was deleted or built anew. 0 where there is none."""
        try:
            return (self._folder / f"{name}.lance").stat().st_ino
        except FileNotFoundError:
            return 0

    def _opened(self, name: str) -> Any:  # LanceDB has no type for a table that both modes share
        with _translated(self._folder, name):
            table = self._connection().open_table(name)
            if table.schema != self._schemas[name]:
                raise StoreDamaged(f"the table {name!r} has other columns than it should", table=name)
            if FUNCTIONS in (table.schema.metadata or {}):
                raise StoreDamaged(f"the table {name!r} brings embedding functions of its own", table=name)
            return table

    def _connection(self) -> "lancedb.DBConnection":
        session = lancedb.Session(
            index_cache_size_bytes=INDEX_CACHE_BYTES, metadata_cache_size_bytes=METADATA_CACHE_BYTES
        )
        return lancedb.connect(str(self._folder.resolve()), session=session)

    def _add(self, name: str, rows: "pa.Table") -> None:
        if not rows.num_rows:
            return
        with _translated(self._folder, name), self._synced(name):
            if name not in self._tables:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._keep(name, self._connection().create_table(name, schema=self._schemas[name], exist_ok=True))
            if self._inodes[name] != self._inode(name):  # LanceDB would write on into a table that nobody can open
                raise StoreDamaged(f"the table {name!r} was deleted while it was open", table=name)
            table = self._tables[name]
            table.checkout_latest()
            table.add(rows)

    def _rows(self, name: str, ids: Sequence[int], columns: list[str]) -> "pa.Table | None":
        """The rows with these ids; of many ids the halves are read at once, for LanceDB unpacks on one core."""
        table = self._tables.get(name)
        if table is None or not ids:
            return None
        middle = len(ids) // 2
        halves = [ids[:middle], ids[middle:]] if MANY_ASKED <= len(ids) <= MOST_ASKED else [ids]

        columns = [*columns, *sums_within(schema.sums_of(name), columns)]

        def read(some: Sequence[int]) -> "pa.Table":
            query = table.search().where(col(schema.id_column(name)).isin(list(some))).select(columns)
            rows = query.limit(self.stamp(name)[1]).to_arrow()
            _check_sums(name, rows)
            return rows

        with _translated(self._folder), ThreadPoolExecutor(len(halves)) as readers:
            return pa.concat_tables(readers.map(read, halves)) if len(halves) > 1 else read(ids)

    @contextlib.contextmanager
    def _synced(self, name: str) -> Iterator[None]:
        """Bring the files that the transaction adds to the disk before anything is built on them."""
        before = _files(self._folder / f"{name}.lance")
        try:
            yield
        finally:
            self._stamps.pop(name, None)
        for path in sorted(_files(self._folder / f"{name}.lance") - before):
            _sync_if_there(path)
        for folder in ("data", "_versions", "_transactions", "_indices", "."):
            _sync_if_there(self._folder / f"{name}.lance" / folder)
        _sync_if_there(self._folder)


def _check_sums(name: str, rows: "pa.Table") -> None:
    """Raises StoreDamaged where a row is not as it was written."""
    if unsound := unsound_rows(rows, schema.sums_of(name)):
        counted = "a row" if unsound == 1 else f"{unsound:,} rows"
        raise StoreDamaged(f"{counted} of the table {name!r} changed on the disk", table=name)


def _by_id(rows: Iterable[Row], id_of: Callable[[Row], int]) -> dict[int, list[Row]]:
    """The rows of each id, in their order."""
    found: dict[int, list[Row]] = {}
    for row in rows:
        found.setdefault(id_of(row), []).append(row)
    return found


def _chunk_bytes(chunk: IndexedChunk) -> int:
    return ROW_BYTES + len(chunk.text) + len(chunk.signature) + len(chunk.docstring) + PART_BYTES * len(chunk.sites)


def _episode_bytes(row: IndexedEpisode) -> int:
    episode = row.episode
    parts = len(episode.files) + len(episode.symbols) + len(episode.trailers)
    return ROW_BYTES + len(row.words) + len(episode.body) + PART_BYTES * parts


def _indexes(name: str) -> dict[str, FTS | BTree]:
    """Column to index of a table."""
    first: dict[str, FTS | BTree] = {schema.id_column(name): BTree()}
    return first | ({"digest": BTree()} if name.startswith(VECTORS) else {"words": _words_index()})


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


def _sync_if_there(path: Path) -> None:
    # LanceDB may have deleted the file meanwhile; Windows cannot open folders
    with contextlib.suppress(FileNotFoundError, NotADirectoryError, PermissionError):
        sync_path(path)


@contextlib.contextmanager
def _translated(folder: Path, table: str = "") -> Iterator[None]:
    """LanceDB raises RuntimeError, ValueError, OSError and Arrow errors for what is wrong on the disk.

    What the machine refuses is no damage: to rebuild the index for it would lose a good one.
    """
    try:
        yield
    except StoreError:
        raise
    except (RuntimeError, ValueError, OSError, KeyError, MemoryError, pa.ArrowException, *panics()) as error:
        refusal = _refusal(error)
        if refusal in _FULL:
            raise StoreError("the disk is full", "free some space and run the command again") from error
        if (refusal is None or refusal in _FORBIDDEN) and _lacks_links(folder):
            raise StoreError(
                f"the file system of {folder} has no hard links, by which LanceDB commits",
                "keep the index on another one: REPOMEM_STORE_URI=FOLDER, or uri under [store] of your configuration",
            ) from error
        if refusal in _FORBIDDEN:
            raise StoreError(f"cannot write the index in {folder}", "check the folder's owner and mode") from error
        if refusal is not None:
            raise StoreError(
                f"the index cannot be used now: {os.strerror(refusal)}", "look at the machine's limits (ulimit -a)"
            ) from error
        first_line = (str(error) or type(error).__name__).splitlines()[0]
        raise StoreDamaged(f"the index in {folder} cannot be used: {first_line[:200]}", table=table) from error


def _lacks_links(folder: Path) -> bool:
    """Whether files can be made in the folder, and no hard links to them, as on exFAT."""
    try:
        with tempfile.TemporaryDirectory(dir=folder) as probe:
            (Path(probe) / "file").touch()
            try:
                (Path(probe) / "link").hardlink_to(Path(probe) / "file")
            except OSError:
                return True
    except OSError:  # it is no matter of links
        return False
    return False


def _refusal(error: Exception) -> int | None:
    """The number of the system's error behind one of LanceDB, if it is one that says nothing about the files."""
    if isinstance(error, MemoryError) or "can't start new thread" in str(error):
        return errno.ENOMEM
    told = re.search(r"os error (\d+)", str(error))
    number = int(told[1]) if told else getattr(error, "errno", None)
    return number if number in (*_FULL, *_FORBIDDEN, *_SHORT) else None
