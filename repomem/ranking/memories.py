"""Ranks memories for a question: their words, their meaning, the code that they are about, and their neighbours.

    words (BM25), vectors -> each in standard deviations from the other memories -> sum -> named and shown code, dates
    -> neighbours of the same session -> what stands out

Memories are few (at most some ten thousand), so each is scored without a candidate search. Age does not count.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from math import exp, log2, sqrt
from typing import NamedTuple

from repomem.core.statistics import WordStatistics
from repomem.core.words import STEM, whole
from repomem.ranking.bm25 import frequencies_of, scorer_for
from repomem.ranking.dates import Days, days_in, hours_between
from repomem.ranking.query import Query

PRIOR_DOCUMENTS = 100  # assumed memories without the words: among three real ones, every word would seem common
UNRELATED_WORDS = (0.0,) * 17 + (4.0,) * 3  # assumed word scores: three real ones have no spread to speak of
COSINE_OF_WORDS = 0.03  # a rare word in common (5) is worth a cosine of 0.15 (benchmarks/memory)
COSINE_OF_WORDS_ALONE = 0.055  # where there are no vectors
CERTAIN = 0.36  # evidence of a memory that is clearly about a question, among at most FEW
FEW = 40
PER_DOUBLING = 0.06  # more evidence for twice as many: the best of many is similar by chance
POSSIBLE = 0.25  # evidence of a memory that may be about it
POSSIBLE_PER_DOUBLING = 0.07
NAMELESS = 0.5  # more evidence for a memory without the identifier that the question spells
CERTAIN_IF_NAMED = 0.15  # for a memory about code that the question names
STANDS_OUT = 1.5  # deviations above the other memories
LEAST_SHARE = 0.3  # of the best score
NEAREST = 2  # shown where no memory is clearly about the question
_COMMON = """
    about above actually after again against already also although always among another any anyone anything around
    back because before behind below between both bring came come comes did does doing done down during each either
    else even ever every everything far few find first for further gave get gets getting give given go goes going
    gone good got had happen happened happens have having hello her here hers hey hi him his however just keep kept
    know known last later least less let like likely little long look looking lot made make many may maybe me mean
    might mine more most much must myself near need never next nor nothing off often okay once one ones onto open
    other others our out over own people perhaps please put quite rather really right said same saw say says seem
    seems several shall she since something sometimes soon still such take taken takes tell than thank thanks thing
    things think those though thought through time times together told too took toward try trying turn two under
    until up upon very want wants was way well went whether whose why within without yes yet you your"""
COMMON = frozenset(_COMMON.split())  # English words that tell nothing of a subject, beside those that Query drops
NAMED = 2.0  # deviations for a memory about an identifier, file or folder that the question names
SHOWN_SYMBOL = 0.25  # anchored to a symbol in the brief
SHOWN_FILE = 0.1  # anchored to one of the first files
FIRST_FILES = 5
DATED = 1.0  # recorded in a time that the question names
REACH = 10  # neighbours on each side
NEAR_SHARE = 0.3  # of a memory's score that its nearest neighbour takes over; it decays by exp(-distance / 8)
DECAY = 8.0
SAME_THREAD_HOURS = 1.0  # between the recording of neighbours


@dataclass(frozen=True, slots=True)
class MemoryDocument:
    """A memory as the ranking reads it."""

    id: str
    words: str  # space-joined, see core.words
    paths: tuple[str, ...] = ()  # current paths of its anchors
    symbols: tuple[str, ...] = ()  # "path:qualified" of its anchors
    session: str = ""
    at: str = ""  # YYYY-MM-DDTHH:MM:SSZ


class MemoryMatch(NamedTuple):
    """A memory that is relevant to a question."""

    id: str
    score: float  # in standard deviations above unrelated memories
    why: tuple[str, ...]
    is_certain: bool = True  # whether it is clearly about the question
    is_possible: bool = True  # whether it may be


@dataclass(frozen=True, slots=True)
class Likeness:
    """The cosines between the vectors of the memories and of the question, by id."""

    cosines: Mapping[str, float] = field(default_factory=dict)
    unrelated: tuple[float, ...] = ()  # cosines of the question and texts about nothing in particular
    continuity: float = 0.0  # 0 to 1: how much neighbours resemble each other more than others do


NO_LIKENESS = Likeness()


def ranked_memories(
    query: Query,
    documents: Sequence[MemoryDocument],
    files: Sequence[str] = (),
    symbols: AbstractSet[str] = frozenset(),
    likeness: Likeness = NO_LIKENESS,
) -> list[MemoryMatch]:
    """All memories, best first, ties by id.

    `files` are the paths in the brief, best first; `symbols` are "path:qualified" of its locations.
    """
    ordered = sorted(documents, key=lambda one: one.id)
    words = word_scores(_words_of(query), ordered)
    raws = [words[one.id] for one in ordered]
    cosines = [likeness.cosines.get(one.id, 0.0) for one in ordered]
    meanings = _standard(cosines, likeness.unrelated) if likeness.cosines else [0.0] * len(ordered)
    days = days_in(query.text, now=max((one.at for one in ordered), default=""))
    parts = [
        {"words": word, "meaning": meaning, **_places(query, one, files, symbols, days)}
        for one, word, meaning in zip(ordered, _standard(raws, UNRELATED_WORDS), meanings, strict=True)
    ]
    threads = _threads(ordered) if likeness.continuity else []
    sums = _with_neighbours(threads, [sum(each.values()) for each in parts], likeness.continuity)
    evidence = _with_neighbours(threads, _evidence(raws, cosines, likeness), likeness.continuity)
    matches = [
        MemoryMatch(one.id, round(score, 6), _why(part), *_judged(query, part, proof, len(ordered)))
        for one, part, score, proof in zip(ordered, parts, sums, evidence, strict=True)
    ]
    return sorted(matches, key=lambda one: (-one.score, one.id))


def matching_memories(
    query: Query,
    documents: Sequence[MemoryDocument],
    files: Sequence[str] = (),
    symbols: AbstractSet[str] = frozenset(),
    likeness: Likeness = NO_LIKENESS,
) -> list[MemoryMatch]:
    """The memories that are relevant to a question, best first, ties by id.

    If one is clearly about the question, these are all that stand out from the rest; otherwise at most two that may
    be, which are not certain.
    """
    ranked = ranked_memories(query, documents, files, symbols, likeness)
    if not any(one.is_certain for one in ranked):
        return [one for one in ranked if one.is_possible][:NEAREST]
    floor = min(STANDS_OUT, LEAST_SHARE * ranked[0].score)
    return [one for one in ranked if one.score >= floor or one.is_certain]


def _words_of(query: Query) -> dict[str, float]:
    """The question's words without common ones and compounds of the others.

    A memory may spell `ChunkUploader` as two words.
    """
    kept = {word: weight for word, weight in query.words.items() if word not in COMMON} or dict(query.words)
    return {word: weight for word, weight in kept.items() if not _is_compound(word, kept.keys() - {word})}


def _is_compound(word: str, parts: AbstractSet[str]) -> bool:
    """Whether a word is a concatenation of others."""
    return any(
        word[:at] in parts and (word[at:] in parts or _is_compound(word[at:], parts)) for at in range(2, len(word) - 1)
    )


def _standard(values: Sequence[float], unrelated: Sequence[float]) -> list[float]:
    """The values as distances from the mean in standard deviations, both taken over them and unrelated ones."""
    distances = _from_mean([*values, *unrelated])
    deviation = sqrt(sum(each**2 for each in distances) / len(distances)) or 1.0
    return [each / deviation for each in distances[: len(values)]]


def _from_mean(values: Sequence[float]) -> list[float]:
    mean = sum(values) / len(values)
    return [value - mean for value in values]


def _evidence(raws: Sequence[float], cosines: Sequence[float], likeness: Likeness) -> list[float]:
    """What says that each memory is about the question, in cosine, however similar the other memories are to it."""
    if not likeness.cosines:
        return [raw * COSINE_OF_WORDS_ALONE for raw in raws]
    distances = _from_mean([*cosines, *likeness.unrelated])[: len(cosines)]
    return [raw * COSINE_OF_WORDS + distance for raw, distance in zip(raws, distances, strict=True)]


def _why(parts: Mapping[str, float]) -> tuple[str, ...]:
    """The signals for a memory, the strongest first."""
    return tuple(sorted((name for name in parts if parts[name] > 0), key=lambda name: (-parts[name], name)))


def _judged(query: Query, parts: Mapping[str, float], evidence: float, count: int) -> tuple[bool, bool]:
    """Whether one of `count` memories is clearly about the question, and whether it may be."""
    if "name" in parts:
        return evidence >= CERTAIN_IF_NAMED, True
    doublings = log2(max(count / FEW, 1.0))
    stricter = NAMELESS * bool(query.names)
    certain = CERTAIN + PER_DOUBLING * doublings + stricter
    return evidence >= certain, evidence >= min(POSSIBLE + POSSIBLE_PER_DOUBLING * doublings + stricter, certain)


def _places(
    query: Query, document: MemoryDocument, files: Sequence[str], symbols: AbstractSet[str], days: Days
) -> dict[str, float]:
    """What speaks for a memory beside its words: code that the question names or the brief shows, and dates."""
    signals = {
        "name": NAMED * _is_named(query, document),
        "symbol": SHOWN_SYMBOL * (not symbols.isdisjoint(document.symbols)),
        "file": SHOWN_FILE * any(path in files[:FIRST_FILES] for path in document.paths),
        "date": DATED * any(first <= document.at[:10] <= last for first, last in days),
    }
    return {name: value for name, value in signals.items() if value}


def _is_named(query: Query, document: MemoryDocument) -> bool:
    """Whether the question spells an identifier of the memory, or names a file or folder that it is anchored to."""
    if any(_is_below(path, named) for path in document.paths for named in query.paths):
        return True
    last_parts = {whole(symbol.rpartition(":")[2].rpartition(".")[2]) for symbol in document.symbols}
    return bool(query.names) and (not last_parts.isdisjoint(query.names) or bool(names_in(document.words, query.names)))


def _is_below(path: str, named: str) -> bool:
    return path == named or path.endswith(f"/{named}") or path.startswith(f"{named}/")


def _with_neighbours(threads: Sequence[int], scores: Sequence[float], continuity: float) -> list[float]:
    """The scores, each with a share of those before and after it in the same thread; `continuity` 0: the scores."""
    if not continuity:
        return list(scores)
    weights = [continuity * NEAR_SHARE * exp(-at / DECAY) for at in range(REACH)]
    sums = list(scores)
    for distance, weight in enumerate(weights, start=1):
        for at in range(distance, len(scores)):
            if threads[at] == threads[at - distance]:
                sums[at] += weight * scores[at - distance]
                sums[at - distance] += weight * scores[at]
    return sums


def _threads(documents: Sequence[MemoryDocument]) -> list[int]:
    """The number of the thread of each memory: a session, or memories recorded shortly after each other."""
    threads = [0] * bool(documents)
    for one, following in pairwise(documents):
        is_same = one.session == following.session and (
            bool(one.session) or hours_between(one.at, following.at) <= SAME_THREAD_HOURS
        )
        threads.append(threads[-1] + (not is_same))
    return threads


def names_in(words: str, names: Iterable[str]) -> list[str]:
    """The names (see `core.words.whole`) that the words contain, as one word or several: "chunk uploader" too."""
    plain = [word for word in words.split() if not word.startswith(STEM)]
    joined = "".join(plain)
    near = [name for name in names if name in joined]
    if not near:
        return []
    borders = {0, *accumulate(map(len, plain))}
    return [
        name for name in near if any(at in borders and at + len(name) in borders for at in _positions(joined, name))
    ]


def _positions(text: str, part: str) -> Iterator[int]:
    """The positions of a part in a text."""
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def word_scores(words: Mapping[str, float], documents: Sequence[MemoryDocument]) -> dict[str, float]:
    """The exact BM25 score of each memory."""
    forms = scorer_for(words, WordStatistics.empty()).forms
    counts = {document.id: _counts(document.words.split(), forms) for document in documents}
    lengths = {document.id: document.words.count(" ") + 1 for document in documents}
    scorer = scorer_for(words, _statistics(counts.values(), sum(lengths.values())))
    return {name: scorer.score(each, lengths[name]) if each else 0.0 for name, each in counts.items()}


def _counts(words: Sequence[str], forms: frozenset[str]) -> dict[str, int]:
    """The count of each form in the words; most memories have none, so that is checked first."""
    return {} if forms.isdisjoint(words) else frequencies_of(words, forms)


def _statistics(frequencies: Iterable[Mapping[str, int]], words: int) -> WordStatistics:
    counts: dict[str, int] = {}
    documents = 0
    for each in frequencies:
        documents += 1
        for form in each:
            counts[form] = counts.get(form, 0) + 1
    length = words / documents if documents else 1.0
    return WordStatistics.counted(
        counts, documents=documents + PRIOR_DOCUMENTS, words=words + round(PRIOR_DOCUMENTS * length)
    )
