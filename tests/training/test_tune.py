"""How token vectors are tuned to pairs of memories and questions."""

import numpy as np
import pytest
from numpy.typing import NDArray

from training.tune import Tune, Written, tuned
from training.written import WrittenMemory

WORDS = ["money", "cents", "price", "clock", "zone", "hour", "login", "token", "password", "queue", "worker", "job"]
TOPICS = [WORDS[at : at + 3] for at in range(0, len(WORDS), 3)]
QUICK = Tune(epochs=100, batch=4, rate=0.05)
START = np.asarray(np.random.default_rng(1).normal(size=(len(WORDS), 8)), np.float32)


def ids(text: str) -> NDArray[np.int64]:
    return np.array([WORDS.index(word) for word in text.split()], np.int64)


def written() -> Written:
    memories = [WrittenMemory(one, (other,)) for one, other, _ in TOPICS]
    return Written([memories], [(other, last) for _, other, last in TOPICS], [(one, [last]) for one, _, last in TOPICS])


def nearest(vectors: NDArray[np.float32], word: str) -> set[str]:
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    similar = unit @ unit[WORDS.index(word)]
    return {WORDS[at] for at in np.argsort(-similar)[:3]}


@pytest.mark.parametrize("topic", TOPICS, ids=[topic[0] for topic in TOPICS])
def test_a_memory_its_question_and_words_for_both_end_next_to_each_other(topic: list[str]) -> None:
    assert any(nearest(START, word) != set(topic) for word in topic)
    vectors = tuned(START, ids, written(), QUICK)
    assert all(nearest(vectors, word) == set(topic) for word in topic)


def test_fewer_memories_than_a_batch_are_an_error() -> None:
    with pytest.raises(ValueError, match="4 memories are fewer than one batch of 5"):
        tuned(START, ids, written(), Tune(batch=5, epochs=9))


def test_the_same_input_gives_the_same_vectors() -> None:
    assert (tuned(START, ids, written(), QUICK) == tuned(START, ids, written(), QUICK)).all()
