"""Gathers the evidence for a question: candidate files from the index, scored exactly from the view's statistics.

LanceDB only has to find candidates that include the best files; their order is decided here.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import nlargest
from types import MappingProxyType

from repomem.core.ports import CodeIndex
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.words import DEFINES, whole
from repomem.core.types.indexed import IndexedFile
from repomem.core.word_statistics import WordStatistics, inverse_frequency
from repomem.ranking.bm25 import frequencies_of, scorer_for, total
from repomem.ranking.message_matching import LEAST_SHARE, TracedFiles, quotation_weights, quoted_share, traced_files
from repomem.ranking.pasted_messages import quotation_of
from repomem.ranking.paths import PathIndex, named_paths, path_scores
from repomem.ranking.query import Query, absent_words

BY_WORDS = 500  # chunks requested from LanceDB; their files are scored as wholes
BY_VECTOR = 100
LEAST_SIMILARITY = 0.2  # cosine; any two texts about code may reach it
SHORTEST_PART = 5  # letters of a word that is searched within others
MOST_PARTS = 3  # such words of one question; each scans all words, 0.1 s for 25,000 chunks
BY_PATH = 60  # files
QUOTED_IN = 100  # best chunks that are searched for quotations
MOST_WITH_SPAN = 6  # chunks with a piece of code; if more have it, it says little
MOST_CHUNKS = 1_500  # scored for one question: about 50 ms; twice as many improved nothing
_QUALIFIED = lazy_pattern(r"[\w.:#>-]+(?:\(\)?)?")
_TYPE_ARGUMENTS = lazy_pattern(r"<[\w, ?\[\].]*>")


@dataclass(frozen=True)
class Corpus:
    """The live files in scope, and the word statistics of the whole view."""

    files: Sequence[IndexedFile]
    chunk_words: WordStatistics
    file_words: WordStatistics
    lead: str  # the current folder, whose files are preferred; empty: none

    @cached_property
    def by_version(self) -> Mapping[int, IndexedFile]:
        return {file.version: file for file in self.files}

    @cached_property
    def paths(self) -> PathIndex:
        return PathIndex(self.files)


@dataclass(frozen=True, slots=True)
class Candidates:
    """The searches of the index for one question; they may have been started before."""

    by_words: Callable[[], list[int]]  # versions of the best-matching chunks, best first, once per matching chunk
    by_vector: Callable[[], list[tuple[int, float]]]  # versions with their cosine, nearest first


@dataclass(slots=True)
class Evidence:
    """The input of the signals, by file version; an absent version scores zero."""

    files: dict[int, IndexedFile]
    chunk_scores: dict[int, list[float]] = field(default_factory=dict)  # by ordinal
    file_scores: dict[int, float] = field(default_factory=dict)
    defined: dict[int, dict[str, float]] = field(default_factory=dict)  # name in the question, to its rarity
    defining: dict[int, dict[int, float]] = field(default_factory=dict)  # chunk ordinal, to its definitions' rarity
    similarity: dict[int, float] = field(default_factory=dict)  # the best chunk's cosine above LEAST_SIMILARITY
    by_path: dict[int, float] = field(default_factory=dict)
    named: dict[int, float] = field(default_factory=dict)
    quoted: dict[int, dict[int, float]] = field(default_factory=dict)  # chunk ordinal, to its share of a quotation
    traced: TracedFiles = field(default_factory=TracedFiles)
    votes: dict[int, float] = field(default_factory=dict)
    recency: dict[int, float] = field(default_factory=dict)
    coverage: dict[int, float] = field(default_factory=dict)  # query coverage
    code_spans: set[str] = field(default_factory=set)  # found pieces of code of the question, without spaces
    here: set[int] = field(default_factory=set)  # versions below the current folder


def gather(
    query: Query,
    corpus: Corpus,
    index: CodeIndex,
    candidates: Candidates,
    votes: Mapping[int, float],
    recency: Mapping[int, float] = MappingProxyType({}),
) -> Evidence:
    """The evidence for the files found by words, paths, vectors, earlier commits and pasted messages."""
    by_path = path_scores(query, corpus.paths)
    named = named_paths(query, corpus.files)
    traced = traced_files(query.pasted.frames, corpus.files)
    absent = _absent(query, corpus)
    sources = [
        traced.nearness,
        named,
        index.candidates_by_parts(absent, BY_WORDS) if absent else (),
        _best(by_path, BY_PATH),
        _best({version: score for version, score in votes.items() if version in corpus.by_version}, BY_PATH),
        candidates.by_words(),
    ]
    nearest = candidates.by_vector()  # read last: it takes longest
    near = [(version, cosine - LEAST_SIMILARITY) for version, cosine in nearest if cosine > LEAST_SIMILARITY]
    chosen = _chosen(corpus.by_version, *sources, [version for version, _ in near])
    evidence = Evidence(
        {version: corpus.by_version[version] for version in chosen},
        by_path={version: by_path[version] for version in chosen if version in by_path},
        named=named,
        traced=traced,
        votes={version: votes[version] for version in chosen if version in votes},
        recency={version: recency[version] for version in chosen if version in recency},
    )
    if corpus.lead:
        evidence.here = {v for v, file in evidence.files.items() if file.path.startswith(corpus.lead + "/")}
    _add_scores(query, corpus, index, evidence, absent)
    for version, similarity in near:
        if version in evidence.files:
            evidence.similarity[version] = max(similarity, evidence.similarity.get(version, 0.0))
    return evidence


def _best(scores: Mapping[int, float], limit: int) -> list[int]:
    if len(scores) > limit:  # the repository's name may be in every path
        least = nlargest(limit, scores.values())[-1]
        scores = {version: score for version, score in scores.items() if score >= least}
    return sorted(scores, key=lambda version: (-scores[version], version))[:limit]


def _chosen(in_scope: Mapping[int, IndexedFile], *sources: Iterable[int]) -> list[int]:
    """The candidates of all sources, up to MOST_CHUNKS chunks."""
    found: dict[int, None] = {}
    room = MOST_CHUNKS
    for source in sources:
        for version in source:
            if version in in_scope and version not in found:
                room -= in_scope[version].chunks
                if room < 0 and found:
                    return list(found)
                found[version] = None
    return list(found)


def _absent(query: Query, corpus: Corpus) -> list[str]:
    """The words to search within others, if at least half of the question's words are absent from the index."""
    absent = absent_words(query, corpus.chunk_words)
    if 2 * len(absent) < len(query.words):
        return []
    return [word for word in absent if len(word) >= SHORTEST_PART][:MOST_PARTS]


def _add_scores(query: Query, corpus: Corpus, index: CodeIndex, evidence: Evidence, absent: Sequence[str]) -> None:
    rows = index.words(list(evidence.files))
    inside = {word: sum(word in words for _, _, words in rows) for word in absent}
    inside = {word: count for word, count in inside.items() if count}
    in_chunks = scorer_for(query.words, corpus.chunk_words, inside)
    in_files = scorer_for(query.words, corpus.file_words, inside)
    names = _rarities(query, corpus)
    forms = in_chunks.forms | names.keys()
    parts: dict[int, list[dict[str, int]]] = {}
    lengths: dict[int, int] = {}
    for version, ordinal, words in rows:
        split = words.split()
        frequencies, length = frequencies_of(split, forms), len(split)
        frequencies |= {word: words.count(word) for word in inside if word in words}
        parts.setdefault(version, []).append(frequencies)
        lengths[version] = lengths.get(version, 0) + length
        evidence.chunk_scores.setdefault(version, []).append(in_chunks.score(frequencies, length))
        defined = {word: names[word] for word in frequencies if word in names}
        if defined:
            evidence.defined.setdefault(version, {}).update(defined)
            evidence.defining.setdefault(version, {})[ordinal] = max(defined.values())
    _add_quotations(query, corpus, rows, evidence)
    _add_code_spans(query, corpus, rows, evidence)
    for version, chunks in parts.items():
        frequencies = total(chunks)
        evidence.file_scores[version] = in_files.score(frequencies, lengths[version])
        evidence.coverage[version] = in_files.coverage(frequencies)


def _add_quotations(query: Query, corpus: Corpus, rows: Sequence[tuple[int, int, str]], evidence: Evidence) -> None:
    """Find the best chunks that contain a quotation of the question."""
    if not query.pasted.quotations:
        return
    weights = quotation_weights(query.pasted.quotations, corpus.chunk_words)
    best = nlargest(QUOTED_IN, rows, key=lambda row: evidence.chunk_scores[row[0]][row[1]])
    for version, ordinal, words in best:
        share = max(quoted_share(quotation, words, weights) for quotation in query.pasted.quotations)
        if share >= LEAST_SHARE:
            evidence.quoted.setdefault(version, {})[ordinal] = share


def _add_code_spans(query: Query, corpus: Corpus, rows: Sequence[tuple[int, int, str]], evidence: Evidence) -> None:
    """Find the chunks that contain a piece of code of the question word for word, if few do."""
    for span in query.pasted.code_spans:
        if _is_defined(span, corpus):
            continue
        text = f" {' '.join(quotation_of(span))} "
        found = [(version, ordinal) for version, ordinal, words in rows if text in f" {words} "]
        if 0 < len(found) <= MOST_WITH_SPAN:
            evidence.code_spans.add("".join(span.split()))
            for version, ordinal in found:
                evidence.quoted.setdefault(version, {})[ordinal] = 1.0


def _is_defined(span: str, corpus: Corpus) -> bool:
    """Whether code is only a qualified name of something defined here: that is found by its definition."""
    span = _TYPE_ARGUMENTS.sub("", span)
    if not _QUALIFIED.fullmatch(span):
        return False
    names = [DEFINES + whole(part) for part in re.findall(r"\w+", span)[-2:]]
    return any(corpus.file_words.frequencies(names).values())


def _rarities(query: Query, corpus: Corpus) -> dict[str, float]:
    """The rarity of each definition that the question may name."""
    names = [DEFINES + name for name in query.possible_names]
    frequencies = corpus.file_words.frequencies(names)
    documents = corpus.file_words.documents
    return {name: inverse_frequency(documents, frequencies[name]) for name in names if frequencies[name]}
