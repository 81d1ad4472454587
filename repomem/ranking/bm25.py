"""Exact BM25 over a view (Robertson et al. 1994, k1 as in Lucene), with stems at a share of the word's weight.

Document frequencies are those of the view, so scores depend neither on dead rows nor on the order of indexing.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from repomem.core.text.words import STEM, stem
from repomem.core.word_statistics import WordStatistics, inverse_frequency
from repomem.ranking.query import STEM_WEIGHT

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

INSIDE_WEIGHT = 0.5  # of a word found only within others, such as one part of a German compound
K1 = 1.2  # term frequency saturation
B = 0.5  # length normalization, weaker than in prose: the long file is often the right one


@dataclass(frozen=True, slots=True)
class Scorer:
    """The weights of a query's words over one set of documents."""

    exact: Mapping[str, float]  # word to weight times inverse frequency
    stems: Mapping[str, tuple[str, ...]]  # a word of a document to the query's stems that it matches
    stem_weights: Mapping[str, float]
    stem_of: Mapping[str, str]  # of each exact word
    mean_length: float

    def score(self, frequencies: Mapping[str, int], length: int) -> float:
        """The score of a document from the counts of the query's forms in it and its length in words."""
        floor = K1 * (1 - B + B * length / self.mean_length)
        total = 0.0
        by_stem: dict[str, int] = {}
        for word, count in frequencies.items():
            weight = self.exact.get(word)
            if weight:
                total += weight * count * (K1 + 1) / (count + floor)
            for short in self.stems.get(word, ()):
                by_stem[short] = by_stem.get(short, 0) + count
        for short, count in by_stem.items():
            total += self.stem_weights[short] * count * (K1 + 1) / (count + floor)
        return total

    def scores(self, postings: "Mapping[str, tuple[Numbers, Numbers]]", lengths: "Numbers") -> "NDArray[np.float64]":
        """The score of each document, from the documents that have each form, and how often; the same as `score`."""
        import numpy as np

        floors = K1 * (1 - B + B * lengths / self.mean_length)
        total = np.zeros(len(lengths))
        by_stem: dict[str, NDArray[np.int64]] = {}
        for form, (rows, counts) in postings.items():
            if weight := self.exact.get(form):
                total[rows] += weight * counts * (K1 + 1) / (counts + floors[rows])
            for short in self.stems.get(form, ()):
                by_stem.setdefault(short, np.zeros(len(lengths), np.int64))[rows] += counts
        for short, found in by_stem.items():
            total += self.stem_weights[short] * found * (K1 + 1) / (found + floors)
        return total

    def coverage(self, frequencies: Mapping[str, int]) -> float:
        """Query coverage: the share of the query's weight whose words the document contains in any form, 0 to 1."""
        total_weight = sum(self.exact.values())
        found = sum(self.exact[word] for word in self.found(frequencies))
        return found / total_weight if total_weight else 0.0

    def found(self, frequencies: Mapping[str, int]) -> list[str]:
        """The query's words that the document contains in any form."""
        shorts = {short for word in frequencies for short in self.stems.get(word, ())}
        return [word for word in self.exact if word in frequencies or self.stem_of[word] in shorts]

    @property
    def forms(self) -> frozenset[str]:
        """The words of a document that the score uses."""
        return frozenset(self.exact) | frozenset(self.stems)


def scorer_for(
    words: Mapping[str, float], statistics: WordStatistics, inside: Mapping[str, int] = MappingProxyType({})
) -> Scorer:
    """The scorer for weighted words over the documents that `statistics` counted.

    `inside` has words found only within others, with the number of documents that contain them so.
    """
    shorts: dict[str, float] = {}
    for word, weight in words.items():
        short = stem(word)
        shorts[short] = max(shorts.get(short, 0.0), weight)
    marked = {STEM + short for short in shorts}
    counts = statistics.frequencies([*words, *shorts, *marked])
    documents = statistics.documents
    exact = {word: weight * inverse_frequency(documents, counts[word]) for word, weight in words.items()}
    exact |= {word: INSIDE_WEIGHT * words[word] * inverse_frequency(documents, inside[word]) for word in inside}
    stem_weights = {}
    stems: dict[str, tuple[str, ...]] = {}
    for short, weight in shorts.items():
        # the number of documents with either form is not known, so its upper bound is used
        frequency = min(documents, counts[short] + counts[STEM + short])
        stem_weights[short] = STEM_WEIGHT * weight * inverse_frequency(documents, frequency)
        stems[short] = (*stems.get(short, ()), short)
        stems[STEM + short] = (short,)
    return Scorer(exact, stems, stem_weights, {word: stem(word) for word in exact}, max(statistics.mean_length, 1.0))


def frequencies_of(words: Sequence[str], forms: frozenset[str]) -> dict[str, int]:
    """The count of each form in the words."""
    return dict(Counter(filter(forms.__contains__, words)))


def total(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """The sum of the frequencies of several documents."""
    found = Counter[str]()
    for part in parts:
        found.update(part)
    return found
