"""The brief without a question: the map of the repository. Made during indexing, printed from a cache."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from repomem.adapters.git.log import cut_off_commits
from repomem.adapters.sqlite.catalog_rows import Worktree
from repomem.brief import order
from repomem.brief.items import CandidateItem, Draft, Rendering, of_kinds
from repomem.brief.lines import fact_rendering
from repomem.brief.order import OrderRow
from repomem.brief.render import brief_of
from repomem.brief.sections import TITLES, Section
from repomem.core.errors import StoreError
from repomem.core.text.counts import counted, listed
from repomem.core.text.escape import code, one_line, visible_path
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.brief import Brief, BriefItem, Fact, Gate
from repomem.core.types.commits import Episode
from repomem.items.central_files import central_items, code_files, main_paths
from repomem.items.central_folders import alike_folders, alike_items, package_items, without_alike
from repomem.items.decisions import decision_items
from repomem.items.facts import slot_rendering, warning_items
from repomem.items.memories import memory_items
from repomem.items.recent_commits import recent_items
from repomem.items.sessions import session_items
from repomem.items.task_context import TaskContext
from repomem.items.unedited_files import unedited_text
from repomem.memories.learned.profile_lines import learned_lines
from repomem.memories.snapshots.snapshot import MemorySnapshot, memories_in, memories_now
from repomem.profile.profile import corrections_in, facts_in, lines_of, needs
from repomem.profile.profile_lines import Slot, SlotLine, Voice
from repomem.workspace.cached_brief import IndexedItems, brief_of_equal_worktree, brief_text, cache_brief, indexed_items
from repomem.workspace.identity import state_of
from repomem.workspace.ledger import stamp_here
from repomem.workspace.snapshot import Snapshot, snapshot
from repomem.workspace.workspace import Workspace

NEWEST = 2_000  # episodes that the map reads
LATEST_READ = 100  # newest episodes, for the date of the last: clocks differ
DAY = timedelta(days=1)
YEAR = timedelta(days=365)
FOLDERS = 8
DOCUMENTS = 3  # on the architecture
TITLES_OF_MAP = {**TITLES, Section.PLACES: "## Where things are", Section.HISTORY: "## Recent and reverted changes"}
ROWS = {  # slots of the profile among the facts
    Slot.BUILD: order.MAP_COMMAND,
    Slot.TEST: order.MAP_COMMAND,
    Slot.LINT: order.MAP_COMMAND,
    Slot.FORMAT: order.MAP_COMMAND,
    Slot.PITFALLS: order.MAP_PITFALL,
    Slot.CONVENTIONS: order.MAP_CONVENTION,
    Slot.OWNERS: order.MAP_CONVENTION,
}
FACT_ROWS = {"runtime": order.MAP_RUNTIME, "generate": order.MAP_GENERATE, "ci": order.MAP_CI}  # without own slots
ARCHITECTURE = lazy_pattern(
    r"(?i)(?:(?:docs?|\.github)/)?(?:(?:dev|development|contributing|internals?)/)?"
    r"(?:architecture|internals?|design|hacking)(?:/(?:readme|index))?\.(?:md|rst|txt|adoc)"
)


@dataclass(frozen=True, slots=True)
class MapRequest:
    """The budget of a map, the warnings above it, and the kinds of its items."""

    budget: int  # tokens
    warnings: tuple[str, ...] = ()
    kinds: frozenset[str] = frozenset()  # of items; empty: all


@dataclass(frozen=True, slots=True)
class RecentHistory:
    """The newest episodes, and how often each live file was changed in the year before the head."""

    episodes: Sequence[Episode]  # newest first
    changes: Mapping[str, int]
    since: str  # YYYY-MM-DD; empty if that year is known whole
    commits: int  # since then or in that year, without merges


def map_brief(
    snapshot: Snapshot, budget: int, warnings: Sequence[str] = (), kinds: frozenset[str] = frozenset()
) -> Brief:
    """The repository's summary, rules, main files and recent changes; only items of `kinds` if given."""
    indexed, known = map_items(snapshot), memories_in(snapshot)
    return _brief(snapshot.workspace, snapshot.worktree, known, indexed, MapRequest(budget, tuple(warnings), kinds))


def map_after_ledger_write(workspace: Workspace, budget: int, *, is_kept: bool = False) -> Brief | None:
    """The map with the memories, sessions and corrections of this moment, and the code as it was last indexed.

    Loads no LanceDB. None if the worktree's map was never cached. With `is_kept` the new one is cached.
    """
    stamp = stamp_here(workspace) if is_kept else ""  # from before the memories are read
    if (cached := indexed_items(workspace)) is None:
        return None
    worktree, indexed = cached
    brief = _brief(workspace, worktree, memories_now(workspace), indexed, MapRequest(budget))
    if is_kept:
        with suppress(StoreError):  # such as a full disk
            cache_brief(workspace, worktree, brief_text(brief, stamp, indexed))
    return brief


def map_items(snapshot: Snapshot) -> IndexedItems:
    """The items of the map that no ledger write changes."""
    recent = recent_history(snapshot)
    sources = code_files(snapshot)
    main = main_paths(sources)
    alike = alike_folders(snapshot.tree.paths, sources)
    candidates = (
        *decision_items(snapshot, TaskContext(None)),
        *_counts(recent),
        *_architecture(snapshot),
        *_line(order.MAP_FOLDERS, unedited_text(snapshot)),
        *alike_items(alike),
        *package_items(snapshot, [file for file in sources if file.path in main]),
        *central_items(snapshot, without_alike(sources, alike), recent.changes),
        *recent_items(snapshot, main, recent.episodes),
    )
    return IndexedItems(candidates, _uncommitted(snapshot))


def _brief(
    workspace: Workspace, worktree: Worktree, known: MemorySnapshot, indexed: IndexedItems, request: MapRequest
) -> Brief:
    """The map of a worktree with these memories."""
    state = state_of(workspace, worktree)
    lines = lines_of(worktree, corrections_in(known.events), learned_lines(known.events))
    memories = memory_items(workspace, known, TaskContext(None))
    candidates = [
        *warning_items(request.warnings),
        *memories.items,
        *session_items(workspace, known, state.head, state.branch),
        *_folders(lines),
        *_profile_items(facts_in(worktree), lines),
        *_entry_points(lines),
        *indexed.candidates,
    ]
    chosen = tuple(of_kinds(candidates, request.kinds))
    closing = (memories.closing, indexed.uncommitted)
    if request.kinds and all(each.kind == "warning" for each in chosen):
        closing = ("Nothing of the requested kinds is in the map.", memories.closing)
    draft = Draft(_title(state.name, lines), chosen, closing, TITLES_OF_MAP)
    return brief_of(draft, state, "", request.budget, Gate("use", "the map of the repository"))


def cache_map(workspace: Workspace) -> None:
    """Make the map of the published state and keep it in the catalog, or take over that of an identical worktree."""
    stamp = stamp_here(workspace)
    now = snapshot(workspace)
    if now is not None:
        text = brief_of_equal_worktree(workspace) or cached_map(now, workspace.loaded.config.recall.budget, stamp)[1]
        cache_brief(workspace, now.worktree, text)


def cached_map(now: Snapshot, budget: int, stamp: str) -> tuple[Brief, str]:
    """The map, and the text that caches it; `stamp` is the ledger's from before."""
    indexed = map_items(now)
    brief = _brief(now.workspace, now.worktree, memories_in(now), indexed, MapRequest(budget))
    return brief, brief_text(brief, stamp, indexed)


def _title(name: str, lines: Sequence[SlotLine]) -> str:
    about = [line for line in lines if line.slot is Slot.ABOUT]
    called = [] if about and about[0].voice is not Voice.QUOTED else [one_line(name, 80)]
    return f"## Map: {', '.join([*called, *(line.shown for line in about)])}"


def recent_history(snapshot: Snapshot) -> RecentHistory:
    """The newest commits, and the changes of each live file in the year before the head."""
    episodes = [row.episode for row in snapshot.newest_episodes(NEWEST)]
    if not episodes:
        return RecentHistory((), {}, "", 0)
    year = _midnight(episodes[0].time) - YEAR  # "now" is the head's date: the map has no clock
    cut_off = cut_off_commits(snapshot.workspace.repository)
    ends = [each.time for at, each in enumerate(episodes, 1) if at == NEWEST or each.commit in cut_off]
    start = max([year, *(_midnight(end) + DAY for end in ends)])  # earlier days may be known in part
    commits = [e for e in episodes if e.time >= start.timestamp() and not e.is_merge]
    live = {file.path for file in snapshot.files}
    changes = Counter(f.path for e in commits for f in e.files if f.path in live)
    return RecentHistory(episodes, changes, start.strftime("%Y-%m-%d") if start > year else "", len(commits))


def _midnight(time: int) -> datetime:
    """The start of a commit's day, so that git counts the same commits since that date."""
    return datetime.fromtimestamp(time, UTC).replace(hour=0, minute=0, second=0)


def _line(row: OrderRow, text: str) -> Iterator[CandidateItem]:
    """One item, if there is a text."""
    if text:
        yield CandidateItem(*row.nth(0), (Rendering(f"- {text}", BriefItem(kind="map", text=text)),))


def _counts(recent: RecentHistory) -> Iterator[CandidateItem]:
    """How many commits in the last year, and how recent."""
    if recent.episodes:
        newest = max(recent.episodes[:LATEST_READ], key=lambda each: each.time)  # by the clock that counts them
        days = [f"{_midnight(newest.time) + DAY * at:%Y-%m-%d}" for at in (0, 1, -1)]
        last = newest.date if newest.date in days else days[0]  # as commits show it: in the author's time zone
        span = f"from {recent.since} to" if recent.since else "in the 12 months to"
        count = f"{counted(recent.commits, 'non-merge commit')} {span} {last}"
        yield from _line(order.MAP_COUNTS, count if recent.commits else f"last commit {last}")


def _architecture(snapshot: Snapshot) -> Iterator[CandidateItem]:
    """The documents that describe how the code is built, those nearest the root first."""
    found = [file.path for file in snapshot.files if ARCHITECTURE.fullmatch(file.path)]
    paths = sorted(set(found), key=lambda path: (path.count("/"), path))[:DOCUMENTS]
    named = ", ".join(code(visible_path(path)) for path in paths)
    return _line(order.MAP_FOLDERS, named and f"architecture: {named}")


def _folders(lines: Sequence[SlotLine]) -> Iterator[CandidateItem]:
    layout = [line for line in lines if line.slot is Slot.LAYOUT]
    corrections = [line for line in layout if line.voice is Voice.PERSON]
    yield from (CandidateItem(*order.MAP_FOLDERS.nth(0), (slot_rendering(line),)) for line in corrections)
    folders = "; ".join(line.text for line in layout if line not in corrections)
    yield from _line(order.MAP_FOLDERS, folders and f"indexed files: {folders}")


def _profile_items(facts: Sequence[Fact], lines: Sequence[SlotLine]) -> Iterator[CandidateItem]:
    """Facts and rules; a command that is not known is left out."""
    for at, fact in enumerate(fact for fact in facts if fact.slot in FACT_ROWS):
        yield CandidateItem(*FACT_ROWS[fact.slot].nth(at), (fact_rendering(fact),))
    already_shown = {needs(fact) for fact in facts}
    shown = [line for line in lines if _is_fact(line) and line.text not in already_shown]
    for at, line in enumerate(shown):
        row = order.MAP_CORRECTION if line.voice is Voice.PERSON else ROWS[line.slot]
        yield CandidateItem(*row.nth(at), (slot_rendering(line),))


def _is_fact(line: SlotLine) -> bool:
    """Whether a line is one of the facts; reverted changes are part of the history."""
    return line.slot in ROWS and (line.slot is not Slot.PITFALLS or line.voice is Voice.PERSON)


def _entry_points(lines: Sequence[SlotLine]) -> Iterator[CandidateItem]:
    for at, line in enumerate(line for line in lines if line.slot is Slot.ENTRY):
        yield CandidateItem(*order.MAP_ENTRY_POINT.nth(at), (slot_rendering(line),))


def _uncommitted(snapshot: Snapshot) -> str:
    paths = snapshot.dirty_paths
    if not paths:
        return "" if snapshot.workspace.repository.is_bare else "No uncommitted changes."
    return f"Uncommitted: {listed(paths, 5, lambda path: code(visible_path(path)))}."
