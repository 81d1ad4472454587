"""Memories about other code than the question names are left out."""

import pytest

from repomem.core.text.words import DEFINES, words_of
from repomem.core.word_statistics import WordStatistics
from repomem.ranking.memories import MemoryMatch
from repomem.ranking.memory_signals import RelevantCode
from repomem.ranking.memory_words import MemoryCorpus, MemoryDocument
from repomem.ranking.other_code import without_other_code
from repomem.ranking.query import Query

DEFINED = ("tilefetcher", "payoutauditor", "retry")
CODE = RelevantCode(
    file_words=WordStatistics.counted({DEFINES + name: 1 for name in DEFINED}, documents=50, words=5_000)
)
TEXTS = {
    "01": "Batch size of the tile fetcher is 50",
    "02": "Batch size of `PayoutAuditor` is 20",
    "03": "Larger batches time out on the proxy",
}
CORPUS = MemoryCorpus.of([MemoryDocument(name, words_of(text)) for name, text in TEXTS.items()])


def kept(question: str, why: tuple[str, ...] = ("words",), code: RelevantCode = CODE) -> list[str]:
    ranked = [MemoryMatch(name, 2.0, why) for name in TEXTS]
    return [one.id for one in without_other_code(Query(question), ranked, CORPUS, code)]


@pytest.mark.parametrize("question", ["batch size of `TileFetcher`", "batch size of the tile fetcher"])
def test_a_memory_that_names_other_code_is_left_out(question: str) -> None:
    assert kept(question) == ["01", "03"]


@pytest.mark.parametrize(
    "question",
    [
        "batch size of the retry",  # one word may be chance
        "batch size of the cloud uploader",  # no code here
        "tiles load slowly since a larger batch size is asked for, and the tile fetcher prints what timed out",
        "the tile fetcher needs a batch size. And so does the export of invoices?",
    ],
)
def test_all_are_kept_unless_the_question_is_about_one_piece_of_code(question: str) -> None:
    assert kept(question) == ["01", "02", "03"]


def test_a_memory_on_code_that_the_brief_shows_is_kept() -> None:
    assert kept("batch size of `TileFetcher`", why=("meaning", "symbol")) == ["01", "02", "03"]


def test_without_counted_words_of_files_all_are_kept() -> None:
    assert kept("batch size of `TileFetcher`", code=RelevantCode()) == ["01", "02", "03"]


@pytest.mark.parametrize(
    "text",
    [
        "Tiles must be set up before the first batch",  # `set_up` is defined, but these are words
        "Batches of the `TileFetcherPool` are larger",  # a part of what is asked for, or more
    ],
)
def test_words_that_could_be_a_name_and_parts_of_a_name_are_no_other_code(text: str) -> None:
    counts = {DEFINES + name: 1 for name in (*DEFINED, "setup", "tilefetcherpool")}
    code = RelevantCode(file_words=WordStatistics.counted(counts, documents=50, words=5_000))
    corpus = MemoryCorpus.of([MemoryDocument("04", words_of(text))])
    ranked = [MemoryMatch("04", 2.0, ("words",))]
    assert without_other_code(Query("batch size of `TileFetcher`"), ranked, corpus, code) == ranked


def test_a_memory_that_has_the_asked_name_in_words_is_not_about_other_code() -> None:
    said = MemoryDocument("04", words_of("The tile fetcher asks for 50 tiles"), symbols=("src/map.py:drawLayer",))
    ranked = [MemoryMatch("04", 2.0, ("words",))]
    assert without_other_code(Query("batch size of the tile fetcher"), ranked, MemoryCorpus.of([said]), CODE) == ranked
