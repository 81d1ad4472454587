"""Candidate items for places: the best files in order, each with the definitions that the task is about."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from repomem.brief import order
from repomem.brief.items import CandidateItem
from repomem.brief.lines import caller_renderings, definition_rendering, file_rendering, place_renderings
from repomem.core.types.code import Role
from repomem.core.types.indexed import Hit, IndexedChunk, Symbol
from repomem.history.episodes import definition_history
from repomem.ranking.callers import TYPES
from repomem.ranking.definitions import (
    FUNCTIONS,
    PastedEvidence,
    ScoredDefinition,
    WantedWords,
    scored_definitions,
    wanted_words,
)
from repomem.ranking.gather import Evidence
from repomem.ranking.rank import RankedFile, chunk_scores, chunks_of
from repomem.ranking.snippets import best_site, snippet
from repomem.recall.callers import callers_at
from repomem.recall.search import Ranking
from repomem.workspace.snapshot import Snapshot

DETAILED_PLACES = 4  # with docstring and callers
DEFINITIONS_OF_FILE = 8  # opening the file shows the rest
FIRST_FILES = 12  # paths with the higher of two priorities
FIRST_DEFINITIONS = 6  # further definitions with the higher of two priorities


@dataclass(frozen=True, slots=True)
class Amount:
    """How much a brief may show, room permitting."""

    places: int  # files with a definition; further ones only by path
    definitions: int  # further ones, in these files
    files: int  # all that are named
    episodes: int
    has_code: bool  # lines of the first place, and docstrings and callers of the first few


WHOLE = Amount(places=10, definitions=16, files=30, episodes=7, has_code=True)
IF_UNSURE = Amount(places=5, definitions=0, files=20, episodes=3, has_code=False)  # for weak matches


@dataclass(frozen=True, slots=True)
class _Place:
    """A file, the part of it to look at first, and the definitions that come next."""

    hit: Hit
    site: Symbol | None
    others: Sequence[ScoredDefinition]


def place_items(snapshot: Snapshot, ranking: Ranking, amount: Amount) -> Iterator[CandidateItem]:
    """The best place of each of the best files, the callers of the first, and the best further definitions."""
    wanted = wanted_words(ranking.query, snapshot.view.chunk_words)
    places = list(_places(snapshot, ranking, wanted, amount))
    for at, place in enumerate(places):
        has_code = amount.has_code and at == 0
        first_line, lines = snippet(wanted, place.hit.chunk, place.site) if has_code else (0, ())
        is_detailed = amount.has_code and at < DETAILED_PLACES
        shown = place.hit if is_detailed else replace(place.hit, chunk=place.hit.chunk._replace(docstring=""))
        renderings = place_renderings(shown, place.site, lines, first_line, is_first=at == 0)
        yield CandidateItem(*order.PLACE.nth(at), tuple(renderings), is_numbered=True)
    if amount.has_code:
        yield from _caller_items(snapshot, places[:DETAILED_PLACES])
    yield from _definition_items(places, amount.definitions)


def _caller_items(snapshot: Snapshot, places: Sequence[_Place]) -> Iterator[CandidateItem]:
    """The callers of the first places, each below its place; tests have none."""
    callable_places = [
        (at, place.hit, place.site)
        for at, place in enumerate(places)
        if place.site and place.site.kind in FUNCTIONS | TYPES and place.hit.file.role is not Role.TEST
    ]
    found = callers_at(snapshot, [(hit.file.path, site) for _, hit, site in callable_places])
    for (at, hit, site), callers in zip(callable_places, found, strict=True):
        if callers:
            renderings = caller_renderings(hit, site, [(one.path, one.within, one.line) for one in callers])
            row = order.CALLERS.nth(at, order.below_place(at, 0.5))  # above the other definitions of the file
            path = renderings[0].item.path
            yield CandidateItem(*row, tuple(renderings), below=path, has_own_line=True)


def _definition_items(places: Sequence[_Place], most: int) -> Iterator[CandidateItem]:
    """Further definitions of the places' files, the best first."""
    others = [(place.hit.score * one.score, at, one) for at, place in enumerate(places) for one in place.others]
    others.sort(key=lambda each: (-each[0], each[1], each[2].site.start_line))
    for number, (_, at, one) in enumerate(others[:most]):
        rendering = definition_rendering(places[at].hit, one.site)
        row = order.DEFINITION if number < FIRST_DEFINITIONS else order.FURTHER_DEFINITION
        position = order.below_place(at, 1 + number)
        yield CandidateItem(*row.nth(number, position), (rendering,), below=rendering.item.path)


def _places(snapshot: Snapshot, ranking: Ranking, wanted: WantedWords, amount: Amount) -> Iterator[_Place]:
    best = ranking.ranked[: amount.places]
    chunks = chunks_of(best, snapshot.code(snapshot.tree.corpus))
    history = definition_history(snapshot, ranking.past)
    for one in best:
        mine, scores = chunks.get(one.file.version, []), chunk_scores(ranking.evidence, one.file.version)
        sites = scored_definitions(one.file.path, mine, scores, wanted, history, _leads(ranking.evidence, one))[
            :DEFINITIONS_OF_FILE
        ]
        if sites:
            yield _Place(Hit(one.file, sites[0].chunk, one.score, one.why), sites[0].site, sites[1:])
        elif mine:
            chunk = max(mine, key=lambda each: (_score(scores, each), -each.ordinal))
            yield _Place(Hit(one.file, chunk, one.score, one.why), best_site(ranking.query, chunk), ())


def _leads(evidence: Evidence, one: RankedFile) -> PastedEvidence:
    return PastedEvidence(evidence.traced.frames.get(one.file.version, ()), evidence.quoted.get(one.file.version, {}))


def _score(scores: Sequence[float], chunk: IndexedChunk) -> float:
    return scores[chunk.ordinal] if chunk.ordinal < len(scores) else 0.0


def file_items(ranked: Sequence[RankedFile], places: Sequence[CandidateItem]) -> Iterator[CandidateItem]:
    """The files that follow, by path."""
    shown = {rendering.item.path for place in places for rendering in place.renderings}
    first = len(shown) + FIRST_FILES
    for at, one in enumerate(ranked):
        rendering = file_rendering(one.file, one.score, one.why)
        if rendering.item.path not in shown:
            row = order.FILE if len(shown) < first else order.FURTHER_FILE
            shown.add(rendering.item.path)
            yield CandidateItem(*row.nth(at), (rendering,), is_listed=True)
