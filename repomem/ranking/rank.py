"""Orders hits: files by fused score, each with its best chunk first."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from repomem.core.grouping import grouped_by
from repomem.core.ports import CodeIndex
from repomem.core.types.indexed import Hit, IndexedChunk, IndexedFile
from repomem.ranking.gather import Evidence
from repomem.ranking.query import Query
from repomem.ranking.signals import Weights, fused

REPEAT_FACTOR = 0.5  # each further chunk of a file scores half of the one before, so that several files come first
DEFINING_SHARE = 0.5  # of the best chunk's score, added for defining a rare name in the question
QUOTED_SHARE = 2.0  # of the best chunk's score, added for containing a quotation
BETWEEN_FACTOR = 0.6  # for lines outside definitions, such as imports, which mention much
SYMBOL_LIFT = 3.0  # for a bare symbol, the definition matters more than its uses
SPELLED_LIFT = 1.3  # for a file that defines the bare symbol in exactly these letters
TINY = 1e-12  # scores below it are rounding errors


class RankedFile(NamedTuple):
    """A file with its score and its signals, strongest first."""

    file: IndexedFile
    score: float
    why: tuple[str, ...]


def ranked_files(query: Query, evidence: Evidence, weights: Weights) -> list[RankedFile]:
    """The files with a score, best first, ties by path."""
    optional = {"here": evidence.here, "trace": evidence.traced.nearness, "quotation": evidence.quoted}
    absent = [name for name, found in optional.items() if not found]
    weights = weights.without(*absent)  # else no file could reach the top score
    if query.is_symbol:
        weights = weights.scaled("definition", SYMBOL_LIFT)
    most = sum(weights.signals.values()) or 1.0
    ranked = []
    for version, parts in fused(query, evidence, weights).items():
        score = sum(sorted(parts.values())) / most
        if score > TINY:
            why = tuple(sorted(parts, key=lambda name: (-parts[name], name)))
            ranked.append(RankedFile(evidence.files[version], round(score, 9), why))
    return sorted(ranked, key=lambda one: (-one.score, one.file.path))


def chunk_scores(evidence: Evidence, version: int) -> list[float]:
    """The scores of a file's chunks by ordinal: exact BM25, raised for definitions and quotations of the question."""
    scores = list(evidence.chunk_scores.get(version, ()))
    defining = evidence.defining.get(version, {})
    best, rarest = max(scores, default=0.0), max(defining.values(), default=0.0)
    for ordinal, rarity in defining.items():
        scores[ordinal] += DEFINING_SHARE * best * rarity / rarest if rarest else 0.0
    for ordinal, share in evidence.quoted.get(version, {}).items():
        scores[ordinal] += QUOTED_SHARE * best * share
    return scores


def chunks_of(files: Sequence[RankedFile], index: CodeIndex) -> dict[int, list[IndexedChunk]]:
    """The chunks of some files in order, by version."""
    return grouped_by(index.chunks([one.file.version for one in files]), lambda chunk: chunk.version)


def hits(query: Query, evidence: Evidence, weights: Weights, index: CodeIndex, limit: int) -> list[Hit]:
    """The best `limit` chunks; each further chunk of a file scores REPEAT_FACTOR of the one before."""
    files = ranked_files(query, evidence, weights)[:limit]
    chunks = chunks_of(files, index)
    found: list[Hit] = []
    for one in files:
        mine = chunks.get(one.file.version, [])
        spelled = {chunk.ordinal for chunk in mine if any(query.is_spelled_by(site.qualified) for site in chunk.sites)}
        lifted = one._replace(score=one.score * SPELLED_LIFT) if spelled else one
        found += _of_file(lifted, _weighed(mine, chunk_scores(evidence, one.file.version), spelled))
    return sorted(found, key=lambda hit: (-hit.score, hit.file.path, hit.chunk.start_line))[:limit]


def _weighed(
    chunks: Sequence[IndexedChunk], scores: Sequence[float], spelled: Collection[int]
) -> list[tuple[float, IndexedChunk]]:
    """The chunks of a file with their points, best first; those that define the spelled symbol come first."""
    has_symbols = any(chunk.symbol for chunk in chunks)
    best = max(scores, default=0.0)
    weighed = [
        (
            scores[chunk.ordinal] * (1.0 if chunk.symbol or not has_symbols else BETWEEN_FACTOR)
            + best * (chunk.ordinal in spelled),
            chunk,
        )
        for chunk in chunks
        if chunk.ordinal < len(scores)
    ]
    return sorted(weighed, key=lambda one: (-one[0], one[1].start_line))


def _of_file(file: RankedFile, weighed: Sequence[tuple[float, IndexedChunk]]) -> list[Hit]:
    best = weighed[0][0] if weighed else 0.0
    found = []
    for place, (points, chunk) in enumerate(weighed):
        share = points / best if best > 0 else float(place == 0)
        if share > 0:
            found.append(Hit(file.file, chunk, round(file.score * share * REPEAT_FACTOR**place, 9), file.why))
    return found
