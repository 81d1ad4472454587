"""The built-in embedder: what its vectors promise, not what they are."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from repomem.core.ports import Passage
from repomem.core.types import CleanText
from repomem.core.words import words_of
from repomem.embed import hashed
from repomem.embed.hashed import DIMENSIONS, HashedEmbedder

WORD = st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=12)
WORDS = st.lists(WORD, max_size=8)


def passage(words: str) -> Passage:
    return Passage(CleanText(words), frozenset(words.split()))


def vector(words: str) -> NDArray[np.float32]:
    return HashedEmbedder().embed_query(passage(words))


def likeness(one: str, other: str) -> float:
    return float(vector(words_of(one)) @ vector(words_of(other)))


def test_vectors_are_the_same_in_every_process() -> None:
    script = (
        "from repomem.core.ports import Passage; from repomem.embed.hashed import HashedEmbedder\n"
        "print(HashedEmbedder().embed([Passage('', {'parse', '借贷', 'größe', 'journal', 'money'})]).tobytes().hex())"
    )
    printed = [
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True, text=True
        ).stdout.strip()
        for seed in ("1", "2")
    ]
    here = HashedEmbedder().embed([passage("parse 借贷 größe journal money")]).tobytes().hex()
    assert printed == [here, here]


@given(st.sets(WORD, max_size=8), st.sets(WORD, max_size=8))
def test_the_order_in_which_words_are_learnt_does_not_matter(words: set[str], others: set[str]) -> None:
    learnt = HashedEmbedder()
    for word in sorted(others, reverse=True):
        learnt.embed([passage(word)])
    assert np.array_equal(learnt.embed_query(passage(" ".join(words))), vector(" ".join(words)))


@given(st.lists(WORDS, min_size=1, max_size=5))
def test_a_vector_does_not_depend_on_the_batch(batches: list[list[str]]) -> None:
    passages = [passage(" ".join(words)) for words in batches]
    together = HashedEmbedder().embed(passages)
    one_by_one = HashedEmbedder()
    alone = [one_by_one.embed([each])[0] for each in reversed(passages)][::-1]
    assert np.array_equal(together, np.stack(alone))


def test_words_learnt_or_forgotten_before_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = vector("parse journal")
    monkeypatch.setattr(hashed, "KEPT_WORDS", 5)
    embedder = HashedEmbedder()
    for number in range(30):
        embedder.embed([passage(f"word{number} other{number}")])
    assert np.array_equal(embedder.embed_query(passage("parse journal")), fresh)


def test_more_words_than_are_hashed_at_once_have_their_own_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [f"word{number}" for number in range(20)]
    whole = hashed.word_vectors(words)
    monkeypatch.setattr(hashed, "WORDS_AT_ONCE", 3)
    assert np.array_equal(vector(" ".join(words)), vector(" ".join(reversed(words))))
    assert np.array_equal(whole, np.concatenate([hashed.word_vectors([word]) for word in words]))


@given(WORDS)
def test_a_passage_with_words_has_unit_length(words: list[str]) -> None:
    length = float(np.linalg.norm(vector(" ".join(words))))
    said = [word for word in " ".join(words).split() if word[0] not in "~="]
    assert length == pytest.approx(1.0, abs=1e-5) if said else length == 0.0


def test_an_empty_passage_has_a_zero_vector_and_its_place_in_the_batch() -> None:
    found = HashedEmbedder().embed([passage("parse"), passage(""), passage("~pars =parse")])
    assert found.shape == (3, DIMENSIONS)
    assert found.dtype == np.float16
    assert found[0].any()
    assert not found[1:].any()
    assert HashedEmbedder().embed([]).shape == (0, DIMENSIONS)


@pytest.mark.parametrize(
    ("compound", "part", "stranger"),
    [
        ("Datenbankverbindung", "Verbindung", "Zeichenkette"),
        ("kontenrahmenabweichungen", "Abweichung", "Journal"),
        ("tokeniser", "tokenizer", "balance"),
        ("filesystem", "file system", "currency"),
        ("проводка", "проводки", "баланс"),
    ],
)
def test_a_compound_is_nearer_to_its_parts_than_to_a_stranger(compound: str, part: str, stranger: str) -> None:
    assert likeness(compound, part) > 2 * abs(likeness(compound, stranger))
    assert likeness(compound, part) > 0.3


def test_a_longer_word_says_more_of_a_passage() -> None:
    passage_of_both = "currency abcdefghijkl"
    assert likeness(passage_of_both, "abcdefghijkl") > likeness(passage_of_both, "currency") > 0.3


def test_other_words_are_hardly_alike() -> None:
    assert abs(likeness("parse journal transaction", "webhook delivery queue")) < 0.3


def test_the_model_is_named_by_what_changes_its_vectors() -> None:
    embedder = HashedEmbedder()
    assert str(embedder.dimensions) in embedder.model_id
    assert embedder.dimensions == DIMENSIONS
    assert embedder.is_cheap
