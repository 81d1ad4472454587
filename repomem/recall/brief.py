"""The brief for a task, from the question to the markdown.

    question -> evidence -> ranking -> relevance gate -> places and memories -> candidate items -> choose and render

Other repositories add candidate items of their own: see `recall.other_repositories`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from repomem.brief.items import CandidateItem, Draft, of_kinds
from repomem.brief.other_repositories import (
    NO_OTHERS,
    OtherAnswers,
    OtherRepository,
    other_items,
    titles_of,
    with_others,
)
from repomem.brief.render import brief_of
from repomem.brief.sections import TITLES, Section
from repomem.core.secrets.redact import redact
from repomem.core.text.escape import code, one_line
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.words import whole
from repomem.core.types.brief import Brief, Gate
from repomem.core.types.commits import Episode
from repomem.history.change_history import change_history_of
from repomem.history.episodes import match_history
from repomem.items.answering_commit import answering_commit
from repomem.items.decisions import decision_items
from repomem.items.facts import fact_items, learned_items, warning_items, without_corrected
from repomem.items.history import RelevantHistory, co_change_items, history_items, registration_items
from repomem.items.memories import MemoryItems, memory_items
from repomem.items.places import Places
from repomem.items.session_notes import note_items
from repomem.items.sessions import session_items
from repomem.items.task_context import TaskContext
from repomem.memories.consolidate.recall_counts import spool_recall
from repomem.memories.snapshots.snapshot import MemorySnapshot, memories_in
from repomem.profile.nested_package import facts_by_package
from repomem.profile.profile import corrections_in, facts_in
from repomem.ranking.query import Query, absent_words
from repomem.ranking.rank import ranked_files
from repomem.ranking.relevance_gate import relevance_gate
from repomem.ranking.signals import RECALL
from repomem.recall.locations import file_items, places_for
from repomem.recall.request import BriefRequest
from repomem.recall.search import Ranking, begin_search, evidence_for, is_likeness_known
from repomem.workspace.identity import state_of
from repomem.workspace.snapshot import ALWAYS, Snapshot

TITLE_LENGTH = 80
FILES = 10  # most that are named: of 827 after the tenth, the commit changed four
COMMITS = 1  # that match the task, if code does too
ABSENT_WORDS_NAMED = 6
FACTS_FOR_TASK = ("runtime", "test", "one test", "lint", "generate", "quoted")  # the map has the rest
TITLES_IF_UNSURE = {**TITLES, Section.PLACES: "## Where to look (weak matches: right about half of the time)"}
ONLY_MEMORIES = "Only memories match this task."
ONLY_A_COMMIT = "Only a commit message matches this task."
NO_COMMIT_THEN = "No matching commit is in this date range."
_NAME = lazy_pattern(r"(?!\d+\b)\w+")  # a number that is nowhere says nothing
_WRITTEN_AS_CODE = lazy_pattern(r"\b(?:[A-Za-z]\w*_\w+|\w*[a-z][A-Z]\w*|[A-Z][A-Z0-9]{4,})\b")
NONE_OF_KINDS = "Nothing of the requested kinds matches this task."
SHOWN_AT_START = frozenset(["warning", "profile", "session", "file"])


@dataclass(frozen=True, slots=True)
class TaskMatches:
    """One repository's matches for a task, before the brief selects from them."""

    ranking: Ranking
    has_code: bool  # lines of code among the places
    places: Places
    known: MemorySnapshot
    context: TaskContext
    memories: MemoryItems

    @property
    def gate(self) -> Gate:
        """Whether the repository's code is relevant to the task."""
        return self.ranking.gate


def recall(
    snapshot: Snapshot, ask: BriefRequest, warnings: Sequence[str] = (), answers: OtherAnswers = NO_OTHERS
) -> Brief:
    """The brief for a task; `warnings` report what is not indexed here, `answers` are those of other repositories."""
    others = answers.repositories
    matches = matches_for(snapshot, ask, has_code=ask.known is None)  # a short addition names more places instead
    answer = answering_commit(snapshot, matches.ranking.past, matches.context)
    candidates = [
        *warning_items((*warnings, *answers.warnings)),
        *_candidates(snapshot, matches, answer),
        *other_items(others),
    ]
    candidates = [each for each in of_kinds(candidates, ask.kinds) if ask.window.holds_item(each.item.date)]
    if ask.known is None:
        first_line, _, _ = matches.ranking.query.text.strip().partition("\n")
        title = f"## Task: {one_line(first_line, TITLE_LENGTH)}"
        closing = tuple(_closing(snapshot, matches, answer, is_whole=not warnings))
        if ask.kinds and matches.gate.state != "none" and all(each.kind == "warning" for each in candidates):
            closing = (NONE_OF_KINDS,)
        titles = TITLES if matches.gate.state == "use" else TITLES_IF_UNSURE
        draft = Draft(title, tuple(candidates), closing, titles, titles_of(others))
    else:
        draft = new_items_draft(candidates, ask.known)
    state = state_of(snapshot.workspace, snapshot.worktree)
    brief = brief_of(
        draft, state, matches.ranking.query.text, ask.budget, _gate_of_brief(matches, answer, others, warnings)
    )
    if snapshot.past is None and ask.is_counted:
        spool_recall(snapshot.workspace, matches.memories.shown_in(brief))
    brief = with_others(brief, others)
    if not ask.is_explained:
        return brief
    from repomem.recall.explanation import explained

    return explained(snapshot.workspace, brief, matches.known, matches.context, matches.memories, ask.kinds)


def matches_for(snapshot: Snapshot, ask: BriefRequest, *, has_code: bool = True) -> TaskMatches:
    """The files, places and memories for a task, and whether they are relevant; `has_code` adds lines of code."""
    ranking = _ranking(snapshot, ask)
    is_unrelated = ranking.gate.state == "none"
    places = Places() if is_unrelated else places_for(snapshot, ranking, ask.budget, has_code=has_code)
    files = [] if is_unrelated else [one.file.path for one in ranking.ranked[:FILES]]
    symbols = [f"{place.item.path}:{place.item.symbol}" for place in places.items if place.item.symbol]
    words, is_weak = snapshot.view.file_words, ranking.gate.state != "use"
    context = TaskContext(ranking.query, files, symbols, ask.scope.path, ask.window, words, is_weak)
    known = memories_in(snapshot, ask.window.until)
    memories = memory_items(snapshot.workspace, known, context)
    if not memories.count and ask.window != ALWAYS:
        of_all_days = memories_in(snapshot).outlines.where(is_shown=bool).here
        memories = replace(memories, in_other_days=len(of_all_days))
    return TaskMatches(ranking, has_code, places, known, context, memories)


def _ranking(snapshot: Snapshot, ask: BriefRequest) -> Ranking:
    query = Query(redact(ask.text))
    begun = begin_search(snapshot, query, ask.scope)
    past = match_history(snapshot, query, ask.window)
    evidence = evidence_for(snapshot, query, ask.scope, past, begun)
    ranked = ranked_files(query, evidence, RECALL)
    best = [one.file for one in ranked]
    likeness = is_likeness_known(snapshot.workspace)
    return Ranking(
        query, evidence, past, ranked, relevance_gate(query, evidence, best, past.coverage, is_likeness_known=likeness)
    )


def _candidates(snapshot: Snapshot, matches: TaskMatches, answer: Episode | None) -> Iterator[CandidateItem]:
    """All that the repository's own part of the brief may show; without relevant code neither places nor commits."""
    workspace, query, known = snapshot.workspace, matches.ranking.query, matches.known
    state = state_of(workspace, snapshot.worktree)
    yield from matches.memories.items
    yield from session_items(workspace, known, state.head, state.branch, query)
    yield from note_items(workspace, known, query, state.head)
    yield from decision_items(snapshot, matches.context)
    corrections = corrections_in(known.events)
    is_change = matches.gate.state != "none"
    yield from learned_items(snapshot.worktree, known, corrections, query.text, is_change=is_change)
    if matches.gate.state == "none":
        history = RelevantHistory(matches.ranking.past, 0, answer)
        yield from history_items(change_history_of(snapshot), query, history, Places())
        facts = without_corrected(facts_in(snapshot.worktree), corrections)
        yield from islice(fact_items(facts, ("quoted",), matches.context), 1)
        return
    places, record = matches.places.items, change_history_of(snapshot)
    best = next((one.file.path for one in matches.ranking.ranked), "")
    of_package, others = facts_by_package(snapshot, facts_in(snapshot.worktree), best)
    facts = without_corrected([*of_package, *others], corrections)
    yield from fact_items(facts, FACTS_FOR_TASK, matches.context, of_package)
    yield from places
    yield from file_items(snapshot, matches.ranking.ranked[:FILES], matches.places)
    if matches.has_code:
        yield from co_change_items(record, places)
        yield from registration_items(snapshot, query, places)
    history = RelevantHistory(matches.ranking.past, COMMITS, answer)
    yield from history_items(record, query, history, matches.places)


def new_items_draft(candidates: Iterable[CandidateItem], known: frozenset[str]) -> Draft:
    """The items not yet shown to a session, by short or whole id, without kinds that belong in its first brief."""
    others = (each for each in candidates if each.kind not in SHOWN_AT_START)
    new = [each for each in others if known.isdisjoint({each.item.id, each.item.whole_id} - {""})]
    return Draft("", tuple(new))


def _gate_of_brief(
    matches: TaskMatches, answer: Episode | None, others: Sequence[OtherRepository], warnings: Sequence[str]
) -> Gate:
    """The verdict on the whole brief: a relevant memory or another repository opens the gate too.

    Unindexed parts may be relevant, so an incomplete index never closes the gate.
    """
    gate = matches.gate
    if gate.state == "none" and matches.memories.is_relevant:
        return Gate("use", "a memory is relevant, though no code is")
    if gate.state == "none" and answer:
        gate = Gate("limited", "a commit message is relevant, though no code is")
    if gate.state == "none" and warnings:
        gate = Gate("limited", "nothing indexed so far is relevant")
    if gate.state != "use" and others:
        names = " and ".join(each.name for each in others)
        here = "nothing" if gate.state == "none" else "little"
        return Gate("use", f"{here} in this repository matches, but {names} does")
    return gate


def _closing(snapshot: Snapshot, matches: TaskMatches, answer: Episode | None, *, is_whole: bool) -> Iterator[str]:
    gate, memories = matches.gate, matches.memories
    if gate.state == "none" and not is_whole:
        yield "Nothing relevant found in the part indexed so far."
        yield memories.closing
        return
    query = matches.ranking.query
    absent = absent_words(query, snapshot.view.file_words, snapshot.history.words) if gate.state != "use" else []
    if gate.state == "none" and not memories.is_relevant and not answer:
        nowhere = _contains_no(_written_as(_NAME.findall(query.text), absent))
        yield f"Nothing clearly relevant found. {nowhere or f'{gate.why.capitalize()}.'}"
        yield "Repository map: `repomem recall`."
        if memories.count:
            yield memories.closing
        return
    if gate.state == "none" and not answer:
        yield ONLY_MEMORIES
    elif gate.state == "none" and not memories.is_relevant:
        yield ONLY_A_COMMIT
    if matches.context.window != ALWAYS and not matches.ranking.past.scored:
        yield NO_COMMIT_THEN
    if is_whole:
        yield _contains_no(_written_as(_WRITTEN_AS_CODE.findall(query.text), absent))
    yield memories.closing


def _written_as(names: Iterable[str], absent: Sequence[str]) -> list[str]:
    """The names that are absent words, as the task wrote them."""
    return [name for name in dict.fromkeys(names) if whole(name) in absent]


def _contains_no(absent: Sequence[str]) -> str:
    names = " or ".join(map(code, absent[:ABSENT_WORDS_NAMED]))
    return f"No file or commit message contains {names}." if names else ""
