"""Checksums of rows: whatever byte of a data file flips, what is read is what was written, or it is told."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import lancedb
import numpy as np
import pyarrow as pa
import pytest

from repomem.adapters.lance.checksums import unsound_rows, with_sums
from repomem.adapters.lance.store import Store
from repomem.core.errors import StoreDamaged
from repomem.core.types.commits import Episode
from repomem.core.types.indexed import IndexedChunk, IndexedEpisode, Symbol
from repomem.core.types.text import CleanText

DIMENSIONS = 16
VECTORS = "vectors-test"
TABLES = ("chunks", "episodes", VECTORS)
SUMS = {"a_sum": ("number", "text"), "b_sum": ("number", "vector")}
FLIPS = 60  # places in each table's data


def chunk(version: int) -> IndexedChunk:
    site = Symbol(f"Class{version}.method", "method", 1, 3, "def method(self)")
    text = CleanText(f"def method{version}(self):\n    return {version**9}\n" * 9)
    head = (version, 0, 1, 3, site.qualified, "method", site.signature, "Says.", (site,), text)
    return IndexedChunk(*head, f"method return {version**7}", f"uses {version**5}")


def opened(folder: Path) -> Store:
    store = Store.open(folder)
    store.open_vectors(VECTORS, DIMENSIONS)
    return store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Three tables of forty rows."""
    store = opened(tmp_path / "store")
    numbers = range(40)
    store.add_chunks([chunk(number) for number in numbers])
    episodes = [
        Episode(f"{number:040x}", (), "Ada", "2024-01-01", number, f"fix {number**7}", "") for number in numbers
    ]
    store.add_episodes([IndexedEpisode(number, each, f"fix {number}") for number, each in enumerate(episodes)])
    vectors = np.random.default_rng(1).standard_normal((40, DIMENSIONS)).astype(np.float16)
    store.add_vectors(VECTORS, numbers, [number * 2**50 for number in numbers], vectors)
    return store


def rows_of(folder: Path, name: str) -> list[tuple[str, ...]]:
    """What LanceDB gives, in a form that can be compared whatever it is."""
    table = lancedb.connect(folder).open_table(name).to_arrow()
    columns = [column.cast(pa.binary()) if pa.types.is_string(column.type) else column for column in table.columns]
    return list(zip(*(map(repr, column.to_pylist()) for column in columns), strict=True))  # repr: no NaN is its like


def flips(path: Path) -> Iterator[int]:
    """The file with one byte after another flipped."""
    data = path.read_bytes()
    for place in range(0, len(data), max(1, len(data) // FLIPS)):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :])
        yield place
    path.write_bytes(data)


@pytest.mark.parametrize("name", TABLES)
def test_no_flipped_byte_of_a_data_file_is_read_unnoticed(tmp_path: Path, store: Store, name: str) -> None:
    folder = tmp_path / "store"
    before = rows_of(folder, name)
    seen = {"unread": 0, "unsound": 0, "harmless": 0}
    [path] = (folder / f"{name}.lance" / "data").iterdir()
    (folder / f"{name}.sums").unlink()  # of whole files; this is about rows
    for place in flips(path):
        try:
            unsound = opened(folder).unsound_rows(name)
        except StoreDamaged:
            seen["unread"] += 1
            continue
        assert unsound or rows_of(folder, name) == before, place
        seen["unsound" if unsound else "harmless"] += 1
    assert seen["unsound"], seen
    assert opened(folder).unsound_rows(name) == 0


READS: dict[str, Callable[[Store], Iterable[object]]] = {
    "chunks": lambda store: store.chunks(range(40)),
    "words": lambda store: store.words("chunks", range(40)),
    "uses": lambda store: store.uses(range(40), ["method"]),
    "episodes": lambda store: store.episodes(range(40)),
    "words of episodes": lambda store: store.words("episodes", range(40)),
    "vectors": lambda store: store.vectors_by_digest(VECTORS, [number * 2**50 for number in range(40)]).items(),
}


@pytest.mark.parametrize("read", READS)
def test_a_row_that_changed_is_never_given(tmp_path: Path, store: Store, read: str) -> None:
    name = {"episodes": "episodes", "words of episodes": "episodes", "vectors": VECTORS}.get(read, "chunks")
    before = set(map(repr, READS[read](store)))
    refused = 0
    [path] = (tmp_path / "store" / f"{name}.lance" / "data").iterdir()
    for place in flips(path):
        try:
            found = set(map(repr, READS[read](opened(tmp_path / "store"))))
        except StoreDamaged:
            refused += 1
        else:  # a row may be missing, where its id was hit
            assert found <= before, place
    assert refused


def test_damage_that_is_counted_is_counted_by_rows() -> None:
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(np.arange(6, dtype=np.float16)), 2)
    table = pa.table({"number": [1, 2, 3], "text": ["a", "b", ""], "vector": vectors})
    whole = with_sums(table, SUMS)
    assert unsound_rows(whole, SUMS) == unsound_rows(whole.slice(1), SUMS) == unsound_rows(table, SUMS) == 0
    numbers = whole.set_column(0, "number", pa.array([1, 2, 4]))
    texts = numbers.set_column(1, "text", pa.array(["a", "c", ""]))
    assert (unsound_rows(numbers, SUMS), unsound_rows(texts, SUMS)) == (1, 2)
    assert unsound_rows(texts.slice(0, 1), SUMS) == 0
    assert unsound_rows(texts.select(["number", "vector", "b_sum"]), SUMS) == 1


def test_a_slice_and_a_table_in_parts_match_their_checksums() -> None:
    vectors = pa.array([[float(n), 0.0] for n in range(9)], pa.list_(pa.float32(), 2))
    table = with_sums(pa.table({"number": range(9), "text": [*"abcdefghi"], "vector": vectors}), SUMS)
    parts = pa.concat_tables([table.slice(6), table.slice(2, 3)])
    assert unsound_rows(parts, SUMS) == 0
    assert unsound_rows(parts.set_column(2, "vector", pa.array([[1.0, 1.0]] * 6, vectors.type)), SUMS) == 6
