"""Ranks the definitions of a file for a question by their lines, their names and the commits that changed them.

Chunks are units of search; tasks change functions, and a file's best chunk names at most one of them.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from heapq import nlargest
from itertools import groupby

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.stop_words import ENGLISH
from repomem.core.text.symbol_names import last_part
from repomem.core.text.tokens import count_tokens
from repomem.core.text.words import DEFINES, LONGEST_WORD, STEM, stem, stems_of, whole, words_of
from repomem.core.types.code import FUNCTIONS, TYPES
from repomem.core.types.indexed import IndexedChunk, Symbol
from repomem.core.word_statistics import WordStatistics, inverse_frequency
from repomem.ranking.bm25 import K1, B
from repomem.ranking.pasted_messages import Frame
from repomem.ranking.query import LONGEST_PROSE, Query
from repomem.ranking.spoken_names import Run, is_joined_of, runs_of

TEST = 0.3  # factor for tests: tasks are seldom about them
OTHER_FACTOR = 0.5  # for types and constants that the question does not spell: their users share most of their words
CHUNKS_READ = 20  # the best ones of a file, after those that define a name that the question spells
MEAN_LENGTH = 60  # words of a definition
FEW_CHUNKS = 4  # containing a word that the question quotes, such as a misspelling
FEW_DEFINITIONS = 2  # chunks that may define a plain word of the question for it to count as their name
MOST_OF_ONE_NAME = 6  # the same for a word before "function"
LONGEST_WHOLE = 100  # lines; inner functions of a function up to this length are parts of it, as in a test

_TESTS = lazy_pattern(r"(?:^|\.)(?:tests?|specs?)(?:\.|$)")
_TESTING = stems_of("test tests spec")
_INNER_CAPITAL = lazy_pattern(r"[a-z0-9][A-Z]")

# Points of a symbol by its name alone, for chunks without words of the question.
NAME_POINTS = 3.0  # for a symbol that the question spells; sharing a word counts 1
MINOR_KINDS = frozenset(["constant", "variable", "field", "property", "key"])
MINOR_FACTOR = 0.4  # a constant shares words with its users, which the task is about

# Weights, found on 249 commits of twelve repositories: docs/evaluation.md.
CHUNK, WORDS, NAME, SPELLED, VOTES, RECENCY = 0.5, 4.0, 1.0, 1.0, 1.0, 0.5
TRACED = 6.0  # it contains the nearest frame of a stack trace; further frames count less
QUOTED = 6.0  # added to WORDS: the chunk in which it begins contains a quotation of the question
QUALIFIED = 4.0  # the question spells it with its class: it is what the task is about
CALLED = 1.0  # added to SPELLED: the question spells it with parentheses, `augment()`, so it means the function
MEMBER = 4.0  # it is (in) a class, and has a member, such as a field, that the question spells with the class
BY_FUNCTION = 0.7  # share of TRACED for the function's name; the rest is for the line, which may have moved


@dataclass(frozen=True, slots=True)
class DefinitionHistory:
    """The evidence of earlier commits for definitions, by `path:name`, each number at most 1."""

    votes: Mapping[str, float] = field(default_factory=dict)  # commits that match the question changed it
    recency: Mapping[str, float] = field(default_factory=dict)  # one of the last commits changed it


@dataclass(frozen=True, slots=True)
class PastedEvidence:
    """The frames and quotations of the question that lead into one file."""

    frames: Sequence[Frame] = ()  # of stack traces, nearest to the error first
    quoted: Mapping[int, float] = field(default_factory=dict)  # chunk ordinal to the share of a quotation in it


@dataclass(frozen=True, slots=True)
class ScoredDefinition:
    """A definition, the chunk in which it begins, and its score; comparable within one question."""

    site: Symbol
    chunk: IndexedChunk
    score: float
    is_exact: bool = False  # the question spells it with its class, or a member of its class that it has


@dataclass(frozen=True, slots=True)
class WantedWords:
    """The stems of a question with their weights; rare ones weigh most."""

    weights: Mapping[str, float]
    names: frozenset[str]  # spelled as code
    total: float  # weight of all stems
    qualified: frozenset[tuple[str, str]] = frozenset()  # names spelled with their class
    code_spans: frozenset[str] = frozenset()  # pieces of code that the index has, without spaces
    quoted: frozenset[str] = frozenset()  # words quoted alone that few chunks have; a comment may have them too
    called: frozenset[str] = frozenset()  # names spelled with parentheses
    words: frozenset[str] = frozenset()  # of the question, without stop words
    runs: frozenset[Run] = frozenset()  # of consecutive words

    @property
    def is_about_tests(self) -> bool:
        """Whether the question has a word for tests."""
        return not _TESTING.isdisjoint(self.weights)

    def weight_in(self, text: str) -> float:
        stems = stems_of(text)
        return sum(weight for short, weight in self.weights.items() if short in stems)

    def spells(self, qualified: str) -> bool:
        """Whether the question spells the last part of a qualified name as code, or says it in plain words.

        A type's name does not count for its constructor, which may have the same name.
        """
        owner, _, name = qualified.rpartition(".")
        return name != owner.rpartition(".")[2] and (whole(name) in self.names or self._says(name))

    def _says(self, name: str) -> bool:
        return not self.runs.isdisjoint(runs_of(name)) or is_joined_of(name, self.words)

    def names_function(self, site: Symbol) -> bool:
        """Whether the question names a function: with parentheses, as in `augment()`, or by a name of several words."""
        name = last_part(site.qualified)
        is_compound = "_" in name.strip("_") or _INNER_CAPITAL.search(name) is not None
        return site.kind in FUNCTIONS and whole(name) in (self.names if is_compound else self.called)

    def spells_whole(self, qualified: str) -> bool:
        """Whether the question has a method with its class, as in `Element.text`."""
        if not self.qualified:
            return False
        return tuple(map(whole, qualified.split(".")[-2:])) in self.qualified


def wanted_words(query: Query, chunk_words: WordStatistics, code_spans: Iterable[str] = ()) -> WantedWords:
    """The stems of a question, weighted by their rarity in a view; `code_spans` are its pieces of code found there."""
    frequencies = chunk_words.frequencies(query.words)
    weights: dict[str, float] = {}
    for word, weight in query.words.items():
        rarity = weight * inverse_frequency(chunk_words.documents, frequencies[word])
        weights[stem(word)] = max(rarity, weights.get(stem(word), 0.0))
    total = sum(weights.values()) or 1.0
    rare = [word for word in query.quoted_words if 0 < frequencies.get(word, 0) <= FEW_CHUNKS]
    quoted = frozenset(map(whole, rare))
    functions = _defined(query.of_functions, chunk_words, MOST_OF_ONE_NAME)
    names = frozenset([*query.names, *quoted, *functions, *_defined_words(query, chunk_words)])
    spans = frozenset(code_spans)
    runs = runs_of(query.pasted.prose[:LONGEST_PROSE])
    words = frozenset(query.words) - ENGLISH
    return WantedWords(weights, names, total, query.qualified_names, spans, quoted, query.called, words, runs)


def _defined_words(query: Query, chunk_words: WordStatistics) -> frozenset[str]:
    """The plain words of a question that are taken for names: not everyday words, and defined in few chunks."""
    rare = [word for word in query.words if len(word) <= LONGEST_WORD and count_tokens(f" {word}") > 1]
    return _defined(rare, chunk_words, FEW_DEFINITIONS)


def _defined(words: Collection[str], chunk_words: WordStatistics, most: int) -> frozenset[str]:
    """The words that at least one and at most some chunks define."""
    counts = chunk_words.frequencies(DEFINES + word for word in words)
    return frozenset(word for word in words if 0 < counts[DEFINES + word] <= most)


def scored_definitions(
    path: str,
    chunks: Iterable[IndexedChunk],
    scores: Sequence[float],
    wanted: WantedWords,
    history: DefinitionHistory,
    leads: PastedEvidence = PastedEvidence(),  # frozen
) -> list[ScoredDefinition]:
    """The definitions of one file, best first; `scores` are those of its chunks by ordinal."""
    best = max(scores, default=0.0)
    if best <= 0 and not leads.frames:
        return []
    scored = [chunk for chunk in chunks if chunk.ordinal < len(scores)]
    read = nlargest(
        CHUNKS_READ,
        scored,
        key=lambda chunk: (
            _traced(chunk, leads.frames),
            any(wanted.spells(site.qualified) for site in chunk.sites),
            scores[chunk.ordinal],
            -chunk.ordinal,
        ),
    )
    found: list[ScoredDefinition] = []
    for site, chunk, words in _own_words(sorted(read, key=lambda chunk: chunk.ordinal), wanted):
        name = site.qualified
        by_words = _words_points(words, wanted)
        points = CHUNK * scores[chunk.ordinal] / (best or 1.0) + by_words * (
            WORDS + QUOTED * leads.quoted.get(chunk.ordinal, 0.0)
        )
        has_member = _has_member(site, words, wanted)
        points += MEMBER * has_member + _name_points(name, wanted) + _history_points(path, name, history)
        points += _trace_points(site, leads.frames)
        if not wanted.spells(name):
            points *= 1.0 if site.kind in FUNCTIONS else OTHER_FACTOR
            points *= TEST if is_in_tests(name) and not wanted.is_about_tests else 1.0
        found.append(ScoredDefinition(site, chunk, points, has_member or wanted.spells_whole(name)))
    return sorted(found, key=lambda one: (-one.score, one.site.start_line))


_Own = tuple[Symbol, IndexedChunk, Counter[str]]


def _own_words(chunks: Iterable[IndexedChunk], wanted: WantedWords) -> list[_Own]:
    """Each definition that begins in a chunk, with its stem counts; the empty stem has its length."""
    found: list[_Own] = []
    last: dict[str, _Own] = {}  # by name: a chunk that continues a definition belongs to the last one of that name
    for chunk in chunks:
        begun: list[_Own] = [(site, chunk, Counter()) for site in outer_definitions(chunk.sites)]
        found += begun
        last |= {own[0].qualified: own for own in begun}
        lines = enumerate(chunk.text.split("\n"), start=chunk.start_line)
        innermost, outside = begun[::-1], last.get(chunk.symbol)
        for own, run in groupby(lines, key=partial(_owner, innermost, outside)):
            if own:
                _count(own[2], "\n".join(text for _, text in run), wanted)
    return found


def _owner(innermost: Sequence[_Own], outside: _Own | None, line: tuple[int, str]) -> _Own | None:
    """The innermost definition around a numbered line, or the one `outside` of the chunk that it continues."""
    return next((own for own in innermost if own[0].start_line <= line[0] <= own[0].end_line), outside)


def outer_definitions(sites: Sequence[Symbol]) -> list[Symbol]:
    """The definitions, without those inside a function of at most LONGEST_WHOLE lines."""
    kept: list[Symbol] = []
    end = 0
    for site in sites:
        if site.start_line > end:
            kept.append(site)
            if site.kind in FUNCTIONS and site.end_line - site.start_line < LONGEST_WHOLE:
                end = site.end_line
    return kept


def _count(counts: Counter[str], text: str, wanted: WantedWords) -> None:
    """Add the wanted stems of lines, and their length in words. This is the hottest loop of a warm recall."""
    words = words_of(text)
    tally = Counter(words.split())
    for stemmed in wanted.weights:  # a word without a marked stem is its own stem
        if number := tally[stemmed] + tally[STEM + stemmed]:
            counts[stemmed] += number
    counts[""] += tally.total() - words.count(STEM)


def _words_points(words: Counter[str], wanted: WantedWords) -> float:
    """BM25 over its own lines, as a share of the maximum for the question."""
    floor = K1 * (1 - B + B * words[""] / MEAN_LENGTH)
    points = sum(weight * words[short] / (words[short] + floor) for short, weight in wanted.weights.items())
    return points / wanted.total


def _name_points(name: str, wanted: WantedWords) -> float:
    spelled = SPELLED * wanted.spells(name) + QUALIFIED * wanted.spells_whole(name)
    spelled += CALLED * (whole(name.rpartition(".")[2]) in wanted.called)
    return NAME * wanted.weight_in(name) / wanted.total + spelled


def _has_member(site: Symbol, words: Counter[str], wanted: WantedWords) -> bool:
    """Whether the question spells a member of the definition's class together with the class, as `Request.hooks`."""
    parts = site.qualified.split(".")
    owners = {whole(part) for part in (parts if site.kind in TYPES else parts[:-1])}
    return any(owner in owners and words[stem(member)] > 0 for owner, member in wanted.qualified)


def _traced(chunk: IndexedChunk, frames: Sequence[Frame]) -> float:
    return max((_trace_points(site, frames) for site in chunk.sites), default=0.0) if frames else 0.0


def _trace_points(site: Symbol, frames: Sequence[Frame]) -> float:
    """More for frames nearer to the error; by line alone if the trace names no function."""
    name = site.qualified.rpartition(".")[2]
    found = 0.0
    for place, frame in enumerate(frames, start=1):
        by_line = float(site.start_line <= frame.line <= site.end_line)
        share = BY_FUNCTION * (frame.name == name) + (1 - BY_FUNCTION) * by_line if frame.name else by_line
        found = max(found, TRACED * share / place)
    return found


def _history_points(path: str, name: str, history: DefinitionHistory) -> float:
    keys = [f"{path}:{name}", f"{path}:{name.rpartition('.')[2]}"]  # a hunk heading of git may have the bare name
    votes, recency = (max(scores.get(key, 0.0) for key in keys) for scores in (history.votes, history.recency))
    return VOTES * votes + RECENCY * recency


def is_in_tests(qualified: str) -> bool:
    """Whether a definition is in a module of tests within a source file."""
    return _TESTS.search(qualified) is not None


def best_site(query: Query, chunk: IndexedChunk) -> Symbol | None:
    """The definition in the chunk that matches best, else the chunk's own; None without one."""
    points = [(_site_points(query, site), -at, site) for at, site in enumerate(chunk.sites)]
    best = max(points, key=lambda point: point[:2], default=None)
    if best and best[0] > 0:
        return best[2]
    own = [site for site in chunk.sites if site.qualified == chunk.symbol]
    return own[0] if own else None


def named_for(query: Query, chunk: IndexedChunk) -> IndexedChunk:
    """The chunk, named by the definition in it whose own name has most words of the question.

    It keeps the name of its largest definition if none has more words of the question than that, or only one inside it.
    """
    beside = [site for site in chunk.sites if not site.qualified.startswith(f"{chunk.symbol}.")]
    points = [_line_points(query, last_part(name)) for name in (chunk.symbol, *(site.qualified for site in beside))]
    best = points.index(max(points))
    if not best:
        return chunk
    site = beside[best - 1]
    return chunk._replace(symbol=site.qualified, kind=site.kind, signature=site.signature, docstring="")


def _site_points(query: Query, site: Symbol) -> float:
    name = site.qualified.rpartition(".")[2]
    spelled = NAME_POINTS if whole(name) in query.names else 0.0
    points = spelled + _line_points(query, site.qualified) + 0.1 * _line_points(query, site.signature)
    return points * MINOR_FACTOR if site.kind in MINOR_KINDS else points


def _line_points(query: Query, text: str) -> float:
    stems = stems_of(text)
    return sum(weight for word, weight in query.words.items() if stem(word) in stems)
