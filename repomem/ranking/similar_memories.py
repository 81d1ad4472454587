"""How similar memories are to a new one, by their words, for `remember`."""

from collections.abc import Iterable, Mapping, Sequence, Set as AbstractSet
from functools import lru_cache
from math import fsum  # the same in any order: that of a set differs between processes
from typing import NamedTuple

from repomem.core.text.words import STEM, stem, words_of
from repomem.core.word_statistics import inverse_frequency
from repomem.ranking.memory_signals import PRIOR_DOCUMENTS, word_scores
from repomem.ranking.memory_words import MemoryCorpus, MemoryDocument, names_in
from repomem.ranking.query import Query

FEW_WORDS = 3  # by which a text counts as longer than it is: one of two words in common says little


class MemoryClaim(NamedTuple):
    """A memory's text and the names of the code that it is anchored to, normalized by `core.text.words.whole`."""

    text: str
    names: tuple[str, ...]


class MemorySimilarity(NamedTuple):
    """The similarity of a memory to a new text."""

    id: str
    share: float  # of the new text's score against itself


def similar_memories(text: str, documents: Sequence[MemoryDocument]) -> list[MemorySimilarity]:
    """The memories that share words with a text, the most similar first, then the newest."""
    corpus = MemoryCorpus.of(documents)
    *scores, most = word_scores(Query(text).words, corpus.plus(words_of(text))).tolist()
    return _ranked({name: score / most for name, score in zip(corpus.ids, scores, strict=True) if most and score > 0})


def _ranked(shares: Mapping[str, float]) -> list[MemorySimilarity]:
    """The largest share first, then the newest memory."""
    found = [MemorySimilarity(name, round(share, 9)) for name, share in shares.items()]
    return sorted(found, key=lambda one: (one.share, one.id), reverse=True)


def claims_about_same_code(
    claim: MemoryClaim, others: Mapping[str, MemoryClaim], documents: Sequence[MemoryDocument]
) -> list[MemorySimilarity] | None:
    """How similar the other claims about the same code are, the most similar first; None if a text names no code.

    The share is that of common words by weight, without the code's name. Names are those of all memories' anchors, in
    a text only as it spells code: "offset" alone is a word. `documents` give word frequencies.
    """
    every = {name for each in others.values() for name in each.names}
    subject = {*_names_spelled(claim.text, every), *claim.names}
    if not subject:
        return None
    shared = {name: subject & {*_names_spelled(each.text, subject), *each.names} for name, each in others.items()}
    terms = {name: (_terms(claim.text, both), _terms(others[name].text, both)) for name, both in shared.items() if both}
    weights = _rarities({term for pair in terms.values() for term in (*pair[0], *pair[1])}, documents)
    return _ranked({name: _overlap(one, other, weights) for name, (one, other) in terms.items()})


def _names_spelled(text: str, names: Iterable[str]) -> list[str]:
    """The names that a text spells as identifiers."""
    near = names_in(words_of(text), names)
    return [name for name in near if name in Query(text).identifiers]


def repeated_share(text: str, later: str, documents: Sequence[MemoryDocument]) -> float:
    """The share of a text's words, by weight, that a later one has too; `documents` give word frequencies."""
    own = frozenset(_stems(text).values())
    weights = _rarities(own, documents)
    if not weights:
        return 0.0
    every = fsum(weights.values()) * (1 + FEW_WORDS / len(weights))
    return fsum(weights[term] for term in own.intersection(_stems(later).values())) / every


def _terms(text: str, names: Iterable[str]) -> frozenset[str]:
    """The stems of a text without stop words and parts of the names."""
    return frozenset(short for word, short in _stems(text).items() if not any(word in name for name in names))


@lru_cache(2_000)  # each of a brief's best memories is compared with every other
def _stems(text: str) -> Mapping[str, str]:
    """The words of a text without stop words, and their stems."""
    return {word: stem(word) for word in Query(text).words}


def _rarities(terms: AbstractSet[str], documents: Sequence[MemoryDocument]) -> dict[str, float]:
    """The rarity of each stem among the memories."""
    corpus = MemoryCorpus.of(documents)
    every = len(corpus) + PRIOR_DOCUMENTS
    return {term: inverse_frequency(every, corpus.count(term, STEM + term)) for term in terms}


def _overlap(one: AbstractSet[str], other: AbstractSet[str], weights: Mapping[str, float]) -> float:
    every = sum(weights[term] for term in one) + sum(weights[term] for term in other)
    return 2 * sum(weights[term] for term in one & other) / every if every else 0.0
