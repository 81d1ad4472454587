"""Candidate items for memories: rules in scope, relevant memories, open threads, and attempts on other branches.

Memories about the task come first, by relevance, then those whose code has changed, which are never shown as fact, and
then rules that hold for any task.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass, field, replace
from heapq import merge
from itertools import accumulate
from operator import itemgetter

from repomem.adapters.ledger.trusted_writers import is_untrusted
from repomem.brief import order
from repomem.brief.items import CandidateItem
from repomem.brief.memories import memory_renderings
from repomem.brief.order import OrderRow
from repomem.brief.sections import Section
from repomem.core.records import MemoryKind
from repomem.core.text.counts import counted
from repomem.core.text.escape import code, one_line
from repomem.core.text.tokens import count_tokens
from repomem.core.types.brief import Brief, BriefItem
from repomem.items.memories_in_scope import (
    general_rules,
    is_only_unconfirmed,
    on_places,
    rules_for_all,
    rules_in_scope,
    scoped_rules,
    unconfirmed_rules,
)
from repomem.items.memory_item import item_of, label_of, notes_of
from repomem.items.task_context import TaskContext
from repomem.memories.history_facts import commit_of_work, recorded_at
from repomem.memories.pinned import PINNED_TOKENS, pinned_names, pinned_tokens
from repomem.memories.search.relevant import RULES, RelevantMemories, ShownAnyway, for_map, relevant_memories
from repomem.memories.snapshots.memory_outlines import MemoryOutline, MemoryOutlines
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.memories.status import REVERTED, Status, Visibility
from repomem.memories.wording import bare_text
from repomem.ranking.memories import MemoryMatch
from repomem.workspace.workspace import Workspace

GENERAL_RULES = 3  # without a scope, shown before the relevant memories; further ones after these
STRONG = 6  # relevant memories that are paid for before places; the others take what room is left
FURTHER = 100  # more than any budget holds
ON_PLACES = 4  # memories that are shown for their code alone
UNCONFIRMED = 6  # provisional and drifted ones before facts
THREADS = 3
BRANCH_ATTEMPTS = 2
BRIEFLY = (order.GENERAL_RULE, order.FURTHER_GENERAL_RULE, order.FURTHER_MEMORY)  # the text alone
ON_PLACE = (order.MEMORY_ON_PLACE, order.MEMORY_ON_WEAK_PLACE)  # for their code, whatever their words
CONFIRMED = 0.5  # deviations: a confirmed memory comes before an unconfirmed one that is hardly more relevant
NO_MEMORY = "No memory is recorded yet."
NO_MEMORY_THEN = "No memory was recorded by then."
PER_UNTRUSTED_WRITER = 2  # memories of one untrusted writer: they must not fill a brief


@dataclass(frozen=True, slots=True)
class MemoryItems:
    """The candidate items for memories, and the ids of these memories."""

    items: tuple[CandidateItem, ...]
    ids: frozenset[str]
    is_relevant: bool  # whether one of them is relevant to the question by itself
    certain: frozenset[str] = frozenset()  # of the ids, those that are clearly about the question
    count: int = 0  # of all memories that could be shown
    more_rules: int = 0  # rules that apply everywhere and are no candidates
    hidden: int = 0  # of all that could not: on other branches, superseded, archived
    in_other_days: int = 0  # of all that could be shown if the question were not limited to some days
    is_past: bool = False  # the question is about an earlier revision
    more: int = 0  # for the map: memories that are no candidates
    later: Mapping[str, str] = field(default_factory=dict)  # memory to a later one that may replace it

    def shown_in(self, brief: Brief) -> list[str]:
        """The ids of those that fit in a brief."""
        shown = [item.id for item in brief.items if not item.repository]
        return [name for name in sorted(self.ids) if any(each and name.startswith(each) for each in shown)]

    @property
    def closing(self) -> str:
        """A line if no memory is shown or some are left out, with the command that lists them; empty otherwise."""
        if not self.ids:
            return self._closing_of_none()
        if self.more:
            return f"{counted(self.more, 'more memory', 'more memories')}: `repomem memories` lists {_all(self.count)}."
        return f"{counted(self.more_rules, 'more rule')}: `repomem memories --kind rule`." if self.more_rules else ""

    def _closing_of_none(self) -> str:
        if self.count:
            return f"No memory is about this task; `repomem memories` lists {_all(self.count)}."
        if self.in_other_days:
            return f"No memory was recorded in this date range; `repomem memories` lists {_all(self.in_other_days)}."
        if self.hidden:
            return f"No memory applies here; `repomem memories --all` lists {_all(self.hidden)}."
        return NO_MEMORY_THEN if self.is_past else NO_MEMORY


def _all(count: int) -> str:
    return f"all {count:,}" if count > 1 else "one"


def memory_items(workspace: Workspace, known: MemorySnapshot, task: TaskContext) -> MemoryItems:
    """The memories for a task, or for the repository as a whole."""
    shown = possible_memories(known, task)
    here = shown.here
    relevant = _relevant(workspace, known, shown, task)
    pinned = _pinned_items(known, here, relevant)
    pins = frozenset(source for candidate in pinned for source in candidate.sources)
    groups = _groups(known, here.without(pins), relevant, task)
    elsewhere = [name for name in relevant.matches if name in relevant.strong and name not in here]
    attempts = [relevant.matches[name] for name in elsewhere if not known.is_of_untrusted_writer(name)]
    chosen = (
        *pinned,
        *(item for row, names in groups for item in _candidates(known, names, row, relevant)),
        *_branch_attempts(known, attempts[:BRANCH_ATTEMPTS], is_asked=task.query is not None),
    )
    ids = frozenset(source for candidate in chosen for source in candidate.sources)
    left_out = sum(name not in ids for name in general_rules(here))
    is_relevant = bool(relevant.strong) and not relevant.is_unsure
    hidden = len(known.outlines) - len(here)
    more = sum(name not in ids for name in here) if task.query is None else 0
    certain = frozenset(name for name, one in relevant.matches.items() if one.is_certain and name in ids)
    counts, is_past = (len(here), left_out, hidden), known.history.is_past
    return MemoryItems(chosen, ids, is_relevant, certain, *counts, is_past=is_past, more=more, later=relevant.later)


def possible_memories(known: MemorySnapshot, task: TaskContext) -> MemoryOutlines:
    """The memories that a brief may show: those that apply here, and those of abandoned branches."""
    visible = (Visibility.HERE, Visibility.ABANDONED)
    return known.outlines.where(visibility=visible.__contains__, is_shown=bool, at=task.window.holds)


def _relevant(
    workspace: Workspace, known: MemorySnapshot, shown: MemoryOutlines, task: TaskContext
) -> RelevantMemories:
    if task.query is None:
        return for_map(workspace, known, shown)
    here = shown.here
    bound = [*pinned_names(here), *scoped_rules(here, task), *on_places(here, task, {})]
    anyway = ShownAnyway(rules_for_all(here), list(dict.fromkeys(bound)))
    return relevant_memories(workspace, known, shown, task.query, task.code, anyway)


def _groups(
    known: MemorySnapshot, here: MemoryOutlines, relevant: RelevantMemories, task: TaskContext
) -> list[tuple[OrderRow, Sequence[str]]]:
    """The memories by their row in the order of a brief, each in exactly one row."""
    names = _without_floods(known, [name for name in relevant.matches if name in here])
    untrusted = here.where(writer=lambda writer: is_untrusted(writer, known.history.trusted))
    here = here.without(frozenset(untrusted).difference(names))
    strong = [name for name in names if name in relevant.strong]
    threads = [name for name in strong if here[name].is_fact and _is_thread(here[name])][:THREADS]
    about, doubtful = _about_task(known, here, names, [name for name in strong if name not in threads], relevant)
    taken = {*about, *threads, *doubtful}
    rules = [name for name in rules_in_scope(here, relevant, task) if name not in taken]
    for_all = set(general_rules(here))
    scoped = _with_changes(here, [name for name in rules if name not in for_all][:RULES], relevant, taken)
    taken |= {*scoped}
    of_places = [name for name in on_places(here, task, relevant.nearness) if name not in taken][:ON_PLACES]
    of_places = _with_changes(here, of_places, relevant, taken)
    taken |= {*of_places}
    threads += [name for name in of_places if _is_thread(here[name])]
    of_places = [name for name in of_places if name not in threads]
    nearest = [name for name in names if name not in taken] if relevant.is_unsure else []
    taken |= {*nearest}
    general = [name for name in rules if name not in taken][: max(RULES - len(scoped), 0)]
    general, more = (
        _with_changes(here, part, relevant, taken) for part in (general[:GENERAL_RULES], general[GENERAL_RULES:])
    )
    shown = {*taken, *general, *more}
    room = max(GENERAL_RULES - len(for_all & shown), 0)
    more += unconfirmed_rules(known, here, relevant, task, shown)[:room]
    taken |= {*general, *more}
    nearest_of_all = [name for name in doubtful if _is_best_but_drifted(known, name, names, relevant)]
    best = threads[:1] if threads[:1] == names[:1] and task.query else about[:1]
    further = names if task.query else [name for name in names if _is_lasting(here[name])]
    return [
        (order.BEST_MEMORY, best),
        (order.MEMORY, [name for name in about if name not in best]),
        (order.BEST_DOUBTFUL_MEMORY, nearest_of_all),
        (order.RULE, scoped),
        (order.MEMORY_ON_WEAK_PLACE if task.is_weak else order.MEMORY_ON_PLACE, of_places),
        (order.NEAREST_MEMORY, nearest),
        (order.GENERAL_RULE, general),
        (order.FURTHER_GENERAL_RULE, [name for name in more if name not in general]),
        (order.THREAD, [name for name in threads if name not in best]),
        (order.DOUBTFUL_MEMORY, [name for name in doubtful if name not in nearest_of_all]),
        (order.FURTHER_MEMORY, [name for name in further if name not in taken][:FURTHER]),
    ]


def _about_task(
    known: MemorySnapshot,
    here: MemoryOutlines,
    names: Sequence[str],
    strong: Sequence[str],
    relevant: RelevantMemories,
) -> tuple[list[str], list[str]]:
    """The strong memories that may be shown as true or unconfirmed, and those that may no longer hold."""
    best = [name for name in strong if _is_lasting(here[name])][:STRONG]
    facts = [*dict.fromkeys(each for name in best for each in (name, *_surely_later(known, here, name, relevant)))]
    others = [name for name in strong if not here[name].is_fact and name not in facts][:UNCONFIRMED]
    unconfirmed = [name for name in others if is_only_unconfirmed(known, name)]
    about = by_relevance(names, facts, unconfirmed, relevant.matches)
    return about, [name for name in others if name not in unconfirmed]


def _is_best_but_drifted(known: MemorySnapshot, name: str, names: Sequence[str], relevant: RelevantMemories) -> bool:
    """Whether a memory is the most relevant, and only a change of its code speaks against it: no revert, no later one.

    It comes before the rules in scope, which may be about anything.
    """
    is_drifted = known.states[name].status is Status.DRIFTED and known.states[name].why != REVERTED
    is_best = name == names[0] and relevant.matches[name].is_certain
    return is_best and is_drifted and name not in relevant.later


def by_relevance(
    ranked: Sequence[str], confirmed: Sequence[str], unconfirmed: Sequence[str], matches: Mapping[str, MemoryMatch]
) -> list[str]:
    """The confirmed and the unconfirmed memories by relevance; each of the two lists keeps its own order.

    `ranked` has all, best first. A memory that replaces another is before it there, and counts as no less relevant.
    """
    scores = dict(
        zip(reversed(ranked), accumulate((matches[name].score for name in reversed(ranked)), max), strict=True)
    )
    lowered = zip(confirmed, accumulate((scores[name] for name in confirmed), min), strict=True)
    first = [(-score, name) for name, score in lowered]
    second = [(CONFIRMED - scores[name], name) for name in unconfirmed]
    return [name for _, name in merge(first, second, key=itemgetter(0))]


def _surely_later(known: MemorySnapshot, here: MemoryOutlines, name: str, relevant: RelevantMemories) -> Iterator[str]:
    """The unconfirmed memory that almost certainly changes a fact; only a person's may come before the fact."""
    later = relevant.leading.get(name, "")
    if later in here and here[later].status is Status.PROVISIONAL and not known.is_of_untrusted_writer(later):
        yield later


def _with_changes(
    here: MemoryOutlines, names: Sequence[str], relevant: RelevantMemories, taken: AbstractSet[str]
) -> list[str]:
    """The memories, each followed by the one that may change it: with only its id, agents would follow the old one."""
    every = (each for name in names for each in (name, relevant.later.get(name, "")))
    return [name for name in dict.fromkeys(every) if name in here and name not in taken]


def _is_thread(one: MemoryOutline) -> bool:
    return one.kind is MemoryKind.THREAD


def _is_lasting(one: MemoryOutline) -> bool:
    return one.is_fact and not _is_thread(one)


def _without_floods(known: MemorySnapshot, names: Iterable[str]) -> list[str]:
    """The names without all but the first few of each untrusted writer."""
    kept: list[str] = []
    of_writer: Counter[str] = Counter()
    for name in names:
        writer = known.outlines[name].writer if known.is_of_untrusted_writer(name) else ""
        of_writer[writer] += bool(writer)
        if of_writer[writer] <= PER_UNTRUSTED_WRITER:
            kept.append(name)
    return kept


def _candidates(
    known: MemorySnapshot, names: Sequence[str], row: OrderRow, relevant: RelevantMemories, label: str = ""
) -> Iterator[CandidateItem]:
    shown: set[str] = set()
    for at, name in enumerate(names):
        one = known.states[name]
        if (text := bare_text(one.memory.said.text)) in shown:
            continue  # the same text twice, from two branches that were merged
        shown.add(text)
        item = item_of(known, one, relevant.matches.get(name))
        notes = ("yours" * (name in known.mine), *notes_of(known, one), _relation(known, name, row, relevant))
        note = "; ".join(filter(None, notes))
        renderings = memory_renderings(
            one.memory, item, label=label + label_of(one, item.kind), note=note, is_brief=row in BRIEFLY
        )
        section, priority, position = row.nth(at)
        if one.memory.said.kind is MemoryKind.THREAD and section is Section.FACTS and row is not order.BEST_MEMORY:
            section = Section.OPEN
        sources = frozenset([name, *one.memory.support])
        yield CandidateItem(section, priority, position, tuple(renderings), sources=sources)


def _relation(known: MemorySnapshot, name: str, row: OrderRow, relevant: RelevantMemories) -> str:
    """Notes: may be unrelated (unless it applies to any task), and which later memory may change it."""
    is_by_text = name in relevant.matches and row not in ON_PLACE and name not in relevant.general
    parts = ["may be unrelated"] if relevant.is_unsure and is_by_text else []
    later = relevant.later.get(name)
    if later and later != known.states[name].contested_by:  # that one is in its note already
        parts.append(f"perhaps changed by {code(known.short_id(later))}")
    return "; ".join(parts)


def _pinned_items(known: MemorySnapshot, here: MemoryOutlines, relevant: RelevantMemories) -> tuple[CandidateItem, ...]:
    """The pinned memories: those that fit as `pin` counts them, then others in the longest rendering that fits."""
    room, kept = PINNED_TOKENS, list[CandidateItem]()
    for candidate in _candidates(known, pinned_names(here), order.PINNED, relevant, label="pinned "):
        prices = [count_tokens(rendering.markdown) + 1 for rendering in candidate.renderings]
        whole = pinned_tokens(known.states[candidate.renderings[0].item.whole_id].memory)
        if whole <= room:
            prices = [min(price, whole) for price in prices]
        fitting = tuple(each for each, price in zip(candidate.renderings, prices, strict=True) if price <= room)
        if fitting:
            room -= prices[candidate.renderings.index(fitting[0])]
            kept.append(replace(candidate, renderings=fitting))
    return tuple(kept)


def _branch_attempts(
    known: MemorySnapshot, matches: Sequence[MemoryMatch], *, is_asked: bool
) -> Iterator[CandidateItem]:
    """Memories from branches that are gone: tried there, and never merged."""
    for at, match in enumerate(matches):
        memory = known.states[match.id].memory
        branch = f"on branch {code(one_line(memory.origin.branch, 60))}" if memory.origin.branch else ""
        item = BriefItem(
            kind="tried",
            id=known.short_id(match.id),
            whole_id=match.id,
            commit=commit_of_work(memory, known.history),
            visible_on=memory.origin.branch,
        )
        recorded = " ".join(filter(None, ("recorded", branch, recorded_at(memory, known.history))))
        note = f"{recorded}, which is not merged here"
        renderings = memory_renderings(memory, item, label=f"abandoned {memory.said.kind.value}", note=note)
        row = order.CERTAIN_ATTEMPT if is_asked and match.is_certain else order.BRANCH_ATTEMPT
        yield CandidateItem(*row.nth(at), tuple(renderings), sources=frozenset([match.id]))
