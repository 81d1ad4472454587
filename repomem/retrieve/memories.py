"""Which memories bear on a question: exact BM25 over all of them, and the code that they are anchored to.

They are few (ten thousand are many), so each is scored: nothing is cut off before, and what was written a moment ago
is found like the rest. Age is no part of the score.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

from repomem.core.statistics import WordStatistics
from repomem.core.words import words_of
from repomem.retrieve.bm25 import Scorer, frequencies_of, scorer_for
from repomem.retrieve.query import Query

LEAST_COVERAGE = 0.3  # of the question's weight: a memory that holds less shares common words with it, no more
LEAST_SHARE = 0.35  # of the best one's score: what falls further behind speaks of something else
SYMBOL_LIFT = 0.5  # of the best score, for a memory on a symbol that the brief points at
FILE_LIFT = 0.2  # the same for a file among the first ones
FIRST_FILES = 5
NAMED_LIFT = 0.5  # for a memory that holds an identifier which the question spells as code


@dataclass(frozen=True, slots=True)
class Document:
    """A memory as it is searched."""

    id: str
    words: str  # space-joined, see core.words
    paths: tuple[str, ...] = ()  # where its anchors are now
    symbols: tuple[str, ...] = ()  # "path:qualified" of those that have one


class Bearing(NamedTuple):
    """A memory that bears on a question."""

    id: str
    score: float  # 1 is the best that words alone reach
    coverage: float  # share of the question's weight that it holds
    why: tuple[str, ...]


class Likeness(NamedTuple):
    """A memory that says something like a new one."""

    id: str
    share: float  # of the score that the new text reaches against itself


def bearing(
    query: Query, documents: Sequence[Document], files: Sequence[str] = (), symbols: AbstractSet[str] = frozenset()
) -> list[Bearing]:
    """The memories that bear on a question, best first, ties by id.

    `files` are the paths that the brief points at, best first; `symbols` the "path:qualified" of its places.
    """
    scored, scorer = _scored(query, documents)
    best = max((score for score, _ in scored.values()), default=0.0)
    found = []
    for document in documents:
        score, held = scored[document.id]
        parts = _parts(query, document, score / best if best else 0.0, files, symbols)
        coverage = scorer.coverage(held)
        if _bears(parts, coverage):
            why = tuple(sorted(parts, key=lambda name: (-parts[name], name)))
            found.append(Bearing(document.id, round(sum(parts.values()), 9), coverage, why))
    return sorted(found, key=lambda one: (-one.score, one.id))


def alike(text: str, documents: Sequence[Document]) -> list[Likeness]:
    """How much each memory is like a text, the most alike first, then the newest; what shares nothing is left out."""
    query = Query(text)
    own = Document("", words_of(text))
    scored, _ = _scored(query, [*documents, own])
    most = scored.pop("")[0]
    shares = ((name, score / most) for name, (score, _) in scored.items() if most and score > 0)
    ranked = sorted((Likeness(name, round(share, 9)) for name, share in shares), key=lambda one: one.id, reverse=True)
    return sorted(ranked, key=lambda one: -one.share)


def _parts(
    query: Query, document: Document, words: float, files: Sequence[str], symbols: AbstractSet[str]
) -> dict[str, float]:
    """What speaks for a memory, by name."""
    held = set(document.words.split())
    signals = {
        "words": words,
        "symbol": SYMBOL_LIFT * (not symbols.isdisjoint(document.symbols)),
        "file": FILE_LIFT * any(path in files[:FIRST_FILES] for path in document.paths),
        "name": NAMED_LIFT * any(name in held for name in query.names),
    }
    return {name: value for name, value in signals.items() if value}


def _bears(parts: Mapping[str, float], coverage: float) -> bool:
    if "symbol" in parts or "name" in parts:
        return True
    return coverage >= LEAST_COVERAGE and parts.get("words", 0.0) >= LEAST_SHARE


def _scored(query: Query, documents: Sequence[Document]) -> tuple[dict[str, tuple[float, dict[str, int]]], Scorer]:
    """Each memory's exact score with how often it holds each of the question's forms, and the scorer."""
    forms = scorer_for(query.words, WordStatistics.empty()).forms
    held = {document.id: frequencies_of(document.words.split(), forms) for document in documents}
    lengths = {document.id: document.words.count(" ") + 1 for document in documents}
    scorer = scorer_for(query.words, _statistics(held.values(), sum(lengths.values())))
    return {name: (scorer.score(each, lengths[name]), each) for name, each in held.items()}, scorer


def _statistics(held: Iterable[Mapping[str, int]], words: int) -> WordStatistics:
    counts: dict[str, int] = {}
    documents = 0
    for each in held:
        documents += 1
        for form in each:
            counts[form] = counts.get(form, 0) + 1
    return WordStatistics.counted(counts, documents=documents, words=words)
