"""Ranks memories for a question: their words, their meaning, the code that they are about, and their neighbours.

    words (BM25), vectors, nearest words -> each in standard deviations from the other memories -> weighted sum
    -> named and shown code, dates -> neighbours of the same session -> strong matches

Memories are few (at most some ten thousand), so each is scored without a candidate search. Age does not count.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log1p, log2
from statistics import mean
from typing import TYPE_CHECKING, NamedTuple

from repomem.ranking.memory_signals import (
    NO_CODE,
    NO_LIKENESS,
    UNRELATED_WORDS,
    Likeness,
    RelevantCode,
    distinctive_names,
    place_signals,
    standardized,
    threads_of,
    with_neighbours,
    word_scores,
    words_of_question,
)
from repomem.ranking.memory_words import MemoryCorpus, MemoryDocument
from repomem.ranking.query import Query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

WORDS_WEIGHT = 0.2  # of BM25; the cosine's is 1. Chosen on benchmarks/memory, like the next one
CLOSENESS_WEIGHT = 0.5  # of the nearest words
EVIDENCE_OF_WORDS = 0.012  # a rare word in common (5) is worth a cosine of 0.06
EVIDENCE_OF_WORDS_ALONE = 0.055  # without vectors
EVIDENCE_OF_CLOSENESS = 0.28
EVIDENCE_OF_LENGTH = 0.054  # subtracted: some part of a long question is similar to anything
IN_CONVERSATION = 0.1  # added for a turn: an answer is spread over several
ASKING = 0.5  # deviations, subtracted for a turn that only asks: it is seldom an answer, but the next one may be
CERTAIN = 0.36  # evidence of a memory that is clearly about a question, among at most FEW
FEW = 40
PER_DOUBLING = 0.04  # more evidence needed for twice as many: the best of many is similar by chance
POSSIBLE = 0.23  # evidence of a memory that may be about it; both chosen on the projects of benchmarks/memory
POSSIBLE_PER_DOUBLING = 0.04
NAMELESS = 0.25  # more evidence needed if a short question spells an identifier that the memory lacks
WORDS_PER_NAME = 5  # a question with more words for each identifier is about more than these
CERTAIN_IF_NAMED = 0.15  # for a memory about code that the question names
NEAREST = 2  # shown if no memory is clearly about the question
DIGITS = 6  # of a score


class MemoryMatch(NamedTuple):
    """A memory that is relevant to a question."""

    id: str
    score: float  # in standard deviations above unrelated memories
    why: tuple[str, ...]
    is_certain: bool = True  # whether it is clearly about the question


def ranked_memories(
    query: Query,
    documents: Sequence[MemoryDocument],
    code: RelevantCode = NO_CODE,
    likeness: Likeness = NO_LIKENESS,
    *,
    chosen_from: int = 0,
) -> list[MemoryMatch]:
    """All memories, best first, ties by id; `chosen_from` is how many texts they were chosen from, if more."""
    scored = _scored(query, MemoryCorpus.of(documents), code, likeness, chosen_from)
    return scored.matches(range(len(documents)))


def matching_memories(
    query: Query,
    documents: Sequence[MemoryDocument],
    code: RelevantCode = NO_CODE,
    likeness: Likeness = NO_LIKENESS,
) -> list[MemoryMatch]:
    """The memories that are relevant to a question, best first, ties by id.

    If a memory is clearly about the question, all that may be about it are given; for a conversation, which spreads its
    answers over many turns, all above the mean. Otherwise at most two uncertain matches.
    """
    if not documents:
        return []
    scored = _scored(query, MemoryCorpus.of(documents), code, likeness)
    has_certain = bool(scored.certain.any())
    if has_certain and scored.is_conversation:
        return scored.matches((scored.certain | (scored.sums > 0)).nonzero()[0].tolist())
    possible = scored.matches(scored.possible.nonzero()[0].tolist())
    return possible if has_certain else possible[:NEAREST]


def matching_by_sentence(
    query: Query,
    documents: Sequence[MemoryDocument],
    likeness_to: Callable[[Query], Likeness],
    code: RelevantCode = NO_CODE,
) -> list[MemoryMatch]:
    """The memories that are relevant to a question as a whole, with the best for each of its sentences."""
    corpus = MemoryCorpus.of(documents)
    if not corpus:
        return []

    def ranked(part: Query) -> list[MemoryMatch]:
        return ranked_memories(part, corpus, code, likeness_to(part), chosen_from=len(corpus) * len(query.parts))

    return with_parts(query, matching_memories(query, corpus, code, likeness_to(query)), ranked)


def with_parts(
    query: Query, whole: Sequence[MemoryMatch], ranked: Callable[[Query], Sequence[MemoryMatch]]
) -> list[MemoryMatch]:
    """The matches of a question, plus the best match of each sentence that a memory is clearly about.

    A prompt may ask for several things, which dilute each other. `ranked` ranks all memories for one sentence.
    """
    found = {one.id: one for one in whole}
    best = [matches[0] for part in query.parts if (matches := ranked(part))]
    most = max((one.score for one in whole if one.is_certain), default=None)
    for one in best:
        if one.is_certain and not (one.id in found and found[one.id].is_certain):
            found[one.id] = one if most is None else one._replace(score=min(one.score, most))
    return sorted(found.values(), key=lambda one: (-one.score, one.id))


@dataclass(frozen=True, slots=True, eq=False)
class _Scored:
    """Every memory of a corpus with its score, by its place there."""

    ids: Sequence[str]
    signals: "Mapping[str, Floats]"
    sums: "Floats"
    certain: "Flags"
    possible: "Flags"
    is_conversation: bool

    def matches(self, places: Iterable[int]) -> list[MemoryMatch]:
        """Those at these places, best first, ties by id."""
        found = [
            MemoryMatch(
                self.ids[at],
                round(float(self.sums[at]), DIGITS),
                _why({name: float(values[at]) for name, values in self.signals.items()}),
                bool(self.certain[at]),
            )
            for at in places
        ]
        return sorted(found, key=lambda one: (-one.score, one.id))


def _scored(
    query: Query, corpus: MemoryCorpus, code: RelevantCode, likeness: Likeness, chosen_from: int = 0
) -> _Scored:
    import numpy as np

    words = words_of_question(query, code.file_words)
    names = distinctive_names(query, corpus, code.file_words)
    raws = word_scores(words, corpus)
    cosines = np.array([likeness.cosines.get(name, 0.0) for name in corpus.ids])
    other = mean(likeness.unrelated_closeness or [0.0])
    closeness = np.array([likeness.closeness.get(name, other) for name in corpus.ids])
    signals = {
        "words": WORDS_WEIGHT * standardized(raws, UNRELATED_WORDS),
        "meaning": standardized(cosines, likeness.unrelated) if likeness.cosines else np.zeros(len(corpus)),
        "nearest words": CLOSENESS_WEIGHT * standardized(closeness, likeness.unrelated_closeness),
        **place_signals(query, corpus, code, names),
    }
    threads = threads_of(corpus.origins) if likeness.continuity else np.zeros(0, np.int64)
    sums = with_neighbours(threads, sum(signals.values(), np.zeros(len(corpus))), likeness.continuity)
    evidence = with_neighbours(threads, _evidence(len(words), raws, cosines, closeness, likeness), likeness.continuity)
    is_conversation = likeness.is_conversation and bool((threads >= 0).any())
    count = max(chosen_from, len(corpus))
    if is_conversation:  # turns support each other
        evidence, count = evidence + IN_CONVERSATION, FEW
        sums = sums - ASKING * np.array([likeness.questions.get(name, 0.0) for name in corpus.ids])
    certain, possible = _judged(len(names) / max(len(query.words), 1), signals["name"] > 0, evidence, count)
    return _Scored(corpus.ids, signals, sums, certain, possible, is_conversation)


def _evidence(words: int, raws: "Floats", cosines: "Floats", closeness: "Floats", likeness: Likeness) -> "Floats":
    """How strongly each memory seems to be about the question, on the scale of a cosine, whatever the others are about.

    Cosine and nearest words count only as far as they exceed those of unrelated texts.
    """
    if not likeness.cosines:
        return raws * EVIDENCE_OF_WORDS_ALONE
    near = cosines - mean(likeness.unrelated or [0.0])
    if likeness.closeness:
        near = near + EVIDENCE_OF_CLOSENESS * (closeness - mean(likeness.unrelated_closeness))
    return near + raws * EVIDENCE_OF_WORDS - EVIDENCE_OF_LENGTH * log1p(words)


def _why(parts: Mapping[str, float]) -> tuple[str, ...]:
    """The signals for a memory, the strongest first."""
    return tuple(sorted((name for name in parts if parts[name] > 0), key=lambda name: (-parts[name], name)))


def _judged(names: float, named: "Flags", evidence: "Floats", count: int) -> "tuple[Flags, Flags]":
    """Whether each of `count` memories is clearly about the question, and whether it may be.

    `names` is the number of distinctive names per word of the question.
    """
    doublings = log2(max(count / FEW, 1.0))
    stricter = NAMELESS * min(1.0, WORDS_PER_NAME * names)
    certain = CERTAIN + PER_DOUBLING * doublings + stricter
    possible = min(POSSIBLE + POSSIBLE_PER_DOUBLING * doublings + stricter, certain)
    is_certain = (evidence >= certain) | (named & (evidence >= CERTAIN_IF_NAMED))
    return is_certain, (evidence >= possible) | named
