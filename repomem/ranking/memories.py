"""Ranks memories for a question: exact BM25 over all of them, and the code that they are anchored to.

Memories are few (at most some ten thousand), so each is scored without a candidate search. Age does not count.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from repomem.core.statistics import WordStatistics, inverse_frequency
from repomem.core.words import STEM, stem, words_of
from repomem.ranking.bm25 import Scorer, frequencies_of, scorer_for
from repomem.ranking.query import Query

LEAST_COVERAGE = 0.3  # query coverage; with less, a memory shares only common words with the question
LEAST_SHARE = 0.35  # of the best memory's score
PLACED_COVERAGE = 0.1  # query coverage of a memory that is anchored to code in the brief
NAMELESS_COVERAGE = 0.5  # query coverage of a memory without the identifier that the question spells
SYMBOL_LIFT = 0.05  # of the best score, for a memory anchored to a symbol in the brief
FILE_LIFT = 0.02  # the same for one of the first files
FIRST_FILES = 5
PRIOR_DOCUMENTS = 100  # assumed memories without the words: among three real ones, every word would seem common
NAMED_LIFT = 0.5  # for a memory that names an identifier of the question, in any naming style


@dataclass(frozen=True, slots=True)
class MemoryDocument:
    """A memory as the ranking reads it."""

    id: str
    words: str  # space-joined, see core.words
    paths: tuple[str, ...] = ()  # current paths of its anchors
    symbols: tuple[str, ...] = ()  # "path:qualified" of its anchors


class MemoryMatch(NamedTuple):
    """A memory that is relevant to a question."""

    id: str
    score: float  # 1 is the best by words alone
    coverage: float  # query coverage
    why: tuple[str, ...]


class MemoryClaim(NamedTuple):
    """A memory's text and the names of the code that it is anchored to, normalized by `core.words.whole`."""

    text: str
    names: tuple[str, ...] = ()


class MemorySimilarity(NamedTuple):
    """The similarity of a memory to a new text."""

    id: str
    share: float  # of the new text's score against itself


def matching_memories(
    query: Query,
    documents: Sequence[MemoryDocument],
    files: Sequence[str] = (),
    symbols: AbstractSet[str] = frozenset(),
) -> list[MemoryMatch]:
    """The memories that are relevant to a question, best first, ties by id.

    `files` are the paths in the brief, best first; `symbols` are "path:qualified" of its locations.
    """
    scored, scorer = _scored(_without_compounds(query.words), documents)
    best = max((score for score, _ in scored.values()), default=0.0)
    found = []
    for document in documents:
        score, counts = scored[document.id]
        if not counts:  # an anchor alone is not enough
            continue
        parts = _scores(query, document, score / best if best else 0.0, files, symbols)
        coverage = scorer.coverage(counts)
        if _is_relevant(parts, coverage, is_named=bool(query.names)):
            why = tuple(sorted(parts, key=lambda name: (-parts[name], name)))
            found.append(MemoryMatch(document.id, round(sum(parts.values()), 9), coverage, why))
    return sorted(found, key=lambda one: (-one.score, one.id))


def similar_memories(text: str, documents: Sequence[MemoryDocument]) -> list[MemorySimilarity]:
    """The memories that share words with a text, the most similar first, then the newest."""
    own = MemoryDocument("", words_of(text))
    scored, _ = _scored(Query(text).words, [*documents, own])
    most = scored.pop("")[0]
    shares = ((name, score / most) for name, (score, _) in scored.items() if most and score > 0)
    ranked = sorted(
        (MemorySimilarity(name, round(share, 9)) for name, share in shares), key=lambda one: one.id, reverse=True
    )
    return sorted(ranked, key=lambda one: -one.share)


def _scores(
    query: Query, document: MemoryDocument, words: float, files: Sequence[str], symbols: AbstractSet[str]
) -> dict[str, float]:
    """The score of a memory by signal."""
    signals = {
        "words": words,
        "symbol": SYMBOL_LIFT * (not symbols.isdisjoint(document.symbols)),
        "file": FILE_LIFT * any(path in files[:FIRST_FILES] for path in document.paths),
        "name": NAMED_LIFT * bool(query.names and names_in(document.words, query.names)),
    }
    return {name: value for name, value in signals.items() if value}


def _is_relevant(parts: Mapping[str, float], coverage: float, *, is_named: bool) -> bool:
    """Whether a memory is relevant; `is_named`: the question spells an identifier."""
    if is_named and "name" not in parts:
        return coverage >= NAMELESS_COVERAGE
    if "symbol" in parts or "name" in parts:
        return coverage >= PLACED_COVERAGE
    return coverage >= LEAST_COVERAGE and parts.get("words", 0.0) >= LEAST_SHARE


def _without_compounds(words: Mapping[str, float]) -> dict[str, float]:
    """Words without compounds of the others: a memory may spell `ChunkUploader` as two words."""
    return {word: weight for word, weight in words.items() if not _is_compound(word, words.keys() - {word})}


def _is_compound(word: str, parts: AbstractSet[str]) -> bool:
    """Whether a word is a concatenation of others."""
    return any(
        word[:at] in parts and (word[at:] in parts or _is_compound(word[at:], parts)) for at in range(2, len(word) - 1)
    )


def names_in(words: str, names: Iterable[str]) -> list[str]:
    """The names (see `core.words.whole`) that the words contain, as one word or several: "chunk uploader" too."""
    plain = [word for word in words.split() if not word.startswith(STEM)]
    joined = "".join(plain)
    near = [name for name in names if name in joined]
    if not near:
        return []
    borders = {0, *accumulate(map(len, plain))}
    return [name for name in near if any(at in borders and at + len(name) in borders for at in _places(joined, name))]


def _places(text: str, part: str) -> Iterator[int]:
    """The positions of a part in a text."""
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def claims_about_same_code(
    claim: MemoryClaim, others: Mapping[str, MemoryClaim], documents: Sequence[MemoryDocument]
) -> list[MemorySimilarity] | None:
    """How similar the other claims about the same code are, the most similar first; None if a text names no code.

    The share is that of common words by weight, without the code's name. Names are those of all memories' anchors;
    `documents` give word frequencies.
    """
    every = {name for each in others.values() for name in each.names}
    subject = {*names_in(words_of(claim.text), every), *claim.names}
    if not subject:
        return None
    shared = {name: subject & {*names_in(words_of(each.text), subject), *each.names} for name, each in others.items()}
    terms = {name: (_terms(claim.text, both), _terms(others[name].text, both)) for name, both in shared.items() if both}
    weights = _rarities({term for pair in terms.values() for term in (*pair[0], *pair[1])}, documents)
    shares = [MemorySimilarity(name, round(_overlap(one, other, weights), 9)) for name, (one, other) in terms.items()]
    ranked = sorted(shares, key=lambda one: one.id, reverse=True)
    return sorted(ranked, key=lambda one: -one.share)


def _terms(text: str, names: Iterable[str]) -> frozenset[str]:
    """The stems of a text without stop words and parts of the names."""
    return frozenset(stem(word) for word in Query(text).words if not any(word in name for name in names))


def _rarities(terms: AbstractSet[str], documents: Sequence[MemoryDocument]) -> dict[str, float]:
    """The rarity of each stem among the memories."""
    wanted = frozenset(terms) | {STEM + term for term in terms}
    present = ({word.removeprefix(STEM) for word in wanted.intersection(each.words.split())} for each in documents)
    counts = Counter(term for each in present for term in each)
    return {term: inverse_frequency(len(documents) + PRIOR_DOCUMENTS, counts[term]) for term in terms}


def _overlap(one: AbstractSet[str], other: AbstractSet[str], weights: Mapping[str, float]) -> float:
    every = sum(weights[term] for term in one) + sum(weights[term] for term in other)
    return 2 * sum(weights[term] for term in one & other) / every if every else 0.0


def _scored(
    words: Mapping[str, float], documents: Sequence[MemoryDocument]
) -> tuple[dict[str, tuple[float, dict[str, int]]], Scorer]:
    """Each memory's exact score and its counts of the question's forms, and the scorer."""
    forms = scorer_for(words, WordStatistics.empty()).forms
    counts = {document.id: _counts(document.words.split(), forms) for document in documents}
    lengths = {document.id: document.words.count(" ") + 1 for document in documents}
    scorer = scorer_for(words, _statistics(counts.values(), sum(lengths.values())))
    return {name: (scorer.score(each, lengths[name]) if each else 0.0, each) for name, each in counts.items()}, scorer


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
