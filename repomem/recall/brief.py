"""The brief for a task: the order in which data is read.

question -> gather, score, fuse, rank (retrieve) -> offers -> choose and render within the budget (brief)

What other repositories say of the task comes in beside it, as offers: see `recall.other_repositories`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from repomem.brief.items import Draft, Offer, Section
from repomem.brief.lines import code, episode_form, siblings_form, undoing_form
from repomem.brief.other_repositories import Elsewhere, offers_of, titles_of, with_others
from repomem.brief.render import brief_of
from repomem.core.escape import one_line
from repomem.core.secrets.redact import redact
from repomem.core.types import Brief, Gate
from repomem.history.change_history import ChangeHistory, change_history_of
from repomem.history.episodes import HistoryMatches, RelatedEpisode, episodes_by_commit, match_history, related_episodes
from repomem.history.failed_attempts import FailedAttempt, failed_attempts_for, with_failed_attempts
from repomem.history.similar_edit_search import SimilarEditSearch, begin_similar_edits, similar_edits_for
from repomem.items.co_change import together_for
from repomem.items.decisions import mined_offers
from repomem.items.facts import fact_offers, facts_of, of_kinds, warning_offers
from repomem.items.failed_attempts import tried_offers
from repomem.items.memories import Offered, Task, memory_offers
from repomem.items.sessions import session_offers
from repomem.memories.consolidate.recall_counts import spool_recall
from repomem.memories.consolidate.stored_facts import distilled_offers
from repomem.memories.snapshot import MemorySnapshot, memories_in
from repomem.ranking.query import Query, absent_words
from repomem.ranking.rank import RankedFile, ranked_files
from repomem.ranking.relevance_gate import gate
from repomem.ranking.signals import RECALL
from repomem.recall.locations import IF_UNSURE, WHOLE, Amount, Question, files_for, places_for
from repomem.recall.question_vector import knows_likeness
from repomem.recall.search import begin_search, evidence_for
from repomem.workspace.identity import state_of
from repomem.workspace.snapshot import ALWAYS, EVERYWHERE, Scope, Snapshot, Window

TITLE_LENGTH = 140
NAMED_ABSENT = 6  # words that stand nowhere, named where nothing bears on the task
FACTS_FOR_TASK = ("runtime", "test", "lint", "ci", "quoted")  # the rest is what the map is for
UNSURE = "Little here speaks of this task: these are the nearest places, and may be none of it."
UNSURE_HERE = "Little of this repository speaks of this task: its places are the nearest, and may be none of it."
TOLD_AT_START = frozenset(["warning", "profile", "session", "file"])
# Who finds room first: the lowest. Places and files have theirs in recall/locations.py.
RANK = {"siblings": 21.9, "episode": 22, "undone": 23}


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


@dataclass(frozen=True, slots=True)
class Found:
    """What one repository has on a task, before it is chosen what a brief tells."""

    query: Query
    past: HistoryMatches
    ranked: Sequence[RankedFile]
    gate: Gate
    amount: Amount
    places: Sequence[Offer]
    known: MemorySnapshot
    task: Task
    memories: Offered


def found_for(snapshot: Snapshot, ask: Ask, *, has_code: bool = True) -> Found:
    """The files, places and memories for a task, and whether they bear on it; without `has_code` no lines of code."""
    query = Query(redact(ask.text))
    code = begin_search(snapshot, query, ask.scope)
    past = match_history(snapshot, query, ask.window)
    evidence = evidence_for(snapshot, query, ask.scope, past, code)
    ranked = ranked_files(query, evidence, RECALL)
    best = [one.file for one in ranked]
    opened = gate(query, evidence, best, past.coverage, is_likeness_known=knows_likeness(snapshot.workspace))
    amount = WHOLE if opened.state == "use" else IF_UNSURE
    amount = amount if has_code else replace(amount, has_code=False)
    question = Question(query, evidence, past, ranked)
    places = list(places_for(snapshot, question, amount)) if opened.state != "none" else []
    known = memories_in(snapshot)
    task = _task(query, ask, ranked, places)
    memories = memory_offers(snapshot.workspace, known, task)
    return Found(query, past, ranked, opened, amount, places, known, task, memories)


def recall(snapshot: Snapshot, ask: Ask, warnings: Sequence[str] = (), others: Sequence[Elsewhere] = ()) -> Brief:
    """The brief for a task; `warnings` say what the index lacks, `others` are repositories that bear on it too."""
    # the few tokens of an addition are for more places
    found = found_for(snapshot, ask, has_code=ask.known is None)
    query, opened, places, known, memories = found.query, found.gate, found.places, found.known, found.memories
    offers = list(warning_offers(warnings))
    state = state_of(snapshot.workspace, snapshot.worktree)
    offers += [*memories.offers, *session_offers(snapshot.workspace, known, state.head, state.branch)]
    offers += [*tried_offers(snapshot.workspace, known, query, state.head), *mined_offers(snapshot, found.task)]
    if opened.state == "none":
        offers += list(fact_offers(facts_of(snapshot), ("quoted",)))[:1]
    else:
        offers += fact_offers(facts_of(snapshot), FACTS_FOR_TASK)
        offers += [*places, *files_for(found.ranked[: found.amount.files], places)]
        record = change_history_of(snapshot)
        offers += together_for(record, places) if found.amount.has_code else ()
        offers += _happened(record, query, found.past, places, found.amount.episodes)
        offers += distilled_offers(snapshot, known, [place.forms[0].item.path for place in places])
    if opened.state == "none" and memories.bears:
        opened = Gate("use", "a memory bears on it, though no code does")
    offers += offers_of(others)
    offers = of_kinds(offers, ask.kinds)
    if ask.known is None:
        title = f"## Task: {one_line(query.text, TITLE_LENGTH)}"
        closing = tuple(_closing(snapshot, query, opened, memories, UNSURE_HERE if others else UNSURE))
        draft = Draft(title, tuple(offers), closing, elsewhere=titles_of(others))
    else:
        draft = draft_of_new(offers, ask.known)
    if opened.state != "use" and others:
        little = "nothing" if opened.state == "none" else "little"
        opened = Gate("use", f"{' and '.join(each.name for each in others)} bears on it, though {little} here does")
    brief = with_others(brief_of(draft, state, query.text, ask.budget, opened), others)
    if snapshot.past is None:
        spool_recall(snapshot.workspace, memories.shown_in(brief))
    return brief


def draft_of_new(offers: Iterable[Offer], known: frozenset[str]) -> Draft:
    """What a session was not shown yet: without the facts and sessions that its first brief had."""
    new = [offer for offer in offers if offer.kind not in TOLD_AT_START and offer.forms[0].item.id not in known]
    return Draft("", tuple(new))


def _task(query: Query, ask: Ask, ranked: Sequence[RankedFile], places: Sequence[Offer]) -> Task:
    """What the memories need to know of the question."""
    symbols = frozenset(f"{place.forms[0].item.path}:{place.forms[0].item.symbol}" for place in places)
    return Task(query, [one.file.path for one in ranked[: WHOLE.files]], symbols, ask.scope.path, ask.window)


def _happened(
    record: ChangeHistory, query: Query, past: HistoryMatches, places: Sequence[Offer], most: int
) -> Iterator[Offer]:
    """What was changed alike here and elsewhere, the commits that bear on the task, and what came to nothing here."""
    sought = begin_similar_edits(
        record, [place.forms[0].item for place in sorted(places, key=lambda offer: offer.position)]
    )
    lines = related_episodes(record.snapshot, past, most)
    first = [(place.forms[0].item.path, place.forms[0].item.symbol) for place in places]
    found = failed_attempts_for(record, query, first, lines)
    alike = list(_changed_alike(query, sought, lines))
    yield from alike
    again = {offer.forms[0].item.commit for offer in alike}
    for at, one in enumerate(with_failed_attempts(lines, found)):
        if one.kind == "tried" or one.episode.commit not in again:
            form = episode_form(one.episode, one.score, one.state, kind=one.kind)
            yield Offer(Section.HAPPENED, RANK["episode"] + 2 * at, (form,))
    told_of = {one.episode.commit for one in lines}
    beside: dict[str, FailedAttempt] = {}
    for each in found:
        if each.before.commit not in told_of:
            beside.setdefault(each.before.commit, each)
    for at, each in enumerate(beside.values()):
        form = undoing_form(each.undoing, each.before, each.after)
        yield Offer(Section.HAPPENED, RANK["undone"] + 2 * at, (form,))


def _changed_alike(query: Query, sought: SimilarEditSearch, lines: Sequence[RelatedEpisode]) -> Iterator[Offer]:
    """The lines elsewhere that a commit changed in the same way as a line of a place."""
    found = similar_edits_for(query, sought, [one.episode.commit for one in lines])
    episodes = episodes_by_commit(sought.history.snapshot, [one.commit for one in found])
    for at, one in enumerate(found):
        if one.commit in episodes:
            form = siblings_form(episodes[one.commit], one.siblings, one.spots, one.later)
            yield Offer(Section.HAPPENED, RANK["siblings"] + at / 100, (form,))


def _closing(snapshot: Snapshot, query: Query, opened: Gate, memories: Offered, unsure: str) -> Iterator[str]:
    if opened.state == "none":
        absent = absent_words(query, snapshot.view.file_words, snapshot.history.words)[:NAMED_ABSENT]
        named = ", ".join(map(code, absent))
        stands = f"{named} stand{'' if len(absent) > 1 else 's'} in no file and in no commit message."
        yield f"Nothing here bears on this task. {stands if absent else opened.why.capitalize() + '.'}"
        yield "For the map of the repository: `repomem recall`."
    else:
        if opened.state == "limited":
            yield unsure
        yield f"{memories.absent} for this task." if memories.absent else ""
