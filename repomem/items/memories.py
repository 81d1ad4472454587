"""Candidate items for memories: rules in scope, relevant memories, open threads, and attempts on other branches.

Confirmed memories come first. Unconfirmed ones, and those whose code has changed, come last and are never shown as
fact.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from repomem.adapters.ledger.trusted_writers import is_stranger
from repomem.brief import order
from repomem.brief.items import CandidateItem
from repomem.brief.lines import code
from repomem.brief.memories import memory_renderings, status_note
from repomem.brief.order import OrderRow
from repomem.core.escape import one_line
from repomem.core.records import Memory, MemoryKind, Source
from repomem.core.scopes import matches
from repomem.core.tokens import count_tokens
from repomem.core.types.brief import Brief, BriefItem
from repomem.core.types.commits import short_hash
from repomem.memories.pinned import PINNED_TOKENS, pinned_names
from repomem.memories.search_documents import documents_of
from repomem.memories.snapshot import MemorySnapshot
from repomem.memories.status import AnchorLocation, MemoryState, Status, Visibility, is_everywhere
from repomem.memories.wording import same_text
from repomem.ranking.memories import MemoryMatch, matching_memories
from repomem.ranking.query import Query
from repomem.workspace.snapshot import ALWAYS, Window
from repomem.workspace.workspace import Workspace

RULES = 8
GENERAL_RULES = 3  # without a scope, shown before the relevant memories; further ones after these
TRUSTED = 6  # decisions, gotchas and facts for the task
UNCONFIRMED = 3  # provisional and drifted ones
THREADS = 3
BRANCH_ATTEMPTS = 2
RULE_FILES = 5  # of the best: a rule for other paths is none for this task
HOLDING = ("current", "moved")  # the statuses of what may be shown as true
PER_AUTHOR = 2  # unconfirmed memories of one agent or one untrusted writer


@dataclass(frozen=True, slots=True)
class TaskContext:
    """The question of a brief, and the files and symbols that it points at, best first."""

    query: Query | None  # None: the map of the repository
    files: Sequence[str] = ()
    symbols: frozenset[str] = frozenset()  # "path:qualified"
    folder: str = ""  # the question is limited to it
    window: Window = ALWAYS


@dataclass(frozen=True, slots=True)
class MemoryItems:
    """The candidate items for memories, and the ids of these memories."""

    items: tuple[CandidateItem, ...]
    ids: frozenset[str]
    is_relevant: bool  # whether one of them is relevant to the question by itself

    def shown_in(self, brief: Brief) -> list[str]:
        """The ids of those that fit in a brief."""
        shown = [item.id for item in brief.items if not item.repository]
        return [name for name in sorted(self.ids) if any(each and name.startswith(each) for each in shown)]

    @property
    def missing(self) -> str:
        """Which of rule, decision and open thread there is none of, as a sentence; empty if there is one of each."""
        kinds = {candidate.kind for candidate in self.items}
        names = {"rule": "rule", "decision": "decision", "thread": "open thread"}
        missing = [name for kind, name in names.items() if kind not in kinds]
        if not missing:
            return ""
        *first, last = missing
        return f"No {', '.join(first)}{' or ' if first else ''}{last} is recorded"


def memory_items(workspace: Workspace, known: MemorySnapshot, task: TaskContext) -> MemoryItems:
    """The memories for a task, or for the repository as a whole."""
    shown = {name: one for name, one in known.states.items() if _may_be_shown(one, task)}
    here = {name: one for name, one in shown.items() if one.visibility is Visibility.HERE}
    elsewhere = {name: one for name, one in shown.items() if one.visibility is Visibility.TRIED}
    relevant = _relevant(workspace, {**here, **elsewhere}, task)
    pinned = _pinned_items(known, here)
    pins = frozenset(source for candidate in pinned for source in candidate.sources)
    here = {name: one for name, one in here.items() if name not in pins}
    rules = _rules(here, relevant, task)
    general = [name for name in rules if name not in relevant and not here[name].memory.said.scope]
    scoped = [name for name in rules if name not in general][:RULES]
    general = general[: RULES - len(scoped)]
    threads = [name for name in _threads(here, relevant, task) if name not in rules]
    untrusted_threads = [name for name in threads if _is_untrusted(known, name)]
    threads = [name for name in threads if name not in untrusted_threads]
    others = [name for name in relevant if name in here and name not in rules]
    others = [name for name in others if here[name].memory.said.kind is not MemoryKind.THREAD]
    trusted = [name for name in others if here[name].is_fact]
    unconfirmed = [name for name in others if not here[name].is_fact]
    unconfirmed = sorted([*unconfirmed, *untrusted_threads], key=list(relevant).index)
    attempts = [name for name in relevant if name in elsewhere and not _is_untrusted(known, name)]
    chosen = (
        *pinned,
        *_candidates(known, scoped, order.RULE),
        *_candidates(known, general[:GENERAL_RULES], order.GENERAL_RULE),
        *_candidates(known, trusted[:TRUSTED], order.TRUSTED_MEMORY),
        *_candidates(known, general[GENERAL_RULES:], order.FURTHER_GENERAL_RULE),
        *_candidates(known, _capped(here, unconfirmed)[:UNCONFIRMED], order.UNCONFIRMED_MEMORY),
        *_candidates(known, threads[:THREADS], order.THREAD),
        *_branch_attempts(known, attempts[:BRANCH_ATTEMPTS]),
    )
    ids = frozenset(source for candidate in chosen for source in candidate.sources)
    is_relevant = any(name in relevant for name in (*pins, *trusted, *unconfirmed, *threads, *rules))
    return MemoryItems(chosen, ids, is_relevant)


def _may_be_shown(one: MemoryState, task: TaskContext) -> bool:
    return one.is_shown and one.visibility is not Visibility.NOT_YET and task.window.holds(one.memory.origin.at)


def item_of(known: MemorySnapshot, one: MemoryState, relevance: MemoryMatch | None = None) -> BriefItem:
    """A memory as an item of the JSON contract, without its text."""
    placed = first_place(one)
    where = "everywhere" if is_everywhere(one.memory) else one.memory.origin.branch
    return BriefItem(
        kind=_kind(known, one).value,
        id=known.short_id(one.memory.id),
        path=placed.path if placed else "",
        symbol=placed.symbol if placed else "",
        start_line=placed.start_line if placed else 0,
        end_line=placed.end_line if placed else 0,
        status=one.status.value,
        status_commit=one.commit,
        visible_on=where,
        score=relevance.score if relevance else 0.0,
        why=relevance.why if relevance else (),
    )


def _is_untrusted(known: MemorySnapshot, name: str) -> bool:
    """Whether its writer is not trusted here."""
    return is_stranger(known.states[name].memory.origin, known.history.trusted)


def _kind(known: MemorySnapshot, one: MemoryState) -> MemoryKind:
    """The kind that it is shown as: a rule of an untrusted writer is only a fact."""
    kind = one.memory.said.kind
    return MemoryKind.FACT if kind is MemoryKind.RULE and _is_untrusted(known, one.memory.id) else kind


def first_place(one: MemoryState) -> AnchorLocation | None:
    """The first anchor whose code still exists."""
    return next((each for each in one.locations if each.path), None)


def _relevant(workspace: Workspace, shown: Mapping[str, MemoryState], task: TaskContext) -> dict[str, MemoryMatch]:
    """The relevant ones, best first; for the map all of them, the most important first.

    Confirmed memories are also scored among themselves: many unconfirmed ones would make each of their words common.
    """
    if task.query:
        documents = documents_of(workspace, shown)
        confirmed = [each for each in documents if shown[each.id].is_fact]
        scored = matching_memories(task.query, documents, task.files, task.symbols)
        best = (
            matching_memories(task.query, confirmed, task.files, task.symbols)
            if len(confirmed) < len(documents)
            else scored
        )
        unconfirmed = [one for one in scored if not shown[one.id].is_fact]
        return {one.id: one for one in sorted({*best, *unconfirmed}, key=lambda one: (-one.score, one.id))}
    ordered = sorted(shown, key=lambda name: (-shown[name].memory.said.importance, name))
    return {name: MemoryMatch(name, 0.0, 1.0, ()) for name in ordered}


def _rules(here: Mapping[str, MemoryState], relevant: Mapping[str, MemoryMatch], task: TaskContext) -> list[str]:
    """The confirmed rules in scope of the task, the relevant ones first."""
    rules = [name for name, one in here.items() if one.memory.said.kind is MemoryKind.RULE and one.is_fact]
    in_scope = [name for name in rules if _is_in_scope(here[name], relevant, task)]
    place = {name: at for at, name in enumerate(relevant)}
    return sorted(in_scope, key=lambda name: (place.get(name, len(place)), -here[name].memory.said.importance, name))


def _is_in_scope(one: MemoryState, relevant: Mapping[str, MemoryMatch], task: TaskContext) -> bool:
    said = one.memory.said
    if task.query is None or (one.memory.id in relevant and not said.scope):
        return True
    paths = [*task.files[:RULE_FILES], *task.query.paths, *([task.folder] if task.folder else [])]
    if said.scope:
        return any(matches(glob, path) for glob in said.scope for path in paths)
    return not said.anchors or any(each.path in paths for each in one.locations)


def _threads(here: Mapping[str, MemoryState], relevant: Mapping[str, MemoryMatch], task: TaskContext) -> list[str]:
    """The relevant open threads; for the map all, the newest first."""
    threads = [name for name, one in here.items() if one.memory.said.kind is MemoryKind.THREAD]
    if task.query:
        return [name for name in relevant if name in threads]
    return sorted(threads, reverse=True)


def _capped(here: Mapping[str, MemoryState], names: Iterable[str]) -> list[str]:
    """The first few of each agent or writer: unconfirmed memories must not fill a brief."""
    kept: list[str] = []
    of_author: Counter[str] = Counter()
    for name in names:
        origin = here[name].memory.origin
        author = origin.writer or origin.author  # a writer may choose any author name
        of_author[author] += 1
        if of_author[author] <= PER_AUTHOR:
            kept.append(name)
    return kept


def _candidates(known: MemorySnapshot, names: Sequence[str], row: OrderRow, label: str = "") -> Iterator[CandidateItem]:
    shown: list[Memory] = []
    for at, name in enumerate(names):
        one = known.states[name]
        if any(same_text(one.memory.said.text, other.said.text) for other in shown):
            continue  # the same text twice, from two branches that were merged
        shown.append(one.memory)
        item = item_of(known, one)
        renderings = memory_renderings(one.memory, item, label=label + label_of(item), note=_notes(known, one))
        yield CandidateItem(*row.nth(at), tuple(renderings), sources=frozenset([name, *one.memory.support]))


def label_of(item: BriefItem) -> str:
    """The start of its line: the kind, after its status if it may not hold."""
    return item.kind if item.status in HOLDING else f"{item.status} {item.kind}"


def _pinned_items(known: MemorySnapshot, here: Mapping[str, MemoryState]) -> tuple[CandidateItem, ...]:
    """The pinned memories, each in the longest rendering that keeps the block within its limit."""
    room, kept = PINNED_TOKENS, list[CandidateItem]()
    for candidate in _candidates(known, pinned_names(here), order.PINNED, label="pinned "):
        prices = [count_tokens(rendering.markdown) + 1 for rendering in candidate.renderings]
        fitting = tuple(each for each, price in zip(candidate.renderings, prices, strict=True) if price <= room)
        if fitting:
            room -= prices[candidate.renderings.index(fitting[0])]
            kept.append(replace(candidate, renderings=fitting))
    return tuple(kept)


def _notes(known: MemorySnapshot, one: MemoryState) -> str:
    """What qualifies a memory: that it is the user's own in every repository, and its status."""
    return "; ".join(filter(None, ("yours" * (one.memory.id in known.mine), _note(known, one))))


def _note(known: MemorySnapshot, one: MemoryState) -> str:
    if one.contested_by:
        other = known.states[one.contested_by].memory
        who = "an untrusted writer" if _is_untrusted(known, other.id) else "an agent"
        return f"{who} proposes instead {code(known.short_id(other.id))}: {one_line(other.said.text, 120)}"
    if one.earlier or one.perhaps_done:
        closes = f"`repomem done {known.short_id(one.memory.id)}` closes it"
        return f"earlier: {', '.join(one.earlier)}" if one.earlier else f"perhaps done in {one.perhaps_done}: {closes}"
    if one.status is Status.MOVED:
        return ""
    if one.status is Status.PROVISIONAL and one.memory.origin.source is Source.TRANSCRIPT:
        return "from a session transcript, unconfirmed"
    if one.status is Status.PROVISIONAL and not one.why and one.memory.origin.source is not Source.PERSON:
        return "unconfirmed"
    return status_note(one.status.value, one.commit, one.why)


def _branch_attempts(known: MemorySnapshot, names: Sequence[str]) -> Iterator[CandidateItem]:
    """Memories from branches that are gone: tried there, and never merged."""
    for at, name in enumerate(names):
        memory = known.states[name].memory
        branch = f" on branch {code(one_line(memory.origin.branch, 60))}" if memory.origin.branch else ""
        commit = short_hash(memory.origin.head)
        item = BriefItem(
            kind="tried", id=known.short_id(name), commit=memory.origin.head, visible_on=memory.origin.branch
        )
        note = f"tried{branch}, not merged; {commit}" if commit else f"tried{branch}, not merged"
        renderings = memory_renderings(memory, item, label=f"tried {memory.said.kind.value}", note=note)
        yield CandidateItem(*order.BRANCH_ATTEMPT.nth(at), tuple(renderings), sources=frozenset([name]))
