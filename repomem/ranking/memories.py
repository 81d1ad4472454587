"""Which memories bear on a question: exact BM25 over all of them, and the code that they are anchored to.

They are few (ten thousand are many), so each is scored: nothing is cut off before, and what was written a moment ago
is found like the rest. Age is no part of the score.
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

LEAST_COVERAGE = 0.3  # of the question's weight: a memory that holds less shares common words with it, no more
LEAST_SHARE = 0.35  # of the best one's score: what falls further behind speaks of something else
PLACED_COVERAGE = 0.1  # the same of a memory on code that the brief points at: its place speaks for it
NAMELESS_COVERAGE = 0.5  # and of one without the identifier that the question spells out: it speaks of other code
SYMBOL_LIFT = 0.05  # of the best score, for a memory on a symbol that the brief points at: words tell those apart
FILE_LIFT = 0.02  # the same for a file among the first ones
FIRST_FILES = 5
STRANGERS = 100  # memories that hold none of the words, counted in: among three, every word would seem a common one
NAMED_LIFT = 0.5  # for a memory that names an identifier which the question spells as code, in whatever style


@dataclass(frozen=True, slots=True)
class MemoryDocument:
    """A memory as it is searched."""

    id: str
    words: str  # space-joined, see core.words
    paths: tuple[str, ...] = ()  # where its anchors are now
    symbols: tuple[str, ...] = ()  # "path:qualified" of those that have one


class MemoryMatch(NamedTuple):
    """A memory that bears on a question."""

    id: str
    score: float  # 1 is the best that words alone reach
    coverage: float  # share of the question's weight that it holds
    why: tuple[str, ...]


class MemoryClaim(NamedTuple):
    """What a memory says, and how the code is called that it is anchored to, as `core.words.whole` writes it."""

    text: str
    names: tuple[str, ...] = ()


class MemorySimilarity(NamedTuple):
    """A memory that says something like a new one."""

    id: str
    share: float  # of the score that the new text reaches against itself


def matching_memories(
    query: Query,
    documents: Sequence[MemoryDocument],
    files: Sequence[str] = (),
    symbols: AbstractSet[str] = frozenset(),
) -> list[MemoryMatch]:
    """The memories that bear on a question, best first, ties by id.

    `files` are the paths that the brief points at, best first; `symbols` the "path:qualified" of its places.
    """
    scored, scorer = _scored(_parted(query.words), documents)
    best = max((score for score, _ in scored.values()), default=0.0)
    found = []
    for document in documents:
        score, held = scored[document.id]
        if not held:  # its place alone says nothing
            continue
        parts = _parts(query, document, score / best if best else 0.0, files, symbols)
        coverage = scorer.coverage(held)
        if _bears(parts, coverage, is_named=bool(query.names)):
            why = tuple(sorted(parts, key=lambda name: (-parts[name], name)))
            found.append(MemoryMatch(document.id, round(sum(parts.values()), 9), coverage, why))
    return sorted(found, key=lambda one: (-one.score, one.id))


def similar_memories(text: str, documents: Sequence[MemoryDocument]) -> list[MemorySimilarity]:
    """How much each memory is like a text, the most alike first, then the newest; what shares nothing is left out."""
    own = MemoryDocument("", words_of(text))
    scored, _ = _scored(Query(text).words, [*documents, own])
    most = scored.pop("")[0]
    shares = ((name, score / most) for name, (score, _) in scored.items() if most and score > 0)
    ranked = sorted(
        (MemorySimilarity(name, round(share, 9)) for name, share in shares), key=lambda one: one.id, reverse=True
    )
    return sorted(ranked, key=lambda one: -one.share)


def _parts(
    query: Query, document: MemoryDocument, words: float, files: Sequence[str], symbols: AbstractSet[str]
) -> dict[str, float]:
    """What speaks for a memory, by name."""
    signals = {
        "words": words,
        "symbol": SYMBOL_LIFT * (not symbols.isdisjoint(document.symbols)),
        "file": FILE_LIFT * any(path in files[:FIRST_FILES] for path in document.paths),
        "name": NAMED_LIFT * bool(query.names and names_in(document.words, query.names)),
    }
    return {name: value for name, value in signals.items() if value}


def _bears(parts: Mapping[str, float], coverage: float, *, is_named: bool) -> bool:
    """Whether a memory has anything to do with the question; `is_named`: the question spells out what it is about."""
    if is_named and "name" not in parts:
        return coverage >= NAMELESS_COVERAGE
    if "symbol" in parts or "name" in parts:
        return coverage >= PLACED_COVERAGE
    return coverage >= LEAST_COVERAGE and parts.get("words", 0.0) >= LEAST_SHARE


def _parted(words: Mapping[str, float]) -> dict[str, float]:
    """Words without the compounds whose parts are among them: a memory may spell `ChunkUploader` as two words."""
    return {word: weight for word, weight in words.items() if not _is_joined(word, words.keys() - {word})}


def _is_joined(word: str, parts: AbstractSet[str]) -> bool:
    """Whether a word is two or more others in a row."""
    return any(
        word[:at] in parts and (word[at:] in parts or _is_joined(word[at:], parts)) for at in range(2, len(word) - 1)
    )


def names_in(words: str, names: Iterable[str]) -> list[str]:
    """Those of the names (see `core.words.whole`) that words hold, as one or in a row: the chunk uploader too."""
    plain = [word for word in words.split() if not word.startswith(STEM)]
    joined = "".join(plain)
    near = [name for name in names if name in joined]
    if not near:
        return []
    borders = {0, *accumulate(map(len, plain))}
    return [name for name in near if any(at in borders and at + len(name) in borders for at in _places(joined, name))]


def _places(text: str, part: str) -> Iterator[int]:
    """Where a part stands in a text."""
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def claims_about_same_code(
    said: MemoryClaim, others: Mapping[str, MemoryClaim], documents: Sequence[MemoryDocument]
) -> list[MemorySimilarity] | None:
    """How far each of the others says the same about the code that a text names, the most first; None: it names none.

    The share is that of the words in common, by weight, those of the code's name left out. Names are those by which
    any memory knows code; `documents` tell how rare a word is.
    """
    every = {name for each in others.values() for name in each.names}
    subject = {*names_in(words_of(said.text), every), *said.names}
    if not subject:
        return None
    shared = {name: subject & {*names_in(words_of(each.text), subject), *each.names} for name, each in others.items()}
    terms = {name: (_terms(said.text, held), _terms(others[name].text, held)) for name, held in shared.items() if held}
    weights = _rarities({term for pair in terms.values() for term in (*pair[0], *pair[1])}, documents)
    shares = [MemorySimilarity(name, round(_overlap(one, other, weights), 9)) for name, (one, other) in terms.items()]
    ranked = sorted(shares, key=lambda one: one.id, reverse=True)
    return sorted(ranked, key=lambda one: -one.share)


def _terms(text: str, names: Iterable[str]) -> frozenset[str]:
    """The stems of what a text says, but for common words and the parts of the names."""
    return frozenset(stem(word) for word in Query(text).words if not any(word in name for name in names))


def _rarities(terms: AbstractSet[str], documents: Sequence[MemoryDocument]) -> dict[str, float]:
    """How rare each stem is among the memories."""
    wanted = frozenset(terms) | {STEM + term for term in terms}
    held = ({word.removeprefix(STEM) for word in wanted.intersection(each.words.split())} for each in documents)
    counts = Counter(term for each in held for term in each)
    return {term: inverse_frequency(len(documents) + STRANGERS, counts[term]) for term in terms}


def _overlap(one: AbstractSet[str], other: AbstractSet[str], weights: Mapping[str, float]) -> float:
    every = sum(weights[term] for term in one) + sum(weights[term] for term in other)
    return 2 * sum(weights[term] for term in one & other) / every if every else 0.0


def _scored(
    words: Mapping[str, float], documents: Sequence[MemoryDocument]
) -> tuple[dict[str, tuple[float, dict[str, int]]], Scorer]:
    """Each memory's exact score with how often it holds each of the question's forms, and the scorer."""
    forms = scorer_for(words, WordStatistics.empty()).forms
    held = {document.id: _held(document.words.split(), forms) for document in documents}
    lengths = {document.id: document.words.count(" ") + 1 for document in documents}
    scorer = scorer_for(words, _statistics(held.values(), sum(lengths.values())))
    return {name: (scorer.score(each, lengths[name]) if each else 0.0, each) for name, each in held.items()}, scorer


def _held(words: Sequence[str], forms: frozenset[str]) -> dict[str, int]:
    """How often each of the forms stands in the words; most memories hold none, and that is found out sooner."""
    return {} if forms.isdisjoint(words) else frequencies_of(words, forms)


def _statistics(held: Iterable[Mapping[str, int]], words: int) -> WordStatistics:
    counts: dict[str, int] = {}
    documents = 0
    for each in held:
        documents += 1
        for form in each:
            counts[form] = counts.get(form, 0) + 1
    length = words / documents if documents else 1.0
    return WordStatistics.counted(counts, documents=documents + STRANGERS, words=words + round(STRANGERS * length))
