"""Word statistics: they add and subtract like the sets of documents that they stand for."""

import math
from collections import Counter

import pytest
from hypothesis import given, strategies as st

from repomem.core.word_statistics import Tally, WordStatistics, inverse_frequency

WORDS = st.sampled_from(["parse", "~pars", "=parse", "解析", "a", "b", "c"])
DOCUMENT = st.lists(WORDS, max_size=6).map(" ".join)
FILES = st.lists(st.lists(DOCUMENT, max_size=4), max_size=5)
ALL_WORDS = ["parse", "~pars", "=parse", "解析", "a", "b", "c", "nowhere"]


def tallied(files: list[list[str]]) -> Tally:
    tally = Tally()
    for chunks in files:
        tally.add_file(chunks)
    return tally


def same(one: WordStatistics, other: WordStatistics) -> bool:
    """Equal to the byte, as the catalog would keep them."""
    return one.to_bytes() == other.to_bytes()


@given(FILES)
def test_a_tally_counts_words_per_chunk_and_file(files: list[list[str]]) -> None:
    chunks = [chunk.split() for file in files for chunk in file]
    merged = [[word for chunk in file for word in chunk.split()] for file in files]
    for statistics, documents in ((tallied(files).of_chunks(), chunks), (tallied(files).of_files(), merged)):
        counts = Counter(word for document in documents for word in set(document))
        assert statistics.frequencies(ALL_WORDS) == {word: counts[word] for word in ALL_WORDS}
        assert statistics.documents == len(documents)
        assert statistics.words == sum(map(len, documents))


@given(FILES, FILES)
def test_added_counts_can_be_subtracted(first: list[list[str]], second: list[list[str]]) -> None:
    one, other = tallied(first).of_files(), tallied(second).of_files()
    assert same(one.plus(other).minus(other), one)
    assert same(one.minus(one), WordStatistics.empty())


@given(FILES, FILES)
def test_the_sum_equals_counting_all_files_in_any_order(first: list[list[str]], second: list[list[str]]) -> None:
    one, other = tallied(first).of_chunks(), tallied(second).of_chunks()
    assert same(one.plus(other), tallied(first + second).of_chunks())
    assert same(one.plus(other), other.plus(one))


@given(FILES)
def test_statistics_come_back_from_their_bytes(files: list[list[str]]) -> None:
    statistics = tallied(files).of_files()
    back = WordStatistics.from_bytes(statistics.to_bytes())
    assert same(back, statistics)
    assert (back.documents, back.words) == (statistics.documents, statistics.words)
    assert back.frequencies(ALL_WORDS) == statistics.frequencies(ALL_WORDS)


def test_empty_statistics_can_be_queried() -> None:
    empty = WordStatistics.empty()
    assert empty.frequencies(["parse"]) == {"parse": 0}
    assert empty.frequencies([]) == {}
    assert empty.mean_length == 1.0
    assert empty.distinctive(["parse"]) == []


def test_the_mean_length_is_words_for_each_document() -> None:
    assert tallied([["a b c"], ["a"]]).of_files().mean_length == 2.0


def test_distinctive_words_occur_in_few_documents() -> None:
    statistics = tallied([[f"common word{number}"] for number in range(10)]).of_files()
    assert statistics.distinctive(["common", "word3", "absent"]) == ["word3"]


def test_common_words_are_used_if_there_are_no_others() -> None:
    assert tallied([["common other"]] * 10).of_files().distinctive(["common", "absent"]) == ["common"]


def test_a_lone_surrogate_is_a_word_like_any_other() -> None:
    assert tallied([["\udcff"]]).of_files().frequencies(["\udcff"]) == {"\udcff": 1}


@pytest.mark.parametrize("documents", [1, 10, 1000])
def test_rarer_words_weigh_more_and_no_weight_is_negative(documents: int) -> None:
    weights = [inverse_frequency(documents, frequency) for frequency in range(documents + 1)]
    assert weights == sorted(weights, reverse=True)
    assert weights[-1] > 0
    assert inverse_frequency(10, 3) == pytest.approx(math.log(1 + 7.5 / 3.5))
