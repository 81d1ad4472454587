"""BM25 scores, compared with the formula."""

import math

import pytest
from hypothesis import given, strategies as st

from repomem.core.text.words import words_of
from repomem.core.word_statistics import Tally, WordStatistics
from repomem.ranking.bm25 import K1, B, Scorer, frequencies_of, scorer_for, total
from repomem.ranking.query import STEM_WEIGHT

DOCUMENTS = st.lists(st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta"]), min_size=1, max_size=8), min_size=1)


def statistics_of(documents: list[str]) -> WordStatistics:
    tally = Tally()
    for document in documents:
        tally.add_file([document])
    return tally.of_files()


def scored(scorer: Scorer, document: str) -> float:
    split = document.split()
    return scorer.score(frequencies_of(split, scorer.forms), len(split))


def brute_force(words: dict[str, float], documents: list[list[str]], document: list[str]) -> float:
    """BM25 of words that are their own stems: each counts as itself, and once more as a stem."""
    mean = sum(map(len, documents)) / len(documents)
    score = 0.0
    for word, weight in words.items():
        holding = sum(word in other for other in documents)
        rarity = math.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
        count = document.count(word)
        score += weight * rarity * count * (K1 + 1) / (count + K1 * (1 - B + B * len(document) / mean))
    return score * (1 + STEM_WEIGHT)


@given(DOCUMENTS, st.dictionaries(st.sampled_from(["alpha", "beta", "nowhere"]), st.sampled_from([0.5, 1.0])))
def test_scores_equal_the_formula(documents: list[list[str]], words: dict[str, float]) -> None:
    words = {{"alpha": "alpha", "beta": "beta", "nowhere": "zeta"}[word]: weight for word, weight in words.items()}
    scorer = scorer_for(words, statistics_of([" ".join(document) for document in documents]))
    for document in documents:
        assert scored(scorer, " ".join(document)) == pytest.approx(brute_force(words, documents, document))


def test_a_form_of_the_word_counts_as_its_stem_alone() -> None:
    documents = [words_of(text) for text in ("the parser here", "parsing is it", "balance of accounts", "unrelated")]
    scorer = scorer_for({"parsing": 1.0}, statistics_of(documents))
    by_form, by_word = scored(scorer, documents[0]), scored(scorer, documents[1])
    assert 0 < by_form < by_word
    frequencies = frequencies_of(documents[0].split(), scorer.forms)
    assert frequencies == {"~pars": 1}
    [weight] = scorer.stem_weights.values()
    floor = K1 * (1 - B + B * len(documents[0].split()) / scorer.mean_length)
    assert by_form == pytest.approx(weight * (K1 + 1) / (1 + floor))
    rarity = math.log(1 + (4 - 2 + 0.5) / (2 + 0.5))
    assert weight == pytest.approx(STEM_WEIGHT * rarity)


def test_a_long_document_scores_lower() -> None:
    documents = ["alpha", "alpha " + "other " * 50]
    scorer = scorer_for({"alpha": 1.0}, statistics_of(documents))
    assert scored(scorer, documents[0]) > scored(scorer, documents[1]) > 0


def test_repeating_a_word_adds_less_each_time() -> None:
    scorer = scorer_for({"alpha": 1.0}, statistics_of(["alpha", "beta"]))
    once, twice, thrice = (scorer.score({"alpha": count}, 10) for count in (1, 2, 3))
    assert twice - once > thrice - twice > 0


def test_coverage_is_the_share_of_the_weight_in_any_form() -> None:
    documents = [words_of(text) for text in ("parser common", "common thing", "common balance")]
    scorer = scorer_for({"parsing": 1.0, "common": 1.0, "nowhere": 1.0}, statistics_of(documents))
    held = [scorer.coverage(frequencies_of(document.split(), scorer.forms)) for document in documents]
    weights = scorer.exact
    assert held[0] == pytest.approx((weights["parsing"] + weights["common"]) / sum(weights.values()))
    assert held[1] == pytest.approx(weights["common"] / sum(weights.values()))
    assert scorer.coverage({}) == 0.0


def test_a_document_with_all_words_has_full_coverage() -> None:
    scorer = scorer_for({"alpha": 1.0, "beta": 0.5}, statistics_of(["alpha beta", "gamma"]))
    assert scorer.coverage({"alpha": 1, "beta": 2}) == pytest.approx(1.0)


def test_no_words_and_no_documents_score_nothing() -> None:
    assert scorer_for({}, statistics_of(["alpha"])).score({"alpha": 1}, 1) == 0.0
    assert scorer_for({}, statistics_of(["alpha"])).coverage({"alpha": 1}) == 0.0
    assert scorer_for({"alpha": 1.0}, WordStatistics.empty()).score({}, 0) == 0.0


def test_the_frequencies_of_parts_add_up() -> None:
    assert total([{"alpha": 1, "beta": 2}, {"alpha": 3}, {}]) == {"alpha": 4, "beta": 2}
