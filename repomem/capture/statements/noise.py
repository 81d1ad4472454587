"""Memories that a person forgot as noise: similar statements are not captured."""

from collections.abc import Iterable, Sequence

from repomem.capture.dialogue_state import Stated
from repomem.capture.statements.classifier.features import tokens_of
from repomem.memories.consolidate.similar_texts import cosine

ALIKE = 0.5  # cosine of the words and signs of two texts


def without_noise(stated: Sequence[Stated], noise: Iterable[str]) -> list[Stated]:
    """The statements without those that are similar to a text of `noise`.

    All words count, and all names count as one word, because the wording makes a text noise, not its subject. With the
    782 lookalikes of the labelled sessions as noise for the other sessions, ALIKE dropped 126 of them and 5 of 313
    statements.
    """
    known = [words for each in noise if (words := _words(each))]
    return [one for one in stated if not any(cosine(_words(one.text), words) >= ALIKE for words in known)]


def _words(text: str) -> frozenset[str]:
    return frozenset(tokens_of(text))
