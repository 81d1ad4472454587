"""Lists the memories of a repository: filtered, and ranked if there is a question."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from repomem.core.records import MemoryKind
from repomem.core.text.escape import visible_path
from repomem.core.text.symbol_names import dotted, is_named, may_be_same, paths_and_symbols
from repomem.memories.search.relevant import changed_among, relevant_memories
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.memories.status import MemoryState, Status, Visibility
from repomem.ranking.query import Query
from repomem.workspace.snapshot import ALWAYS, Window
from repomem.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Which memories to list; empty fields do not restrict."""

    kinds: frozenset[MemoryKind] = frozenset()
    statuses: frozenset[Status] = frozenset()
    on: str = ""  # PATH, PATH:SYMBOL or SYMBOL; a folder includes everything below it
    author: str = ""  # a part of the name, in any case
    window: Window = ALWAYS
    is_mine: bool = False  # only the user's own, which apply in every repository
    has_hidden: bool = False  # also superseded, gone, archived, grouped ones, and those of other branches

    @property
    def is_empty(self) -> bool:
        """Whether it restricts nothing."""
        return self == MemoryFilter()

    def holds(self, one: MemoryState) -> bool:
        """Whether a memory passes all filters."""
        memory = one.memory
        return (
            (not self.kinds or memory.said.kind in self.kinds)
            and self._holds_status(one)
            and (not self.on or self._is_on(one))
            and self.author.casefold() in memory.origin.author.casefold()
            and self.window.holds(memory.origin.at)
        )

    def _is_on(self, one: MemoryState) -> bool:
        places = paths_and_symbols(self.on.removeprefix("./"))
        return any(is_about(one, path.strip("/"), symbol) for path, symbol in places) or _is_on_symbol(one, self.on)

    def _holds_status(self, one: MemoryState) -> bool:
        """A status that is asked for by name is listed though a brief would hide it."""
        is_named = one.reported_status in self.statuses
        if self.statuses and not is_named:
            return False
        if self.has_hidden:
            return True
        is_wanted = is_named and not (one.memory.archived or one.memory.grouped_under)
        return one.visibility is Visibility.HERE and (one.is_shown or is_wanted)


@dataclass(frozen=True, slots=True)
class ListedMemory:
    """A memory in a list; the other fields are set if it answers a question."""

    state: MemoryState
    score: float = 0.0
    why: tuple[str, ...] = ()
    later: str = ""  # the memory that seems to change it
    is_unsure: bool = False  # it may be about something else

    @property
    def status(self) -> str:
        """The status in one word, as `shown_status`; grouped where another memory is shown for it."""
        return "grouped" if self.state.memory.grouped_under else shown_status(self.state)


def listed_memories(
    workspace: Workspace, known: MemorySnapshot, question: str, wanted: MemoryFilter
) -> list[ListedMemory]:
    """The memories that pass the filters: those relevant to a question, best first; without one all, newest first."""
    names = known.mine if wanted.is_mine else known.states.keys()
    passing = {name: one for name, one in known.states.items() if name in names and wanted.holds(one)}
    if not question:
        return [ListedMemory(passing[name]) for name in sorted(passing, reverse=True)]
    found = relevant_memories(workspace, known, passing, Query(question))
    return [
        ListedMemory(passing[name], each.score, each.why, found.later.get(name, ""), found.is_unsure)
        for name, each in found.matches.items()
    ]


def with_later(workspace: Workspace, known: MemorySnapshot, listed: Sequence[ListedMemory]) -> list[ListedMemory]:
    """Some listed memories, each with the later one that seems to change it."""
    later = changed_among(workspace, known, [each.state.memory.id for each in listed if not each.later])
    return [replace(each, later=each.later or later.get(each.state.memory.id, "")) for each in listed]


def is_about(one: MemoryState, path: str, symbol: str) -> bool:
    """Whether a memory is anchored to a path, a file below it, or a symbol there, as recorded or as it is now."""
    places = {(a.path, a.symbol) for a in one.memory.said.anchors} | {(p.path, p.symbol) for p in one.locations}
    on_path: Iterable[str] = (
        named
        for where, named in places
        if any(f"{each}/".startswith(f"{path}/") for each in (where, visible_path(where)))
    )
    return any(not symbol or may_be_same(named, dotted(symbol)) for named in on_path)


def current_places(one: MemoryState) -> list[tuple[str, str]]:
    """Path and symbol of a memory's code now, or its last known places if all of it is gone."""
    now = [(each.path, each.symbol) for each in one.locations if each.path]
    then = [(each.path, each.symbol) for each in one.memory.said.anchors]
    return list(dict.fromkeys(now or then))


def _is_on_symbol(one: MemoryState, name: str) -> bool:
    """Whether a memory is anchored to a symbol of this qualified name, or ending in it; in any file."""
    wanted = dotted(name)
    symbols = {a.symbol for a in one.memory.said.anchors} | {place.symbol for place in one.locations}
    return any(is_named(symbol, wanted) for symbol in symbols)


def shown_status(one: MemoryState) -> str:
    """The status in one word: archived or done, else its visibility if not here, else the reported status."""
    if one.memory.archived:
        return "archived"
    is_here = one.visibility is Visibility.HERE or one.status is Status.DONE
    return one.reported_status.value if is_here else one.visibility.value
