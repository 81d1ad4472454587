"""The pool in shared storage: outlines and vectors that one clone made, for all clones of a repository.

Each writer appends to its own tables, so that no two write the same rows. Several writers may have the same key: the
first undamaged row, in the order of the writers' ids, is used. Rows are found by their ids in the version of the table
that was opened, which stays readable while its writer merges fragments. Nothing here is trusted: rows have checksums,
and the caller compares their content with its own files.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final, Generic, Self, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from repomem.adapters.lance.tables import EMBEDDING_FUNCTIONS
from repomem.core.errors import StoreError
from repomem.pool.marker import claimed, sizes_in, unclaimed
from repomem.pool.network import RETRIES, RETRY_TIME, Network, translated
from repomem.pool.schema import (
    ENTRIES,
    VECTORS,
    TableName,
    entries_from,
    entry_schema,
    entry_table,
    vector_schema,
    vector_table,
    vectors_from,
)

Key = TypeVar("Key", bytes, int)
OPENING_SECONDS: Final = 5.0  # for the marker and the list of tables
FINDING_SECONDS: Final = 5.0  # for the keys of all tables
TAKING_SECONDS: Final = 5.0  # for a batch of rows: as long as parsing those files
GIVING_SECONDS: Final = 20.0  # for a batch of rows; the index is published, so nothing waits
COUNTING_SECONDS: Final = 30.0
DELETING_SECONDS: Final = 60.0
TABLES_AT_ONCE: Final = 8  # opened or read
MOST_FRAGMENTS: Final = 32  # of a writer's table, each a request or two for every reader
READERS_GRACE: Final = timedelta(days=1)  # an open reader's files stay that long
NAMES_AT_ONCE: Final = 1_000
CACHE_BYTES: Final = 32 << 20  # LanceDB's own defaults are GiB
ROW_ID: Final = "_rowid"
MAKING_LOOKS: Final = 20  # for a table that another process is making, which takes some requests
MAKING_PAUSE: Final = 0.15  # seconds between them


@dataclass(slots=True)
class Found(Generic[Key]):
    """The places of wanted keys' rows: the tables, by the order of their writers, and the rows in them."""

    places: dict[Key, list[tuple[str, int]]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)  # tables that cannot be used, and why


@dataclass(frozen=True, slots=True)
class SharedTable:
    kind: str  # entries or vectors
    stamp: str  # the rules or the model by which it was made
    writer: str
    rows: int | None  # None: it cannot be read
    bytes: int
    is_used: bool  # made by the rules of this repomem; not known of vectors
    fault: str


class Pool:
    """The tables of one repository, as one writer sees them. Every call has a deadline and may raise StoreError."""

    def __init__(self, uri: str, folder: str, writer: str) -> None:
        self._uri = uri
        self._folder = folder
        self._writer = writer
        self._network = Network(uri)
        self.names: list[TableName] = []  # of all tables, by kind, stamp and writer
        self._opened: dict[str, Any] = {}  # LanceDB has no type for a table that both modes share

    @classmethod
    def open(cls, uri: str, folder: str, writer: str) -> Self:
        """Connect, and list the tables of the repository that `folder` names."""
        pool = cls(uri, folder, writer)
        try:
            pool._network.ask(pool._listed(), OPENING_SECONDS)
        except StoreError:
            pool.close()
            raise
        return pool

    def close(self) -> None:
        self._network.close()

    def find_entries(self, stamp: str, keys: Collection[bytes]) -> Found[bytes]:
        """Which entries of files there are under these keys, made by the rules that `stamp` names."""
        wanted = pa.array(sorted(keys), pa.binary())
        return self._network.ask(self._find(self._named(ENTRIES, stamp), wanted), FINDING_SECONDS)

    def find_vectors(self, stamp: str, digests: Collection[int]) -> Found[int]:
        """Which vectors of the model that `stamp` names there are of texts with these digests."""
        wanted = pa.array(sorted(digests), pa.int64())
        return self._network.ask(self._find(self._named(VECTORS, stamp), wanted), FINDING_SECONDS)

    def entries(self, places: Mapping[bytes, tuple[str, int]]) -> dict[bytes, bytes]:
        """The entries at these places that are as they were written."""
        found = self._network.ask(self._rows(places.values(), ["key", "entry", "check"]), TAKING_SECONDS)
        return {key: entry for table in found for key, entry in entries_from(table) if key in places}

    def vectors(self, places: Mapping[int, tuple[str, int]], dimensions: int) -> dict[int, NDArray[np.float16]]:
        """The vectors of that length at these places that are as they were written."""
        found = self._network.ask(self._rows(places.values(), ["key", "vector", "check"]), TAKING_SECONDS)
        return {
            digest: vector
            for table in found
            for digest, vector in vectors_from(table)
            if digest in places and len(vector) == dimensions
        }

    def add_entries(self, stamp: str, entries: Mapping[bytes, bytes]) -> None:
        """Append entries to this writer's table."""
        self._network.ask(self._add(TableName(ENTRIES, stamp, self._writer), entry_table(entries)), GIVING_SECONDS)

    def add_vectors(self, stamp: str, digests: Sequence[int], vectors: NDArray[np.float16]) -> None:
        """Append vectors, (texts, dimensions), to this writer's table."""
        self._network.ask(
            self._add(TableName(VECTORS, stamp, self._writer), vector_table(digests, vectors)), GIVING_SECONDS
        )

    def tidy(self) -> None:
        """Merge the fragments of this writer's tables if there are many."""
        self._network.ask(self._tidied(), GIVING_SECONDS)

    def facts(self, used: str = "") -> list[SharedTable]:
        """Every table with its rows; `used` is the stamp of the tables that this repomem uses."""
        return self._network.ask(self._facts(used), COUNTING_SECONDS)

    def drop(self, names: Sequence[TableName]) -> None:
        self._network.ask(self._dropped(names), DELETING_SECONDS)

    # The requests of these methods

    async def _listed(self) -> None:
        import lancedb  # behind `adapters.lance`, which keeps it small and silent

        session = lancedb.Session(index_cache_size_bytes=CACHE_BYTES, metadata_cache_size_bytes=CACHE_BYTES)
        options = {"client_max_retries": str(RETRIES), "client_retry_timeout": str(RETRY_TIME.seconds)}
        place = f"{self._uri.rstrip('/')}/{self._folder}"
        self._database = await lancedb.connect_async(place, session=session, storage_options=options)
        self.names = sorted(filter(None, map(TableName.read, await _names_of(self._database))), key=str)

    def _named(self, kind: str, stamp: str) -> list[TableName]:
        return [name for name in self.names if (name.kind, name.stamp) == (kind, stamp)]

    async def _find(self, names: Sequence[TableName], wanted: "pa.Array") -> Found[Any]:
        found: Found[Any] = Found()
        for name, rows in zip(names, await _at_once([self._keys(name, wanted) for name in names]), strict=True):
            if isinstance(rows, StoreError):
                found.faults.append(f"{name}: {rows.message}")
                continue
            for key, row in zip(rows.column("key").to_pylist(), rows.column(ROW_ID).to_pylist(), strict=True):
                found.places.setdefault(key, []).append((str(name), row))
        return found

    async def _keys(self, name: TableName, wanted: "pa.Array") -> "pa.Table":
        table = await self._table(name)
        batches = await table.query().select(["key"]).with_row_id().to_batches()
        kept = [batch.filter(pc.is_in(batch.column("key"), value_set=wanted)) async for batch in batches]
        return pa.Table.from_batches(kept, batches.schema)

    async def _table(self, name: TableName) -> Any:
        """A table as it is now, whose columns are those that we write. StoreError if they are others."""
        if str(name) not in self._opened:
            table = await self._database.open_table(str(name))
            _require_ours(name, await table.schema())
            self._opened[str(name)] = table
        return self._opened[str(name)]

    async def _rows(self, places: Collection[tuple[str, int]], columns: list[str]) -> "list[pa.Table]":
        by_table: dict[str, list[int]] = {}
        for name, row in places:
            by_table.setdefault(name, []).append(row)
        asked = [self._opened[name].take_row_ids(sorted(rows)).select(columns) for name, rows in by_table.items()]
        found = await _at_once([each.to_arrow() for each in asked])
        return [table.select(columns) for table in found if not isinstance(table, StoreError)]

    async def _add(self, name: TableName, rows: "pa.Table") -> None:
        if str(name) not in self._opened:
            await self._make(name, rows.schema)
        table = await self._table(name)
        await table.checkout_latest()
        await table.add(rows)

    async def _make(self, name: TableName, schema: "pa.Schema") -> None:
        """Create a missing table, or wait for it if another process of this writer has claimed to create it.

        If two created it at once, LanceDB would let the second overwrite what the first has added since. A table is
        listed from its first file on, but cannot be opened before its last.
        """
        is_listed = name in self.names
        is_ours = not is_listed and await claimed(self._uri, self._claim(name))
        if is_ours or not await self._is_made(name):  # the other one may have been killed
            await self._database.create_table(str(name), schema=schema, exist_ok=True)
        if not is_listed:
            self.names = sorted([*self.names, name], key=str)

    async def _is_made(self, name: TableName) -> bool:
        """Whether such a table appears within some seconds."""
        for _ in range(MAKING_LOOKS):
            with suppress(ValueError):  # LanceDB's for a table that is not there
                await self._table(name)
                return True
            await asyncio.sleep(MAKING_PAUSE)
        return False

    def _claim(self, name: TableName) -> str:
        return f"{self._folder}/{name}.claim"

    async def _tidied(self) -> None:
        for name in self.names:
            if name.writer == self._writer and str(name) in self._opened:
                table = self._opened[str(name)]
                if (await table.stats())["fragment_stats"]["num_fragments"] > MOST_FRAGMENTS:
                    await table.optimize(cleanup_older_than=READERS_GRACE)

    async def _facts(self, used: str) -> list[SharedTable]:
        counted = await _at_once([self._count(name) for name in self.names])
        sizes = await sizes_in(self._uri, self._folder)
        found = []
        for name, rows in zip(self.names, counted, strict=True):
            fault, number = (rows.message, None) if isinstance(rows, StoreError) else ("", rows)
            of = name.kind, name.stamp, name.writer
            found.append(SharedTable(*of, number, sizes.get(str(name), 0), name.stamp == used, fault))
        return found

    async def _count(self, name: TableName) -> int:
        return int(await (await self._table(name)).count_rows())

    async def _dropped(self, names: Sequence[TableName]) -> None:
        for name in names:
            await self._database.drop_table(str(name))
            await unclaimed(self._uri, self._claim(name))


async def _names_of(database: Any) -> list[str]:
    names: list[str] = []
    token = None
    while True:
        page = await database.list_tables(page_token=token, limit=NAMES_AT_ONCE)
        names += page.tables
        token = page.page_token
        if not token:
            return names


def _require_ours(name: TableName, schema: "pa.Schema") -> None:
    """Raise StoreError for a table that differs from repomem's own."""
    if EMBEDDING_FUNCTIONS in (schema.metadata or {}):  # LanceDB would send questions to a server that the table names
        raise StoreError(f"the table {name} has embedding functions of its own")
    wanted = entry_schema()
    if name.kind == VECTORS and "vector" in schema.names and pa.types.is_fixed_size_list(schema.field("vector").type):
        wanted = vector_schema(schema.field("vector").type.list_size)
    if not schema.equals(wanted):
        raise StoreError(f"the table {name} has unexpected columns")


async def _at_once(questions: Sequence[Any]) -> list[Any]:
    """The answers, some asked at once; a StoreError in place of one that failed."""
    slots = asyncio.Semaphore(TABLES_AT_ONCE)

    async def answer(question: Any) -> Any:
        async with slots:
            try:
                with translated(""):
                    return await question
            except StoreError as error:
                return error

    return await asyncio.gather(*map(answer, questions))
