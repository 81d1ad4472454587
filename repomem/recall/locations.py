"""Candidate items for places: the best files in order, each with the definitions that the task is about."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from repomem.adapters.languages.definition_lines import RULES
from repomem.adapters.languages.file_roles import is_test, names_of_tests, originals_of, suffix_of
from repomem.brief import order
from repomem.brief.items import CandidateItem
from repomem.brief.lines import (
    caller_renderings,
    definition_rendering,
    excerpt_rendering,
    file_rendering,
    place_renderings,
    single_lines_renderings,
)
from repomem.brief.short_paths import shortest_path
from repomem.core.text.escape import visible, visible_path
from repomem.core.types.code import CONTAINERS, FUNCTIONS, TYPES, Role
from repomem.core.types.indexed import Hit, IndexedChunk, IndexedFile, Symbol
from repomem.history.episodes import definition_history
from repomem.items.places import Places
from repomem.ranking.definitions import PastedEvidence, WantedWords, best_site, scored_definitions, wanted_words
from repomem.ranking.excerpts import Excerpt
from repomem.ranking.matching_lines import FoundLine, SearchedFile
from repomem.ranking.rank import RankedFile, chunk_scores, chunks_of
from repomem.recall.callers import callers_at
from repomem.recall.definitions_by_indent import with_receiver
from repomem.recall.search import Ranking
from repomem.recall.shown_code import ALWAYS_PLACES, Place, ShownCode, shown_code
from repomem.workspace.snapshot import Snapshot

PLACES = 10  # files that are searched for the definition to look at
PLACES_IF_UNSURE = 8  # the same for weak matches
DEFINITIONS = 2  # further ones in these files: of later ones, 4 % were near a change (docs/evaluation.md)
CALLED_PLACES = 1  # with their callers
MOST_USERS = 10  # of a type: with more, naming the first few is not informative
MOST_LINES_OF_FILE = 10**7  # so that a line's number orders excerpts between a place's callers and what follows
DEFINITIONS_OF_FILE = 8  # opening the file shows the rest
NEAR_BEST_DEFINITION = 0.5  # share of the score of its file's best one: below it, 5 % were near a change
NEAR_BEST_FILE = 0.2  # share of the best file's score: of 89 files below, one was changed (docs/evaluation.md)
NEAR_BEST_SOURCE = 0.35  # the same for source files without a place: of 194 below, one was changed (docs/evaluation.md)
TESTED_FILES = 2  # first places in source code whose tests are named
FIRST_FILES = 8  # paths with the higher of two priorities
PREFERRED = 3.0  # factor for a further definition that the question names, or that contains a single line
LONGEST_OWNER = 120  # lines of a type or constant that is named to locate an excerpt
MODULE = "module"  # the kind of modules and namespaces


def places_for(snapshot: Snapshot, ranking: Ranking, budget: int, *, has_code: bool) -> Places:
    """The best place of each of the best files, the best further definitions, and with `has_code` lines and callers.

    Lines of code take at most EXCERPT_SHARE and LINES_SHARE of the `budget` in tokens.
    """
    wanted = wanted_words(ranking.query, snapshot.view.chunk_words, ranking.evidence.code_spans)
    places = sorted(_places(snapshot, ranking, wanted), key=lambda one: not one.is_exact)  # stable
    shown = shown_code(ranking, wanted, places, budget) if has_code else ShownCode()
    every = places = [headed(each, shown) for each in places]
    having = shown.paths
    if has_code:
        places = [one for at, one in enumerate(every) if is_needed(one, at) or one.hit.file.path in having]
    items = [
        *_place_items(places, shown.excerpted),
        *_excerpt_items(places, shown.excerpts),
        *_line_items(places, shown),
    ]
    if has_code:
        items += _caller_items(snapshot, places[:CALLED_PLACES])
    alone = [Excerpt(one.path, one.line, (one.text,), one.score) for one in shown.lines]
    items += _definition_items(places, shown, wanted)
    further = {one.hit.file.path: part_of(one) for one in every if one not in places}
    return Places(items, [*shown.excerpts, *alone], _containers(places), shown.shares, further)


def part_of(place: Place) -> Symbol | None:
    """The lines of a file to read first: its best definition, of a long one the best chunk; None for the whole file."""
    site, searched = place.site, place.searched
    if site is None:
        return None
    if site.kind != MODULE and site.end_line - site.start_line < LONGEST_OWNER:
        return searched.with_comment(site)
    inner = [each for each in searched.chunks if each.start_line <= site.end_line and site.start_line <= each.end_line]
    best = max(inner, key=lambda each: (_score(place.scores, each), -each.ordinal))
    first, last = max(site.start_line, best.start_line), min(site.end_line, best.end_line)
    is_part = 2 * (last - first + 1) < max(searched.lines, default=0)
    return site._replace(start_line=first, end_line=last) if is_part else None


def headed(place: Place, shown: ShownCode) -> Place:
    """The place with the definition of its best excerpt, if no line of its own definition is shown.

    If the excerpt is outside of definitions, such as in a comment at the top of the file, the place is just its range.
    """
    site, own = place.site, [each for each in shown.excerpts if each.path == place.searched.path]
    lines = [each.line for each in shown.lines if each.path == place.searched.path]
    spans = [*((each.start_line, each.end_line) for each in own), *zip(lines, lines, strict=True)]
    if site is None or not spans or any(first <= site.end_line and site.start_line <= last for first, last in spans):
        return place
    first, last = spans[0]
    owner = place.searched.owner_of(first, last) or place.searched.documented_by(first, last)
    if owner is None:
        owner = Symbol("", "", first, last, "")
    elif owner.kind not in FUNCTIONS and owner.end_line - owner.start_line >= LONGEST_OWNER:
        return place
    former = place.searched.definitions[:1]
    others = [each for each in (*former, *place.others) if each.site != owner]
    return replace(place, site=owner, others=others)


def is_needed(place: Place, at: int) -> bool:
    """Whether a place is shown even without excerpts: one of the first two, in source code or named by the question."""
    return at < ALWAYS_PLACES and (place.hit.file.role is Role.SOURCE or place.is_exact)


def _containers(places: Iterable[Place]) -> frozenset[tuple[str, str]]:
    """The places that are a whole module or type, as their items name them."""
    found = ((place.hit.file.path, place.site) for place in places if place.site and place.site.kind in CONTAINERS)
    return frozenset((visible_path(path), visible(site.qualified)) for path, site in found)


def _place_items(places: Sequence[Place], having: Collection[str]) -> Iterator[CandidateItem]:
    """The line of each place; its docstring says what its excerpts show."""
    for at, place in enumerate(places):
        is_shown = place.hit.file.path in having or at >= ALWAYS_PLACES
        hit = replace(place.hit, chunk=place.hit.chunk._replace(docstring="")) if is_shown else place.hit
        site = place.site and place.searched.with_comment(_shown(place, place.site))
        renderings = place_renderings(hit, site, is_first=at == 0)
        yield CandidateItem(*order.PLACE.nth(at), tuple(renderings), is_numbered=True)


def _excerpt_items(places: Sequence[Place], chosen: Sequence[Excerpt]) -> Iterator[CandidateItem]:
    """The excerpts below their places, in the order of their lines."""
    by_path = {place.hit.file.path: (at, place) for at, place in enumerate(places)}
    for number, one in enumerate(chosen):
        at, place = by_path[one.path]
        row = order.EXCERPT.nth(number, order.below_place(at, one.start_line / MOST_LINES_OF_FILE))
        rendering = excerpt_rendering(place.hit, place.name, one.start_line, one.lines, owner_named(place, one))
        yield CandidateItem(*row, (rendering,), below=rendering.item.path, has_own_line=True)


def _line_items(places: Sequence[Place], shown: ShownCode) -> Iterator[CandidateItem]:
    """Single lines, below the place of their file and its excerpts."""
    by_path = {place.hit.file.path: (at, place) for at, place in enumerate(places)}
    for number, path in enumerate(dict.fromkeys(each.path for each in shown.lines)):
        at, place = by_path[path]
        own = [(each.line, each.text) for each in shown.lines if each.path == path]
        renderings = single_lines_renderings(place.hit, own, is_first=path not in shown.excerpted)
        row = order.SINGLE_LINES.nth(number, order.below_place(at, 1))
        yield CandidateItem(*row, tuple(renderings), below=renderings[0].item.path, has_own_line=True)


def _definition_of(place: Place, excerpt: Excerpt) -> Symbol | None:
    """The definition around an excerpt, unless the place names it already or the excerpt shows the place's start."""
    inner = place.searched.owner_of(excerpt.start_line, excerpt.end_line)
    has_begin = place.site is not None and excerpt.start_line <= place.site.start_line <= excerpt.end_line
    return inner if inner != place.site and not has_begin else None


def owner_named(place: Place, excerpt: Excerpt) -> Symbol | None:
    """The definition named as the one around an excerpt; never a module, which may contain the whole file."""
    inner = _definition_of(place, excerpt)
    if inner is None or inner.kind == MODULE:
        return None
    site = _shown(place, inner)
    return place.searched.with_comment(site) if site.start_line < excerpt.start_line else site


def _shown(place: Place, site: Symbol) -> Symbol:
    """A place's definition as shown: in Ruby, class methods get their receiver."""
    if place.hit.file.language != "ruby":
        return site
    return site._replace(signature=with_receiver(site.signature, site.start_line, place.searched.lines))


def _caller_items(snapshot: Snapshot, places: Sequence[Place]) -> Iterator[CandidateItem]:
    """The callers of the first places; tests have none.

    They come directly after the place: after an excerpt of another definition, they would seem to call that one.
    """
    callable_places = [
        (at, place.hit, place.site)
        for at, place in enumerate(places)
        if place.site and place.site.kind in FUNCTIONS | TYPES and place.hit.file.role is not Role.TEST
    ]
    found = callers_at(snapshot, [(hit.file.path, site) for _, hit, site in callable_places])
    for (at, hit, site), called in zip(callable_places, found, strict=True):
        known = [(one.path, one.within, one.line) for one in called.resolved] if called else []
        is_common = site.kind in TYPES and len(known) > MOST_USERS
        # without types, it is unknown which of several overloads is called
        if called and known and called.overloads == 1 and not is_common:
            by_name = {(one.path, one.within) for one in called.callers} - {place[:2] for place in known}
            shown = [(_caller_path(snapshot, hit.file.path, path), within, line) for path, within, line in known]
            renderings = caller_renderings(hit, site, shown, len(by_name))
            row = order.CALLERS.nth(at, order.below_place(at, 0.5 / MOST_LINES_OF_FILE))
            path = renderings[0].item.path
            yield CandidateItem(*row, tuple(renderings), below=path, has_own_line=True)


def _caller_path(snapshot: Snapshot, called: str, path: str) -> str:
    """The path of a caller, shortened if it is another file of the same folder."""
    is_beside = path != called and path.rpartition("/")[0] == called.rpartition("/")[0]
    return _short_path(snapshot, path) if is_beside else path


def _short_path(snapshot: Snapshot, path: str) -> str:
    return shortest_path(path, snapshot.tree.namesakes([path]))


def _definition_items(places: Sequence[Place], shown: ShownCode, wanted: WantedWords) -> Iterator[CandidateItem]:
    """Further definitions in the places' files, best first.

    Functions that the question names and definitions that contain single lines are preferred. Modules, which mostly
    are whole files, and definitions that an excerpt shows are left out.
    """

    def is_preferred(place: Place, site: Symbol) -> bool:
        return wanted.names_function(site) or _has_line(place, site, shown.lines)

    code_places = [(at, place) for at, place in enumerate(places) if place.hit.file.role is not Role.TEST]
    others = [
        (place.hit.score * one.score * (PREFERRED if is_preferred(place, one.site) else 1.0), at, one)
        for at, place in code_places
        for one in place.others
        if one.site.kind != MODULE and not any(_shows(each, place, one.site) for each in shown.excerpts)
    ]
    others.sort(key=lambda each: (-each[0], each[1], each[2].site.start_line))
    for number, (_, at, one) in enumerate(others[:DEFINITIONS]):
        site = places[at].searched.with_comment(_shown(places[at], one.site))
        rendering = definition_rendering(places[at].hit, places[at].name, site)
        row = order.DEFINITION.nth(number, order.below_place(at, 1 + number))
        yield CandidateItem(*row, (rendering,), below=rendering.item.path)


def _shows(excerpt: Excerpt, place: Place, site: Symbol) -> bool:
    """Whether an excerpt names a definition, is inside that type, or has all its lines but perhaps the last."""
    if excerpt.path != place.searched.path:
        return False
    if site.kind in TYPES and site.start_line <= excerpt.start_line and excerpt.end_line <= site.end_line:
        return True
    is_whole = excerpt.start_line <= site.start_line and site.end_line <= excerpt.end_line + 1
    return is_whole or _definition_of(place, excerpt) == site


def _has_line(place: Place, site: Symbol, lines: Sequence[FoundLine]) -> bool:
    """Whether the definition is the smallest one around one of the lines."""
    own = (each.line for each in lines if each.path == place.searched.path)
    return any(place.searched.definition_at(line) == site.start_line for line in own)


def _places(snapshot: Snapshot, ranking: Ranking, wanted: WantedWords) -> Iterator[Place]:
    best = near_best(ranking.ranked)[: PLACES if ranking.gate.state == "use" else PLACES_IF_UNSURE]
    chunks = chunks_of(best, snapshot.code(snapshot.tree.corpus))
    history, evidence = definition_history(snapshot, ranking.past), ranking.evidence
    for one in best:
        version = one.file.version
        mine, scores = chunks.get(version, []), chunk_scores(evidence, version)
        pasted = PastedEvidence(evidence.traced.frames.get(version, ()), evidence.quoted.get(version, {}))
        sites = scored_definitions(one.file.path, mine, scores, wanted, history, pasted)
        is_code = one.file.role is Role.SOURCE and f".{suffix_of(one.file.path)}" in RULES
        name = _short_path(snapshot, one.file.path)
        searched = SearchedFile(one.file.path, one.score, mine, sites, is_code)
        if sites:
            least = NEAR_BEST_DEFINITION * sites[0].score
            near = (each for each in sites[1:] if each.score >= least or wanted.names_function(each.site))
            others = list(islice(near, DEFINITIONS_OF_FILE - 1))
            hit = Hit(one.file, sites[0].chunk, one.score, one.why)
            yield Place(hit, name, sites[0].site, others, searched, scores)
        elif mine:
            chunk = max(mine, key=lambda each: (_score(scores, each), -each.ordinal))
            hit = Hit(one.file, chunk, one.score, one.why)
            yield Place(hit, name, best_site(ranking.query, chunk), (), searched, scores)


def _score(scores: Sequence[float], chunk: IndexedChunk) -> float:
    return scores[chunk.ordinal] if chunk.ordinal < len(scores) else 0.0


def _test_of(snapshot: Snapshot, path: str) -> IndexedFile | None:
    """The indexed file whose name marks it as the tests of a source file; of several, the nearest in the tree."""
    by_name, folders = snapshot.tree.by_name, set(path.split("/")[:-1])
    named = [each for name in names_of_tests(path) for each in by_name.get(name, ()) if is_test(each)]
    if not named:
        return None
    best = max(named, key=lambda each: len(folders.intersection(each.split("/"))))
    return next(file for file in snapshot.tree.files if file.path == best)


def near_best(ranked: Sequence[RankedFile]) -> Sequence[RankedFile]:
    """The ranked files, without those far below the first and without those compiled from another one."""
    least = NEAR_BEST_FILE * ranked[0].score if ranked else 0.0
    near = {one.file.path: one for one in ranked if one.score >= least}
    return [one for path, one in near.items() if near.keys().isdisjoint(originals_of(path))]


def file_items(snapshot: Snapshot, ranked: Sequence[RankedFile], places: Places) -> Iterator[CandidateItem]:
    """Further files, by path: the tests of the first places, then the ranked files.

    If there is room, the first ranked source files have the lines of their best definition.
    """
    shown = {rendering.item.path for place in places.items for rendering in place.renderings}
    near = near_best(ranked)
    least_source = NEAR_BEST_SOURCE * near[0].score if near else 0.0
    known = {one.file.path for one in near[:FIRST_FILES]}
    sources = [one.file.path for one in near if one.file.role is Role.SOURCE and visible_path(one.file.path) in shown]
    tests = [test for each in sources[:TESTED_FILES] if (test := _test_of(snapshot, each)) and test.path not in known]
    for at, test in enumerate(dict.fromkeys(tests)):
        rendering = file_rendering(test, 0.0, ("tests of a place",))
        if rendering.item.path not in shown:
            shown.add(rendering.item.path)
            yield CandidateItem(*order.FILE.nth(-1 - at), (rendering,), is_listed=True)
    first = len(shown) + FIRST_FILES
    for at, one in enumerate(near):
        plain = file_rendering(one.file, one.score, one.why)
        if plain.item.path not in shown and (one.file.role is not Role.SOURCE or one.score >= least_source):
            row = order.FILE if len(shown) < first else order.FURTHER_FILE
            is_narrowed = row is order.FILE and one.file.role is Role.SOURCE  # in tests and documents, rarely right
            within = places.further.get(one.file.path) if is_narrowed else None
            whole = file_rendering(one.file, one.score, one.why, within)
            shown.add(plain.item.path)
            yield CandidateItem(*row.nth(at), (whole, plain) if within else (plain,), is_listed=True)
