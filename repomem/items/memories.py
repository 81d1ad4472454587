"""The memories that a brief may hold: rules in scope, what bears on the task, open threads, what was tried elsewhere.

What a person said or confirmed, and what lived, comes first; an agent's own word and what the code has left behind
come last, and are never told as fact.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from repomem.adapters.ledger.trusted_writers import is_stranger
from repomem.brief.items import Offer, Section
from repomem.brief.lines import code
from repomem.brief.memories import memory_forms, status_note
from repomem.core.escape import one_line
from repomem.core.records import Kind, Memory, Source
from repomem.core.types import SHORT_HASH, Brief, BriefItem
from repomem.core.ulid import unique_prefix
from repomem.memories.search_documents import documents_of
from repomem.memories.snapshot import MemorySnapshot
from repomem.memories.status import AnchorLocation, MemoryState, Status, Visibility, is_everywhere
from repomem.memories.wording import same_text
from repomem.ranking.memories import MemoryMatch, matching_memories
from repomem.ranking.query import Query
from repomem.workspace.snapshot import ALWAYS, Window
from repomem.workspace.workspace import Workspace

RULES = 8
GENERAL_RULES = 3  # that are for everything and stand before what bears on the task; the others stand behind it
TRUSTED = 6  # decisions, gotchas and facts for the task
UNSURE = 3  # provisional and drifted ones
THREADS = 3
TRIED = 2
RULE_FILES = 5  # of the best: a rule for other paths is none for this task
RANK = {
    "rule": 4.0,
    "trusted": 6.0,
    "general rule": 6.5,
    "further rule": 6.6,
    "unsure": 12.0,
    "tried": 24.0,
    "thread": 24.2,
}
# Where they stand, if not in the order in which they find room: what bears on the task finds room before rules for
# everything, and what nobody confirmed before what the code shows by itself.
PLACE = {"general rule": 5.0, "further rule": 8.0, "unsure": 40.0}
HOLDING = ("current", "moved")  # the statuses of what may be told as true
PER_AUTHOR = 2  # memories of one agent, or of one writer who is not trusted, that nobody confirmed


@dataclass(frozen=True, slots=True)
class Task:
    """What a brief is about: the question, and the files and symbols that it points at, best first."""

    query: Query | None  # None: the map of the repository
    files: Sequence[str] = ()
    symbols: frozenset[str] = frozenset()  # "path:qualified"
    folder: str = ""  # that the question is limited to
    window: Window = ALWAYS


@dataclass(frozen=True, slots=True)
class Offered:
    """The offers, and the ids of the memories in them."""

    offers: tuple[Offer, ...]
    ids: frozenset[str]
    bears: bool  # whether one of them bears on the question by itself

    def shown_in(self, brief: Brief) -> list[str]:
        """The ids of those that found room in a brief."""
        shown = [item.id for item in brief.items if not item.repository]
        return [name for name in sorted(self.ids) if any(each and name.startswith(each) for each in shown)]

    @property
    def absent(self) -> str:
        """What is not recorded, in words; empty where a rule, a decision and an open thread are."""
        kinds = {offer.kind for offer in self.offers}
        missing = [kind for kind in ("rule", "decision", "thread") if kind not in kinds]
        named = {"thread": "open thread"}
        listed = [named.get(kind, kind) for kind in missing]
        if not listed:
            return ""
        *first, last = listed
        return f"No {', '.join(first)}{' or ' if first else ''}{last} is recorded"


def memory_offers(workspace: Workspace, known: MemorySnapshot, task: Task) -> Offered:
    """What the memories have to say of a task, or of the repository as a whole."""
    told = {name: one for name, one in known.states.items() if task.window.holds(one.memory.origin.at)}
    shown = {name: one for name, one in told.items() if one.is_shown and one.visibility is not Visibility.NOT_YET}
    here = {name: one for name, one in shown.items() if one.visibility is Visibility.HERE}
    tried = {name: one for name, one in shown.items() if one.visibility is Visibility.TRIED}
    bears = _bearing(workspace, {**here, **tried}, task)
    rules = _rules(here, bears, task)
    general = [name for name in rules if name not in bears and not here[name].memory.said.scope]
    close = [name for name in rules if name not in general][:RULES]
    general = general[: RULES - len(close)]
    rest = [name for name in bears if name in here and name not in rules]
    strange = [name for name in _threads(here, bears, task) if _is_strange(known, name)]
    threads = [name for name in _threads(here, bears, task) if name not in rules and name not in strange]
    sure = [name for name in rest if here[name].is_fact and here[name].memory.said.kind is not Kind.THREAD]
    doubtful = [name for name in rest if not here[name].is_fact and here[name].memory.said.kind is not Kind.THREAD]
    unsure = sorted([*doubtful, *strange], key=list(bears).index)
    chosen = [
        *_offers(known, close, Section.HOLDS, "rule"),
        *_offers(known, general[:GENERAL_RULES], Section.HOLDS, "general rule"),
        *_offers(known, sure[:TRUSTED], Section.HOLDS, "trusted"),
        *_offers(known, general[GENERAL_RULES:], Section.HOLDS, "further rule"),
        *_offers(known, _capped(here, unsure)[:UNSURE], Section.HOLDS, "unsure"),
        *_offers(known, threads[:THREADS], Section.OPEN, "thread"),
        *_tried(known, [name for name in bears if name in tried and not _is_strange(known, name)][:TRIED]),
    ]
    ids = frozenset(source for offer in chosen for source in offer.sources)
    return Offered(tuple(chosen), ids, any(name in bears for name in (*sure, *unsure, *threads, *rules)))


def short_id(known: MemorySnapshot, name: str) -> str:
    """The start of an id that is the start of no other."""
    return unique_prefix(name, known.ids)


def item_of(known: MemorySnapshot, one: MemoryState, bears: MemoryMatch | None = None) -> BriefItem:
    """A memory as the contract has it, but for its words."""
    placed = first_place(one)
    where = "everywhere" if is_everywhere(one.memory) else one.memory.origin.branch
    return BriefItem(
        kind=_kind(known, one).value,
        id=short_id(known, one.memory.id),
        path=placed.path if placed else "",
        symbol=placed.symbol if placed else "",
        start_line=placed.start_line if placed else 0,
        end_line=placed.end_line if placed else 0,
        status=one.status.value,
        status_commit=one.commit,
        visible_on=where,
        score=bears.score if bears else 0.0,
        why=bears.why if bears else (),
    )


def _is_strange(known: MemorySnapshot, name: str) -> bool:
    """Whether somebody wrote it whom nobody here trusts."""
    return is_stranger(known.states[name].memory.origin, known.history.trusted)


def _kind(known: MemorySnapshot, one: MemoryState) -> Kind:
    """What it is shown as: a stranger gives nobody rules, he says something."""
    kind = one.memory.said.kind
    return Kind.FACT if kind is Kind.RULE and _is_strange(known, one.memory.id) else kind


def first_place(one: MemoryState) -> AnchorLocation | None:
    """The first anchor that can be shown: one whose code is there."""
    return next((each for each in one.locations if each.path), None)


def _bearing(workspace: Workspace, shown: Mapping[str, MemoryState], task: Task) -> dict[str, MemoryMatch]:
    """Those that bear on the task, best first; for the map all of them, the most important first.

    What holds is weighed among its like: a flood of what nobody confirmed would make every word of it a common one.
    """
    if task.query:
        documents = documents_of(workspace, shown)
        sure = [each for each in documents if shown[each.id].is_fact]
        every = matching_memories(task.query, documents, task.files, task.symbols)
        firm = matching_memories(task.query, sure, task.files, task.symbols) if len(sure) < len(documents) else every
        unsure = [one for one in every if not shown[one.id].is_fact]
        return {one.id: one for one in sorted({*firm, *unsure}, key=lambda one: (-one.score, one.id))}
    ordered = sorted(shown, key=lambda name: (-shown[name].memory.said.importance, name))
    return {name: MemoryMatch(name, 0.0, 1.0, ()) for name in ordered}


def _rules(here: Mapping[str, MemoryState], bears: Mapping[str, MemoryMatch], task: Task) -> list[str]:
    """The rules that hold for the task: those in scope and no unsure one; those that bear on it lead."""
    rules = [name for name, one in here.items() if one.memory.said.kind is Kind.RULE and one.is_fact]
    in_scope = [name for name in rules if _is_in_scope(here[name], bears, task)]
    order = {name: at for at, name in enumerate(bears)}
    last = len(order)
    return sorted(in_scope, key=lambda name: (order.get(name, last), -here[name].memory.said.importance, name))


def _is_in_scope(one: MemoryState, bears: Mapping[str, MemoryMatch], task: Task) -> bool:
    said = one.memory.said
    if task.query is None or (one.memory.id in bears and not said.scope):
        return True
    paths = [*task.files[:RULE_FILES], *task.query.paths, *([task.folder] if task.folder else [])]
    if said.scope:
        return any(matches(glob, path) for glob in said.scope for path in paths)
    return not said.anchors or any(each.path in paths for each in one.locations)


def matches(glob: str, path: str) -> bool:
    """Whether a path is in a scope: a glob, or a folder with all that is below it."""
    folder = glob.removesuffix("**").removesuffix("*").rstrip("/")
    is_folder = not any(sign in folder for sign in "*?[")
    return fnmatchcase(path, glob) or (is_folder and (path == folder or path.startswith(f"{folder}/")))


def _threads(here: Mapping[str, MemoryState], bears: Mapping[str, MemoryMatch], task: Task) -> list[str]:
    """Open threads: those that bear on the task, then the newest."""
    threads = [name for name, one in here.items() if one.memory.said.kind is Kind.THREAD]
    if task.query:
        return [name for name in bears if name in threads]
    return sorted(threads, reverse=True)


def _capped(here: Mapping[str, MemoryState], names: Iterable[str]) -> list[str]:
    """No more of one agent, or of one writer, than a few: what nobody confirmed must not fill a brief."""
    kept: list[str] = []
    of_author: Counter[str] = Counter()
    for name in names:
        origin = here[name].memory.origin
        author = origin.writer or origin.author  # the names that a writer gives are his to choose
        of_author[author] += 1
        if of_author[author] <= PER_AUTHOR:
            kept.append(name)
    return kept


def _offers(known: MemorySnapshot, names: Sequence[str], section: Section, rank: str) -> Iterator[Offer]:
    told: list[Memory] = []
    for at, name in enumerate(names):
        one = known.states[name]
        if any(same_text(one.memory.said.text, other.said.text) for other in told):
            continue  # the same said twice, on two branches that met
        told.append(one.memory)
        item = item_of(known, one)
        forms = memory_forms(one.memory, item, label=label_of(item), note=_note(known, one))
        place = PLACE[rank] + at / 100 if rank in PLACE else None
        sources = frozenset([name, *one.memory.support])
        yield Offer(section, RANK[rank] + at / 100, tuple(forms), place=place, sources=sources)


def label_of(item: BriefItem) -> str:
    """What leads a line: the kind of what holds, else the status that keeps it from holding."""
    return item.kind if item.status in HOLDING else f"{item.status} {item.kind}"


def _note(known: MemorySnapshot, one: MemoryState) -> str:
    if one.contested_by:
        other = known.states[one.contested_by].memory
        who = "a writer who is not trusted here" if _is_strange(known, other.id) else "an agent"
        return f"{who} proposes instead {code(short_id(known, other.id))}: {one_line(other.said.text, 120)}"
    if one.status is Status.MOVED:
        return ""
    if one.status is Status.PROVISIONAL and one.memory.origin.source is Source.TRANSCRIPT:
        return "read in a session's transcript, not confirmed"
    if one.status is Status.PROVISIONAL and not one.why and one.memory.origin.source is not Source.PERSON:
        return "not confirmed by a person"
    return status_note(one.status.value, one.commit, one.why)


def _tried(known: MemorySnapshot, names: Sequence[str]) -> Iterator[Offer]:
    """What was said on a branch that is gone: it was tried, and not merged."""
    for at, name in enumerate(names):
        memory = known.states[name].memory
        branch = f" on branch {code(one_line(memory.origin.branch, 60))}" if memory.origin.branch else ""
        commit = memory.origin.head[:SHORT_HASH]
        item = BriefItem(
            kind="tried", id=short_id(known, name), commit=memory.origin.head, visible_on=memory.origin.branch
        )
        note = f"tried{branch}, not merged; {commit}" if commit else f"tried{branch}, not merged"
        forms = memory_forms(memory, item, label=f"tried {memory.said.kind.value}", note=note)
        yield Offer(Section.HAPPENED, RANK["tried"] + at / 100, tuple(forms), sources=frozenset([name]))
