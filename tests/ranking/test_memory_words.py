"""Words of memories as postings: the same scores as one document at a time, in however many segments they come."""

import numpy as np
from hypothesis import given, strategies as st

from repomem.core.text.words import words_of
from repomem.core.word_statistics import WordStatistics
from repomem.ranking.bm25 import frequencies_of, scorer_for
from repomem.ranking.memory_signals import PRIOR_DOCUMENTS, word_scores
from repomem.ranking.memory_words import MemoryCorpus, MemoryDocument, Postings, Segment, joined_lines

WORDS = st.sampled_from(["retry", "retries", "limit", "chunkUploader", "chunk uploader", "cache", "naïve", "重试", "a"])
TEXTS = st.lists(st.lists(WORDS, max_size=6).map(" ".join), min_size=1, max_size=12)


def corpus_of(texts: list[str]) -> MemoryCorpus:
    return MemoryCorpus.of([MemoryDocument(f"{at:02}", words_of(text)) for at, text in enumerate(texts)])


def in_segments(texts: list[str], first: set[int]) -> MemoryCorpus:
    """The same corpus, of which some texts were stored, with one that is no longer shown."""
    words = list(map(words_of, texts))
    stored = [at for at in range(len(texts)) if at in first]
    added = [at for at in range(len(texts)) if at not in first]
    old = ["forgotten retry limit", *(words[at] for at in stored)]
    new = [words[at] for at in added]
    segments = [
        Segment(old, Postings.counted(old), np.array([-1, *stored]), joined_lines(old)),
        Segment(new, Postings.counted(new), np.array(added, np.int64)),
    ]
    count = len(texts)
    return MemoryCorpus([f"{at:02}" for at in range(count)], segments, [((), ())] * count, [("", "")] * count)


def score_by_score(words: dict[str, float], documents: MemoryCorpus) -> list[float]:
    """BM25 of one document after the other."""
    split = [each.words.split() for each in documents]
    forms = scorer_for(words, WordStatistics.empty()).forms
    counts = [frequencies_of(each, forms) for each in split]
    lengths = [each.words.count(" ") + 1 for each in documents]
    holding = {form: sum(form in each for each in counts) for form in forms}
    statistics = WordStatistics.counted(
        {form: count for form, count in holding.items() if count},
        documents=len(split) + PRIOR_DOCUMENTS,
        words=sum(lengths) + round(PRIOR_DOCUMENTS * sum(lengths) / len(split)),
    )
    scorer = scorer_for(words, statistics)
    return [scorer.score(*each) for each in zip(counts, lengths, strict=True)]


@given(TEXTS, st.dictionaries(WORDS, st.floats(0.1, 2), min_size=1, max_size=4))
def test_all_scores_at_once_are_those_of_one_document_after_the_other(
    texts: list[str], words: dict[str, float]
) -> None:
    documents = corpus_of(texts)
    assert np.allclose(word_scores(words, documents), score_by_score(words, documents), atol=1e-9)


@given(TEXTS, st.sets(st.integers(0, 11)))
def test_segments_make_no_difference_and_texts_outside_the_corpus_never_count(
    texts: list[str], first: set[int]
) -> None:
    whole, parts = corpus_of(texts), in_segments(texts, first)
    assert list(parts) == list(whole)
    assert np.allclose(
        word_scores({"retry": 1.0, "limit": 2.0}, parts), word_scores({"retry": 1.0, "limit": 2.0}, whole)
    )
    assert parts.naming(["chunkuploader"]) == whole.naming(["chunkuploader"])


@given(TEXTS)
def test_a_name_is_found_where_it_is_spelled_as_one_word_or_as_two(texts: list[str]) -> None:
    expected = [at for at, text in enumerate(texts) if "chunk" in text]
    assert corpus_of(texts).naming(["chunkuploader"]) == expected


def test_a_name_over_two_memories_is_in_neither() -> None:
    assert corpus_of(["the chunk", "uploader stops"]).naming(["chunkuploader"]) == []
