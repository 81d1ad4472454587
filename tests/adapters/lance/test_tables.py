"""The store, in real LanceDB tables."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from repomem.adapters.lance import tables as lance
from repomem.adapters.lance.store import Store
from repomem.core.encoded_uses import packed_imports, packed_uses
from repomem.core.errors import StoreDamaged
from repomem.core.types.code import Import, Use
from repomem.core.types.commits import Episode, FileChange
from repomem.core.types.indexed import FileUses, IndexedChunk, IndexedEpisode, Symbol
from repomem.core.types.text import CleanText

DIMENSIONS = 4
VECTORS = "vectors-test"


def chunk(version: int, words: str, ordinal: int = 0, text: str = "text") -> IndexedChunk:
    head = (version, ordinal, ordinal + 1, ordinal + 3, "Class.method", "method", "def method(self)", "Says.")
    return IndexedChunk(*head, (Symbol("Class.method", "method", 1, 3, "def method(self)"),), CleanText(text), words)


def vectors(*angles: float) -> NDArray[np.float16]:
    """Vectors in a plane, by their angle."""
    return np.array([[np.cos(angle), np.sin(angle), 0, 0] for angle in angles], np.float16)


def added(store: Store, *chunks: IndexedChunk, angles: Sequence[float] = ()) -> Store:
    store.add_chunks(chunks)
    numbers = [each.version for each in chunks]
    store.add_vectors(VECTORS, numbers, [hash_of(each) for each in chunks], vectors(*(angles or [0.0] * len(chunks))))
    return store


def opened(folder: Path) -> Store:
    store = Store.open(folder)
    store.open_vectors(VECTORS, DIMENSIONS)
    return store


def hash_of(each: IndexedChunk) -> int:
    return each.version * 100 + each.ordinal - 2**63


def episode(number: int, words: str = "", **fields: object) -> IndexedEpisode:
    values = {"parents": ("p",), "author": "Ada", "date": "2024-01-01", "time": 9, "subject": "s", "body": "b"}
    return IndexedEpisode(number, Episode(commit=f"{number:040x}", **{**values, **fields}), words)  # type: ignore[arg-type,,]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return opened(tmp_path / "store")


def test_an_empty_store_finds_nothing_and_creates_no_folder(tmp_path: Path, store: Store) -> None:
    assert store.search_words("chunks", ["a"], None, 5) == []
    assert store.search_vector(VECTORS, np.ones(4, np.float32), None, 5) == []
    assert (store.words("chunks", [1]), store.chunks([1]), store.episodes([1])) == ([], [], [])
    assert (store.vectors_by_digest(VECTORS, [1]), store.stamp("chunks")) == ({}, (0, 0))
    assert not store.wants_optimising("chunks")
    for step in (store.index, store.optimise):
        step("chunks")
    store.delete("chunks", [1])
    assert list(tmp_path.iterdir()) == []


def test_adding_nothing_makes_no_table(tmp_path: Path, store: Store) -> None:
    store.add_chunks([])
    store.add_vectors(VECTORS, [], [], np.zeros((0, DIMENSIONS), np.float16))
    assert not (tmp_path / "store").exists()


def test_chunks_are_read_as_added_by_version_and_ordinal(tmp_path: Path, store: Store) -> None:
    added(store, chunk(2, "b"), chunk(1, "a", 1), chunk(1, "a", 0, "def 方法(): 'ü' \U0001f600"))
    again = opened(tmp_path / "store")
    assert again.chunks([2, 1]) == [
        chunk(1, "", 0, "def 方法(): 'ü' \U0001f600"),
        chunk(1, "", 1),
        chunk(2, ""),
    ]
    assert again.words("chunks", [1, 3]) == [(1, 0, "a"), (1, 1, "a")]


def test_words_find_the_rows_that_contain_them(store: Store) -> None:
    added(store, chunk(1, "parse journal"), chunk(2, "parse money"), chunk(3, "balance"))
    store.index("chunks")
    assert set(store.search_words("chunks", ["parse"], None, 5)) == {1, 2}
    assert store.search_words("chunks", ["parse", "money"], None, 5)[0] == 2
    assert store.search_words("chunks", ["absent"], None, 5) == []
    assert store.search_words("chunks", [], None, 5) == []


def test_an_id_comes_as_often_as_it_has_rows(store: Store) -> None:
    added(store, chunk(1, "parse"), chunk(1, "parse", 1), chunk(2, "other"))
    store.index("chunks")
    assert store.search_words("chunks", ["parse"], None, 5) == [1, 1]


def test_ids_restrict_the_search_before_it_is_cut(store: Store) -> None:
    better = [chunk(number, "parse parse parse") for number in range(10, 60)]
    added(store, *better, chunk(1, "parse and a lot of other words that make it worse"))
    store.index("chunks")
    assert 1 not in store.search_words("chunks", ["parse"], None, 5)
    assert store.search_words("chunks", ["parse"], [1, 2], 5) == [1]
    assert store.search_words("chunks", ["parse"], [], 5) == []


def test_vectors_are_found_by_cosine_nearest_first(store: Store) -> None:
    added(store, *[chunk(number, "w") for number in (1, 2, 3)], angles=[1.2, 0.1, 0.6])
    found = store.search_vector(VECTORS, vectors(0.0)[0].astype(np.float32) * 7, None, 2)
    assert [number for number, _ in found] == [2, 3]
    assert [similarity for _, similarity in found] == pytest.approx([np.cos(0.1), np.cos(0.6)], abs=0.002)
    only = store.search_vector(VECTORS, vectors(0.0)[0].astype(np.float32), [1], 2)
    assert [number for number, _ in only] == [1]


@pytest.mark.parametrize(
    "word",
    ["=parse_config", "~pars", "借贷", "größe", "a" * 64, "o'clock", 'a"b', "AND", "NOT", "x*", "a:b", "\\", "%"],
)
def test_any_word_is_looked_for_as_it_is(store: Store, word: str) -> None:
    added(store, chunk(1, f"one {word} two"), chunk(2, "neither one nor two"))
    store.index("chunks")
    assert store.search_words("chunks", [word], None, 5) == [1]


def test_rows_are_found_before_and_after_they_are_indexed(store: Store) -> None:
    added(store, chunk(1, "parse"))
    store.index("chunks")
    added(store, chunk(2, "parse"))
    assert set(store.search_words("chunks", ["parse"], None, 5)) == {1, 2}
    store.optimise("chunks")
    assert set(store.search_words("chunks", ["parse"], None, 5)) == {1, 2}


def test_deleted_rows_leave_no_trace_in_an_answer(tmp_path: Path, store: Store) -> None:
    added(store, chunk(1, "parse"), chunk(2, "parse"), angles=[0.0, 0.1])
    store.index("chunks")
    for name in ("chunks", VECTORS):
        store.delete(name, [1])
        store.delete(name, [])
    for each in (store, opened(tmp_path / "store")):
        assert each.search_words("chunks", ["parse"], None, 5) == [2]
        assert [n for n, _ in each.search_vector(VECTORS, vectors(0.0)[0].astype(np.float32), None, 5)] == [2]
        assert each.chunks([1]) == []
        assert each.stamp("chunks")[1] == 1


def test_optimising_keeps_every_answer_and_merges_fragments(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(1, 5):
        added(store, chunk(number, f"parse word{number}"), angles=[number / 10])
    store.index("chunks")
    monkeypatch.setattr(lance, "MOST_FRAGMENTS", 3)
    assert store.wants_optimising("chunks")
    before = (
        store.chunks([1, 2, 3, 4]),
        store.words("chunks", [3, 4]),
        store.vectors_by_digest(VECTORS, [100 - 2**63]).keys(),
    )
    nearest = store.search_vector(VECTORS, vectors(0.0)[0].astype(np.float32), None, 4)
    store.optimise("chunks")
    assert not store.wants_optimising("chunks")
    after = (
        store.chunks([1, 2, 3, 4]),
        store.words("chunks", [3, 4]),
        store.vectors_by_digest(VECTORS, [100 - 2**63]).keys(),
    )
    assert after == before
    assert store.search_vector(VECTORS, vectors(0.0)[0].astype(np.float32), None, 4) == nearest
    assert store.search_words("chunks", ["word3"], None, 5) == [3]


def test_many_unindexed_rows_want_optimising(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    added(store, *[chunk(number, "parse") for number in range(10)])
    store.index("chunks")
    added(store, chunk(11, "parse"), chunk(12, "parse"))
    assert not store.wants_optimising("chunks")
    monkeypatch.setattr(lance, "FEW_UNINDEXED", 1)
    assert store.wants_optimising("chunks")


def test_versions_of_a_table_grow_with_transactions_not_with_rows(store: Store) -> None:
    added(store, chunk(1, "one"))
    one = store.stamp("chunks")[0]
    added(store, *[chunk(number, "many words here") for number in range(2, 2000)])
    version, rows = store.stamp("chunks")
    assert (version - one, rows) == (1, 1999)


def test_indexes_are_built_once(store: Store) -> None:
    added(store, *[chunk(number, "parse") for number in range(10)])
    store.index("chunks")
    before = store.stamp("chunks")[0]
    added(store, chunk(11, "parse"))
    store.index("chunks")
    assert store.stamp("chunks")[0] == before + 1
    assert {index.name for index in store._tables["chunks"].list_indices()} == {"words_idx", "version_idx"}
    store.index(VECTORS)
    assert {index.name for index in store._tables[VECTORS].list_indices()} == {"digest_idx", "version_idx"}


def test_an_index_that_covers_less_than_half_is_built_anew(store: Store) -> None:
    added(store, chunk(1, "parse"))
    store.index("chunks")
    added(store, *[chunk(number, "parse") for number in range(2, 5)])
    store.index("chunks")
    statistics = store._tables["chunks"].index_stats("words_idx")
    assert (statistics.num_indexed_rows, statistics.num_unindexed_rows) == (4, 0)


def test_vectors_are_known_by_the_digest_of_their_text_dead_or_alive(store: Store) -> None:
    added(store, chunk(1, "a"), chunk(2, "b"), angles=[0.3, 0.9])
    known = store.vectors_by_digest(VECTORS, [hash_of(chunk(2, "")), 12345])
    assert list(known) == [hash_of(chunk(2, ""))]
    assert np.array_equal(known[hash_of(chunk(2, ""))], vectors(0.9)[0])
    assert store.vectors_by_digest(VECTORS, []) == {}


def test_a_table_of_other_dimensions_is_damage(tmp_path: Path, store: Store) -> None:
    added(store, chunk(1, "a"))
    with pytest.raises(StoreDamaged, match="unexpected columns"):
        Store.open(tmp_path / "store").open_vectors(VECTORS, DIMENSIONS + 1)


def test_a_table_whose_manifest_is_gone_is_damage(tmp_path: Path, store: Store) -> None:
    added(store, chunk(1, "a"))
    for path in (tmp_path / "store" / "chunks.lance" / "_versions").iterdir():
        path.unlink()
    with pytest.raises(StoreDamaged, match="cannot be used"):
        opened(tmp_path / "store")


def test_an_episode_comes_back_whole(store: Store) -> None:
    full = episode(
        2,
        "fix parser",
        files=(FileChange("R", "src/new.py", "src/old.py"), FileChange("A", "b")),
        kind="fix",
        pull_request=17,
        trailers=(("Fixes", "#3"),),
        reverts="abc",
        is_bulk=True,
        symbols=("src/new.py:parse",),
    )
    store.add_episodes([full, episode(1, "")])
    assert store.episodes([2, 1, 9]) == [episode(1, ""), full]
    assert store.words("episodes", [2]) == [(2, 0, "fix parser")]


def test_a_path_that_is_not_utf8_is_read_back_from_an_episode(tmp_path: Path, store: Store) -> None:
    odd = episode(1, "odd", files=(FileChange("R", "caf\udce9.py", "\udcff/\ud83d.py"),), symbols=("caf\udce9.py:f",))
    store.add_episodes([odd])
    assert opened(tmp_path / "store").episodes([1]) == [odd]


def test_a_table_that_another_process_wrote_or_replaced_is_noticed(tmp_path: Path, store: Store) -> None:
    assert store.shows("chunks", 0)
    assert not store.shows("chunks", 1)
    added(store, chunk(1, "a"))
    version = store.stamp("chunks")[0]
    assert store.shows("chunks", version)
    added(opened(tmp_path / "store"), chunk(2, "b"))
    assert not store.shows("chunks", version + 1)
    (tmp_path / "store" / "chunks.lance").rename(tmp_path / "away")
    assert not store.shows("chunks", version)


def test_a_writer_continues_after_another_process(tmp_path: Path, store: Store) -> None:
    added(store, chunk(1, "a"))
    added(opened(tmp_path / "store"), chunk(2, "b"))
    added(store, chunk(3, "c"))
    assert [each.version for each in store.chunks([1, 2, 3])] == [1, 2, 3]


@pytest.mark.parametrize("write", [Store.index, Store.optimise, lambda store, name: store.delete(name, [1])])
def test_a_writer_continues_after_another_process_optimised_the_table(
    tmp_path: Path, store: Store, write: Callable[[Store, str], None]
) -> None:
    for number in range(4):
        added(store, chunk(number, "parse"))
    store.index("chunks")
    added(store, *[chunk(number, "parse") for number in range(4, 20)])
    opened(tmp_path / "store").optimise("chunks")
    write(store, "chunks")
    assert store.stamp("chunks") == opened(tmp_path / "store").stamp("chunks")


def test_uses_are_read_for_some_names_and_of_some_versions(tmp_path: Path) -> None:
    imports, calls = Import("a", "send", "post"), Use("send", "call", 2, "self", "Class.method", "Class")
    first = chunk(1, "w")._replace(uses=packed_imports([imports]) + packed_uses([calls]))
    second = chunk(1, "w", ordinal=1)._replace(uses=packed_uses([Use("post", "call", 9), Use("other", "call", 9)]))
    store = Store.open(tmp_path)
    store.add_chunks([second, first, chunk(2, "w")._replace(uses=packed_uses([calls]))])
    expected = FileUses(1, (), (imports,), (calls, Use("post", "call", 9)))
    assert store.uses([1], {"send"}) == [expected]
    assert Store.open(tmp_path).uses([1], {"send"}) == [expected]
    [methods] = store.uses([2], {"method"})
    assert ([site.qualified for site in methods.sites], methods.uses) == (["Class.method"], ())
    assert [each.uses for each in store.chunks([1, 2])] == ["", "", ""]
    store.delete("chunks", [1])
    assert [each.version for each in store.uses([1, 2], {"send"})] == [2]
