"""The brief for a task: the order in which data is read.

question -> gather, score, fuse, rank (retrieve) -> offers -> choose and render within the budget (brief)
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from repomem.brief.lines import code, episode_form, fact_form, file_form, place_forms, undoing_form
from repomem.brief.offers import Draft, Form, Offer, Section
from repomem.brief.render import brief_of
from repomem.core.escape import one_line
from repomem.core.redact import redact
from repomem.core.types import Brief, BriefItem, Fact, Gate, Hit
from repomem.operations.distilled import distilled_offers
from repomem.operations.episodes import Past, past_of, told
from repomem.operations.identity import state_of
from repomem.operations.memory_offers import Offered, Task, memory_offers
from repomem.operations.mined import mined_offers
from repomem.operations.places import remembered_in
from repomem.operations.question import knows_likeness
from repomem.operations.reading import ALWAYS, EVERYWHERE, Scope, Snapshot, Window
from repomem.operations.recalls import spool_recall
from repomem.operations.search import evidence_for
from repomem.operations.session_offers import session_offers
from repomem.operations.session_tried import tried_offers
from repomem.operations.undone import retold, setbacks_for
from repomem.retrieve.gate import gate
from repomem.retrieve.gather import Evidence
from repomem.retrieve.places import best_site, snippet
from repomem.retrieve.query import Query, absent_words
from repomem.retrieve.rank import Ranked, hits, ranked_files
from repomem.retrieve.signals import RECALL, Weights

TITLE_LENGTH = 140
PLACES_PER_FILE = 2  # what else a file holds is seen when it is opened
PLACES_TOLD = 4  # with the first words of their docstring
FIRST_FILES = 8  # paths that find room before further episodes
QUOTATIONS = 3  # of the policy files; the map has them all
NAMED_ABSENT = 6  # words that stand nowhere, named where nothing bears on the task
FACTS_FOR_TASK = ("runtime", "test", "lint", "ci", "quoted")  # the rest is what the map is for
UNSURE = "Little here speaks of this task: these are the nearest places, and may be none of it."
TOLD_AT_START = frozenset(["warning", "profile", "session", "file"])
RANK = {"warning": 0, "fact": 10, "place": 20, "episode": 22, "undone": 23, "quoted": 28, "first files": 25, "file": 40}


@dataclass(frozen=True, slots=True)
class Amount:
    """How much is told, room permitting."""

    places: int  # with spans; more files follow by their paths
    files: int  # named at all
    episodes: int
    has_code: bool  # lines of the first place, and what the docstrings of the first ones say


WHOLE = Amount(places=10, files=30, episodes=7, has_code=True)
IF_UNSURE = Amount(places=5, files=10, episodes=3, has_code=False)  # where little speaks of the task


@dataclass(frozen=True, slots=True)
class Ask:
    """What to recall."""

    text: str
    budget: int
    scope: Scope = EVERYWHERE
    window: Window = ALWAYS
    at: str = ""  # a revision that is looked at as if it were now; empty: the work tree
    is_indexed: bool = False  # what that revision has and the index lacks is indexed first
    kinds: frozenset[str] = frozenset()  # of items; empty: all
    known: frozenset[str] | None = None  # ids that the session was shown: only what is new is told, and briefly
    weights: Weights = RECALL


def recall(snapshot: Snapshot, ask: Ask, warnings: Sequence[str] = ()) -> Brief:
    """The brief for a task; `warnings` say what the index lacks."""
    text = redact(ask.text)
    query = Query(text)
    past = past_of(snapshot, query, ask.window)
    evidence = evidence_for(snapshot, query, ask.scope, past)
    ranked = ranked_files(query, evidence, ask.weights)
    best = [one.file for one in ranked]
    opened = gate(query, evidence, best, past.coverage, is_likeness_known=knows_likeness(snapshot.workspace))
    offers = list(warning_offers(warnings))
    amount = WHOLE if opened.state == "use" else IF_UNSURE
    places = [] if opened.state == "none" else list(_places(snapshot, query, evidence, ask, amount))
    known = remembered_in(snapshot)
    state = state_of(snapshot.workspace, snapshot.worktree)
    task = _task(query, ask, ranked, places)
    memories = memory_offers(snapshot.workspace, known, task)
    offers += [*memories.offers, *session_offers(snapshot.workspace, known, state.head, state.branch)]
    offers += [*tried_offers(snapshot.workspace, known, query, state.head), *mined_offers(snapshot, task)]
    if opened.state == "none":
        offers += list(_facts(facts_of(snapshot), ("quoted",)))[:1]
    else:
        offers += _facts(facts_of(snapshot), FACTS_FOR_TASK)
        offers += [*places, *_files(ranked[: amount.files], places)]
        offers += _happened(snapshot, query, past, places, amount.episodes)
        offers += distilled_offers(snapshot, known, [place.forms[0].item.path for place in places])
    if opened.state == "none" and memories.bears:
        opened = Gate("use", "a memory bears on it, though no code does")
    offers = [offer for offer in offers if not ask.kinds or offer.kind in {*ask.kinds, "warning"}]
    if ask.known is None:
        title = f"## Task: {one_line(text, TITLE_LENGTH)}"
        draft = Draft(title, tuple(offers), tuple(_closing(snapshot, query, opened, memories)))
    else:
        draft = draft_of_new(offers, ask.known)
    brief = brief_of(draft, state, text, ask.budget, opened)
    if snapshot.past is None:
        spool_recall(snapshot.workspace, memories.shown_in(brief))
    return brief


def draft_of_new(offers: Iterable[Offer], known: frozenset[str]) -> Draft:
    """What a session was not shown yet: without the facts and sessions that its first brief had."""
    new = [offer for offer in offers if offer.kind not in TOLD_AT_START and offer.forms[0].item.id not in known]
    return Draft("", tuple(new))


def _task(query: Query, ask: Ask, ranked: Sequence[Ranked], places: Sequence[Offer]) -> Task:
    """What the memories need to know of the question."""
    symbols = frozenset(f"{place.forms[0].item.path}:{place.forms[0].item.symbol}" for place in places)
    return Task(query, [one.file.path for one in ranked[: WHOLE.files]], symbols, ask.scope.path, ask.window)


def facts_of(snapshot: Snapshot) -> list[Fact]:
    """The facts of the repository that were read when it was indexed."""
    return [Fact(**fact) for fact in json.loads(snapshot.worktree.facts)]


def warning_offers(texts: Sequence[str]) -> Iterator[Offer]:
    """What the index lacks, at the head of a brief."""
    for at, text in enumerate(texts):
        item = BriefItem(kind="warning", text=text)
        yield Offer(Section.HEAD, RANK["warning"] + at / 100, (Form(f"Warning: {text}", item),))


def _facts(facts: Sequence[Fact], slots: Sequence[str]) -> Iterator[Offer]:
    quotations = [fact for fact in facts if fact.slot == "quoted"]
    for at, fact in enumerate(facts):
        if fact.slot in slots and fact not in quotations[QUOTATIONS:]:
            rank = RANK["quoted" if fact.slot == "quoted" else "fact"]
            yield Offer(Section.HOLDS, rank + at / 100, (fact_form(fact),))


def _places(snapshot: Snapshot, query: Query, evidence: Evidence, ask: Ask, amount: Amount) -> Iterator[Offer]:
    """The best spans of the best files, one symbol only once."""
    spans: set[tuple[str, int, int]] = set()
    of_file: Counter[str] = Counter()
    is_shown_code = amount.has_code and ask.known is None  # the few tokens of an addition are for more places
    told = PLACES_TOLD if amount.has_code else 0
    for hit in hits(query, evidence, ask.weights, snapshot.code(snapshot.corpus(ask.scope)), 2 * amount.places):
        site = best_site(query, hit.chunk)
        span = (hit.file.path, site.start_line, site.end_line) if site else _span(hit)
        if span in spans or of_file[hit.file.path] == PLACES_PER_FILE or len(spans) == amount.places:
            continue
        first_line, lines = snippet(query, hit.chunk, site) if is_shown_code and not spans else (0, ())
        shown = hit if len(spans) < told else replace(hit, chunk=hit.chunk._replace(docstring=""))
        forms = place_forms(shown, site, lines, first_line, is_first=not spans)
        yield Offer(Section.WHERE, RANK["place"] + len(spans) / 2, tuple(forms), is_numbered=True)
        spans.add(span)
        of_file[hit.file.path] += 1


def _files(ranked: Sequence[Ranked], places: Sequence[Offer]) -> Iterator[Offer]:
    """The files that follow, by their paths."""
    shown = {form.item.path for place in places for form in place.forms}
    for at, one in enumerate(ranked):
        form = file_form(one.file, one.score, one.why)
        if form.item.path not in shown:
            rank = RANK["first files"] if len(shown) < len(places) + FIRST_FILES else RANK["file"]
            shown.add(form.item.path)
            yield Offer(Section.WHERE, rank + at / 100, (form,), is_listed=True)


def _span(hit: Hit) -> tuple[str, int, int]:
    return hit.file.path, hit.chunk.start_line, hit.chunk.end_line


def _happened(snapshot: Snapshot, query: Query, past: Past, places: Sequence[Offer], most: int) -> Iterator[Offer]:
    """The commits that bear on the task, then what came to nothing at the places that come first."""
    lines = told(snapshot, past, most)
    first = [(place.forms[0].item.path, place.forms[0].item.symbol) for place in places]
    found = setbacks_for(snapshot, query, first, lines)
    for at, one in enumerate(retold(lines, found)):
        form = episode_form(one.episode, one.score, one.state, kind=one.kind)
        yield Offer(Section.HAPPENED, RANK["episode"] + 2 * at, (form,))
    beside = [each for each in found if each.before.commit not in {one.episode.commit for one in lines}]
    for at, each in enumerate(beside):
        form = undoing_form(each.undoing, each.before, each.after)
        yield Offer(Section.HAPPENED, RANK["undone"] + 2 * at, (form,))


def _closing(snapshot: Snapshot, query: Query, opened: Gate, memories: Offered) -> Iterator[str]:
    if opened.state == "none":
        absent = absent_words(query, snapshot.view.file_words, snapshot.history.words)[:NAMED_ABSENT]
        named = ", ".join(map(code, absent))
        stands = f"{named} stand{'' if len(absent) > 1 else 's'} in no file and in no commit message."
        yield f"Nothing here bears on this task. {stands if absent else opened.why.capitalize() + '.'}"
        yield "For the map of the repository: `repomem recall`."
    else:
        if opened.state == "limited":
            yield UNSURE
        yield f"{memories.absent} for this task." if memories.absent else ""
