"""Where to look: the best files in their order, each with the definitions that the task is about."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from repomem.brief.items import Offer, Section
from repomem.brief.lines import callers_forms, file_form, place_forms, site_form
from repomem.core.types import Hit, IndexedChunk, Role, Site
from repomem.history.episodes import HistoryMatches, definition_history
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
from repomem.ranking.query import Query
from repomem.ranking.rank import RankedFile, chunk_scores, chunks_of
from repomem.ranking.snippets import best_site, snippet
from repomem.recall.callers import callers_at
from repomem.workspace.snapshot import Snapshot

PLACES_TOLD = 4  # with the first words of their docstring
SITES_OF_FILE = 8  # what else a file holds is seen when it is opened
FIRST_FILES = 12  # paths that find room before further episodes
FIRST_SITES = 6  # further definitions that find room before paths
PLACE, FIRST_SITE, CALLED, FIRST_FILE, SITE, FILE = 20.0, 24.0, 24.5, 25.0, 30.0, 40.0  # ranks


@dataclass(frozen=True, slots=True)
class Amount:
    """How much is told, room permitting."""

    places: int  # files with the lines of a definition; more follow by their paths
    sites: int  # further definitions of these files
    files: int  # named at all
    episodes: int
    has_code: bool  # lines of the first place, and what the docstrings of the first ones say


WHOLE = Amount(places=10, sites=16, files=30, episodes=7, has_code=True)
IF_UNSURE = Amount(places=5, sites=0, files=20, episodes=3, has_code=False)  # where little speaks of the task


@dataclass(frozen=True, slots=True)
class Question:
    """A question with all that was found on it."""

    query: Query
    evidence: Evidence
    past: HistoryMatches
    ranked: Sequence[RankedFile]


@dataclass(frozen=True, slots=True)
class _Place:
    """A file, the part of it to look at first, and the definitions that come next."""

    hit: Hit
    site: Site | None
    others: Sequence[ScoredDefinition]


def places_for(snapshot: Snapshot, found: Question, amount: Amount) -> Iterator[Offer]:
    """The best place of each of the best files, then further definitions in them, those first that most speaks for."""
    wanted = wanted_words(found.query, snapshot.view.chunk_words)
    places = list(_places(snapshot, found, wanted, amount))
    for at, place in enumerate(places):
        has_code = amount.has_code and at == 0
        first_line, lines = snippet(wanted, place.hit.chunk, place.site) if has_code else (0, ())
        is_told = amount.has_code and at < PLACES_TOLD
        shown = place.hit if is_told else replace(place.hit, chunk=place.hit.chunk._replace(docstring=""))
        forms = place_forms(shown, place.site, lines, first_line, is_first=at == 0)
        yield Offer(Section.WHERE, PLACE + at / 2, tuple(forms), is_numbered=True)
    if amount.has_code:
        yield from _called(snapshot, places[:PLACES_TOLD])
    beside = [(place.hit.score * one.score, at, one) for at, place in enumerate(places) for one in place.others]
    beside.sort(key=lambda each: (-each[0], each[1], each[2].site.start_line))
    for order, (_, at, one) in enumerate(beside[: amount.sites]):
        form = site_form(places[at].hit, one.site)
        after = PLACE + at / 2 + (1 + order) / 1000
        rank = FIRST_SITE if order < FIRST_SITES else SITE
        yield Offer(Section.WHERE, rank + order / 100, (form,), beside=form.item.path, place=after)


def _called(snapshot: Snapshot, places: Sequence[_Place]) -> Iterator[Offer]:
    """Who calls what the first places define, each below its place; what a test defines is called by nobody."""
    told = [
        (at, place.hit, place.site)
        for at, place in enumerate(places)
        if place.site and place.site.kind in FUNCTIONS | TYPES and place.hit.file.role is not Role.TEST
    ]
    found = callers_at(snapshot, [(hit.file.path, site) for _, hit, site in told])
    for (at, hit, site), callers in zip(told, found, strict=True):
        if callers:
            forms = callers_forms(hit, site, [(one.path, one.within, one.line) for one in callers])
            below = PLACE + at / 2 + 1 / 2000  # above the other definitions of the file
            beside = forms[0].item.path
            yield Offer(Section.WHERE, CALLED + at / 100, tuple(forms), beside=beside, is_alone=True, place=below)


def _places(snapshot: Snapshot, found: Question, wanted: WantedWords, amount: Amount) -> Iterator[_Place]:
    best = found.ranked[: amount.places]
    chunks = chunks_of(best, snapshot.code(snapshot.tree.corpus))
    history = definition_history(snapshot, found.past)
    for one in best:
        mine, scores = chunks.get(one.file.version, []), chunk_scores(found.evidence, one.file.version)
        sites = scored_definitions(one.file.path, mine, scores, wanted, history, _leads(found.evidence, one))[
            :SITES_OF_FILE
        ]
        if sites:
            yield _Place(Hit(one.file, sites[0].chunk, one.score, one.why), sites[0].site, sites[1:])
        elif mine:
            chunk = max(mine, key=lambda each: (_score(scores, each), -each.ordinal))
            yield _Place(Hit(one.file, chunk, one.score, one.why), best_site(found.query, chunk), ())


def _leads(evidence: Evidence, one: RankedFile) -> PastedEvidence:
    return PastedEvidence(evidence.traced.frames.get(one.file.version, ()), evidence.quoted.get(one.file.version, {}))


def _score(scores: Sequence[float], chunk: IndexedChunk) -> float:
    return scores[chunk.ordinal] if chunk.ordinal < len(scores) else 0.0


def files_for(ranked: Sequence[RankedFile], places: Sequence[Offer]) -> Iterator[Offer]:
    """The files that follow, by their paths."""
    shown = {form.item.path for place in places for form in place.forms}
    told = len(shown) + FIRST_FILES
    for at, one in enumerate(ranked):
        form = file_form(one.file, one.score, one.why)
        if form.item.path not in shown:
            rank = FIRST_FILE if len(shown) < told else FILE
            shown.add(form.item.path)
            yield Offer(Section.WHERE, rank + at / 100, (form,), is_listed=True)
