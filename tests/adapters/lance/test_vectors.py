"""Vectors held in memory: a search that they shorten gives what the whole one gives."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from repomem.adapters.lance import store as lance, vectors
from repomem.adapters.lance.store import Store
from repomem.core.types.indexed import IndexedChunk
from repomem.core.types.text import CleanText

DIMENSIONS = 16
VECTORS = "vectors-test"
ROWS = 1_000


def opened(folder: Path) -> Store:
    store = Store.open(folder)
    store.open_vectors(VECTORS, DIMENSIONS)
    return store


def filled(folder: Path, numbers: NDArray[np.float32]) -> Store:
    store = opened(folder)
    chunks = [
        IndexedChunk(at // 3, at % 3, 1, 2, "", "text", "", "", (), CleanText("text"), "words")
        for at in range(len(numbers))
    ]
    store.add_chunks(chunks)
    versions = [chunk.version for chunk in chunks]
    store.add_vectors(VECTORS, versions, list(range(len(chunks))), numbers.astype(np.float16))
    return store


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Store, Store]:
    """One store, opened twice: the second holds its vectors."""
    monkeypatch.setattr(lance, "MANY_VECTORS", 1)
    chance = np.random.default_rng(7)
    numbers = chance.normal(size=(ROWS, DIMENSIONS)).astype(np.float32)
    numbers[500:520] = numbers[0]  # as copies of a file are
    numbers[700] = 0
    filled(tmp_path, numbers)
    plain, held = opened(tmp_path), opened(tmp_path)
    held.hold_vectors(VECTORS)
    return plain, held


@pytest.mark.parametrize("ids", [None, range(0, ROWS // 3, 2), range(5), [10_000]])
def test_a_search_gives_the_same_with_and_without_them(pair: tuple[Store, Store], ids: Sequence[int] | None) -> None:
    plain, held = pair
    chance = np.random.default_rng(11)
    for limit in (1, 7, 50):
        for _ in range(20):
            vector = chance.normal(size=DIMENSIONS).astype(np.float32)
            found = held.search_vector(VECTORS, vector, ids, limit)
            assert found == plain.search_vector(VECTORS, vector, ids, limit)


def test_rows_that_are_added_later_are_found(pair: tuple[Store, Store]) -> None:
    _, held = pair
    vector = np.zeros((1, DIMENSIONS), np.float16)
    vector[0, 0] = 1
    held.add_vectors(VECTORS, [9_999], [9_999], vector)
    assert held.search_vector(VECTORS, vector[0].astype(np.float32), None, 1)[0][0] == 9_999


def test_all_rows_are_searched_if_many_are_alike(pair: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "MOST_NEAR", 3)
    plain, held = pair
    vector = np.ones(DIMENSIONS, np.float32)
    assert held.search_vector(VECTORS, vector, None, 20) == plain.search_vector(VECTORS, vector, None, 20)


def test_vectors_of_large_tables_are_loaded_once(
    tmp_path: Path, pair: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [store.wants_vectors(VECTORS) for store in pair] == [True, False]
    monkeypatch.undo()
    assert not opened(tmp_path).wants_vectors(VECTORS)


@pytest.mark.parametrize("dead", [0, 3, ROWS // 6, ROWS // 3])
def test_a_search_that_excludes_ids_equals_one_among_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dead: int
) -> None:
    store = filled(tmp_path, np.random.default_rng(7).normal(size=(ROWS, DIMENSIONS)).astype(np.float32))
    ids = list(range(dead, ROWS // 3 + 1))
    vector = np.ones(DIMENSIONS, np.float32)
    among = store.search_vector(VECTORS, vector, ids, 50), store.search_words("chunks", ["words"], ids, 900)
    monkeypatch.setattr(lance, "MANY_LISTED", 0)
    without = store.search_vector(VECTORS, vector, ids, 50), store.search_words("chunks", ["words"], ids, 900)
    assert without == among
    assert store.search_parts(["word"], ids, 900) == sorted(among[1])
