"""Counting many texts at once equals counting each."""

import random
from collections.abc import Sequence

import pytest

from repomem.ranking.bm25 import frequencies_of
from repomem.ranking.word_counts import word_counts

LETTERS = "abxyz_=~019"
LENGTHS = (1, 2, 3, 7, 8, 9, 15, 16, 17, 40)


def one_by_one(texts: Sequence[str], forms: frozenset[str]) -> list[tuple[list[tuple[str, int]], int]]:
    return [(list(frequencies_of(text.split(), forms).items()), len(text.split())) for text in texts]


def at_once(texts: Sequence[str], forms: frozenset[str]) -> list[tuple[list[tuple[str, int]], int]]:
    return [(list(frequencies.items()), length) for frequencies, length in word_counts(texts, forms)]


@pytest.mark.parametrize("seed", range(20))
def test_counts_order_and_lengths_are_those_of_each_text_alone(seed: int) -> None:
    chance = random.Random(seed)
    words = ["".join(chance.choices(LETTERS, k=chance.choice(LENGTHS))) for _ in range(300)]
    texts = [" ".join(chance.choices(words, k=chance.choice((0, 1, 2, 100)))) for _ in range(30)]
    forms = frozenset(chance.sample(words, 40))
    assert at_once(texts, forms) == one_by_one(texts, forms)


@pytest.mark.parametrize(
    "texts",
    [
        [],
        [""],
        ["", "parse", ""],
        ["parse  parse\tparsed\nparse"],
        ["parse\x1cparse\x01parse"],
        ["größe parse", "parse größe größe"],
        ["abcdefgh_one_ijklmnop abcdefgh_two_ijklmnop abcdefgh_one_ijklmnop"],
        ["parse" * 13 + " parse"],
    ],
)
@pytest.mark.parametrize(
    "forms",
    [
        frozenset[str](),
        frozenset(["parse", "größe"]),
        frozenset(["abcdefgh_one_ijklmnop"]),
        frozenset(["abcdefgh_one_ijklmnop", "abcdefgh_two_ijklmnop", "parse"]),
    ],
)
def test_odd_texts_and_forms_are_counted_too(texts: list[str], forms: frozenset[str]) -> None:
    assert at_once(texts, forms) == one_by_one(texts, forms)
