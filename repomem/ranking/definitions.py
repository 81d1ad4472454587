"""The definitions that a question is about: each by its own lines, its name, and who changed it for what.

A chunk is a unit of search. What a task changes are functions, and a file's best chunk names one of them at most.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest

from repomem.core.statistics import WordStatistics, inverse_frequency
from repomem.core.types import IndexedChunk, Site
from repomem.core.words import STEM, stem, stems_of, whole, words_of
from repomem.ranking.bm25 import K1, B
from repomem.ranking.pasted_messages import Frame
from repomem.ranking.query import Query

FUNCTIONS = frozenset({"function", "method", "constructor", "macro"})
OTHER_FACTOR = 0.5  # of a type or a constant, which what is in it, or uses it, shares most of its words with
CHUNKS_READ = 20  # of a file, the best ones
MEAN_LENGTH = 60  # words of a definition
LONGEST_WHOLE = 100  # lines of a function whose inner functions are parts of it, such as a test's

# What each piece of evidence counts, found on 249 commits of twelve repositories: docs/evaluation.md.
CHUNK, WORDS, NAME, SPELLED, VOTES, RECENCY = 0.5, 4.0, 1.0, 1.0, 1.0, 0.5
TRACED = 6.0  # the nearest frame of a stack trace is in it; further ones are worth less
QUOTED = 6.0  # with the words: the chunk in which it begins holds, word for word, what the question quotes
BY_FUNCTION = 0.7  # of it for the function's name, the rest for the line, which may be that of another version


@dataclass(frozen=True, slots=True)
class DefinitionHistory:
    """What earlier commits say of definitions, by `path:name`, each number at most 1."""

    votes: Mapping[str, float] = field(default_factory=dict)  # those that speak of the same thing changed it
    recency: Mapping[str, float] = field(default_factory=dict)  # one of the last commits did


@dataclass(frozen=True, slots=True)
class PastedEvidence:
    """What of the question leads into one file."""

    frames: Sequence[Frame] = ()  # of stack traces, nearest to the error first
    quoted: Mapping[int, float] = field(default_factory=dict)  # ordinal of a chunk to the share of a quotation it holds


@dataclass(frozen=True, slots=True)
class ScoredDefinition:
    """A definition, the chunk in which it begins, and how much speaks for it; comparable within one question."""

    site: Site
    chunk: IndexedChunk
    score: float


@dataclass(frozen=True, slots=True)
class WantedWords:
    """A question as the stems that it looks for, each with its weight; rare ones weigh most."""

    weights: Mapping[str, float]
    names: frozenset[str]  # that it spells as code
    total: float  # the weight of all

    def weight_in(self, text: str) -> float:
        """The weight of those that stand in a text."""
        stems = stems_of(text)
        return sum(weight for short, weight in self.weights.items() if short in stems)


def wanted_words(query: Query, chunk_words: WordStatistics) -> WantedWords:
    """What a question looks for in the definitions of a view."""
    frequencies = chunk_words.frequencies(query.words)
    weights: dict[str, float] = {}
    for word, weight in query.words.items():
        rarity = weight * inverse_frequency(chunk_words.documents, frequencies[word])
        weights[stem(word)] = max(rarity, weights.get(stem(word), 0.0))
    return WantedWords(weights, frozenset(query.names), sum(weights.values()) or 1.0)


def scored_definitions(
    path: str,
    chunks: Iterable[IndexedChunk],
    scores: Sequence[float],
    wanted: WantedWords,
    history: DefinitionHistory,
    leads: PastedEvidence = PastedEvidence(),  # frozen
) -> list[ScoredDefinition]:
    """The definitions of one file that anything speaks for, best first; `scores` has those of its chunks by ordinal."""
    best = max(scores, default=0.0)
    if best <= 0 and not leads.frames:
        return []
    scored = [chunk for chunk in chunks if chunk.ordinal < len(scores)]
    read = nlargest(
        CHUNKS_READ, scored, key=lambda chunk: (_traced(chunk, leads.frames), scores[chunk.ordinal], -chunk.ordinal)
    )
    found: list[ScoredDefinition] = []
    for site, chunk, words in _own_words(sorted(read, key=lambda chunk: chunk.ordinal), wanted):
        name = site.qualified
        by_words = _words_points(words, wanted)
        points = CHUNK * scores[chunk.ordinal] / (best or 1.0) + by_words * (
            WORDS + QUOTED * leads.quoted.get(chunk.ordinal, 0.0)
        )
        points += _name_points(name, wanted) + _history_points(path, name, history) + _trace_points(site, leads.frames)
        found.append(ScoredDefinition(site, chunk, points if site.kind in FUNCTIONS else OTHER_FACTOR * points))
    return sorted(found, key=lambda one: (-one.score, one.site.start_line))


_Own = tuple[Site, IndexedChunk, Counter[str]]


def _own_words(chunks: Iterable[IndexedChunk], wanted: WantedWords) -> list[_Own]:
    """Each definition that begins in a chunk, with the stems of its own lines and its length under the empty stem."""
    found: list[_Own] = []
    last: dict[str, _Own] = {}  # by name: a chunk without its beginning goes on with the last of that name
    for chunk in chunks:
        begun: list[_Own] = [(site, chunk, Counter()) for site in _outer(chunk.sites)]
        found += begun
        last |= {own[0].qualified: own for own in begun}
        for at, line in enumerate(chunk.text.split("\n"), start=chunk.start_line):
            own = _innermost(begun, at) or last.get(chunk.symbol)
            if own:
                _count(own[2], line, wanted)
    return found


def _outer(sites: Sequence[Site]) -> list[Site]:
    """The definitions without those that are parts of a function that is not long."""
    kept: list[Site] = []
    end = 0
    for site in sites:
        if site.start_line > end:
            kept.append(site)
            if site.kind in FUNCTIONS and site.end_line - site.start_line < LONGEST_WHOLE:
                end = site.end_line
    return kept


def _innermost(begun: Sequence[_Own], line: int) -> _Own | None:
    return next((own for own in reversed(begun) if own[0].start_line <= line <= own[0].end_line), None)


def _count(counts: Counter[str], line: str, wanted: WantedWords) -> None:
    """Add a line's wanted stems and its length; of a warm recall this loop takes more than any other of ours."""
    weights, length = wanted.weights, 0
    for word in words_of(line).split():
        short = word.removeprefix(STEM)  # a word is its own stem where no marked one follows it
        if short is word:
            length += 1
        if short in weights:
            counts[short] += 1
    counts[""] += length


def _words_points(words: Counter[str], wanted: WantedWords) -> float:
    """BM25 of its own lines as a share of the most that the question could give."""
    floor = K1 * (1 - B + B * words[""] / MEAN_LENGTH)
    points = sum(weight * words[short] / (words[short] + floor) for short, weight in wanted.weights.items())
    return points / wanted.total


def _name_points(name: str, wanted: WantedWords) -> float:
    return NAME * wanted.weight_in(name) / wanted.total + SPELLED * (whole(name.rpartition(".")[2]) in wanted.names)


def _traced(chunk: IndexedChunk, frames: Sequence[Frame]) -> float:
    return max((_trace_points(site, frames) for site in chunk.sites), default=0.0) if frames else 0.0


def _trace_points(site: Site, frames: Sequence[Frame]) -> float:
    """More for the frame that is nearer to the error; by the line alone where the trace names no function."""
    name = site.qualified.rpartition(".")[2]
    found = 0.0
    for place, frame in enumerate(frames, start=1):
        by_line = float(site.start_line <= frame.line <= site.end_line)
        share = BY_FUNCTION * (frame.name == name) + (1 - BY_FUNCTION) * by_line if frame.name else by_line
        found = max(found, TRACED * share / place)
    return found


def _history_points(path: str, name: str, history: DefinitionHistory) -> float:
    keys = [f"{path}:{name}", f"{path}:{name.rpartition('.')[2]}"]  # git's heading of a hunk may have the name alone
    votes, recency = (max(scores.get(key, 0.0) for key in keys) for scores in (history.votes, history.recency))
    return VOTES * votes + RECENCY * recency
