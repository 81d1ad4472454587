"""The list of memories: filtered and ranked as `repomem memories` does, a page at a time."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from repomem.core.errors import RepomemError
from repomem.core.records import MemoryKind
from repomem.core.text.escape import one_line
from repomem.memories.listing import MemoryFilter, listed_memories
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.memories.status import Status
from repomem.ui.pages.rows import TEXT_LENGTH, MemoryRow, memory_row
from repomem.ui.repository import memories_for_page
from repomem.workspace.snapshot import Window
from repomem.workspace.workspace import Workspace

AUTHORS = 50  # listed in the filter, those with the most memories


@dataclass(frozen=True, slots=True)
class MemoryList:
    """A part of the memories that pass the filters, and what can be filtered by."""

    total: int
    offset: int
    rows: tuple[MemoryRow, ...]
    kinds: tuple[str, ...]
    statuses: tuple[str, ...]
    authors: tuple[str, ...]


def memory_list(workspace: Workspace, question: str, wanted: MemoryFilter, offset: int, limit: int) -> MemoryList:
    """The memories from `offset`, at most `limit`: those relevant to a question, or all, the newest first."""
    known = memories_for_page(workspace)
    found = listed_memories(workspace, known, question, wanted)
    shown = found[offset : offset + limit]
    return MemoryList(
        len(found),
        offset,
        tuple(memory_row(each.state, known) for each in shown),
        tuple(MemoryKind),
        tuple(Status),
        _authors(known),
    )


@dataclass(frozen=True, slots=True)
class ForgottenRow:
    """A memory that was forgotten and not purged."""

    id: str
    kind: str
    text: str  # on one line, shortened
    date: str  # YYYY-MM-DD
    author: str


def forgotten_list(workspace: Workspace) -> list[ForgottenRow]:
    """The memories that can be restored, last forgotten first."""
    return [
        ForgottenRow(
            each.id,
            each.said.kind.value,
            one_line(each.said.text, TEXT_LENGTH),
            each.origin.at[:10],
            each.origin.author,
        )
        for each in memories_for_page(workspace).forgotten
    ]


def filter_of(asked: Mapping[str, str]) -> MemoryFilter:
    """The filter of a query string. Raises RepomemError for a value that names nothing."""
    try:
        kinds = frozenset(map(MemoryKind, _words(asked.get("kind", ""))))
        statuses = frozenset(map(Status, _words(asked.get("status", ""))))
    except ValueError as error:
        raise RepomemError(f"{error}", "choose from the lists of the page") from error
    return MemoryFilter(
        kinds,
        statuses,
        asked.get("on", "").strip(),
        asked.get("author", ""),
        Window(asked.get("since", ""), asked.get("until", "")),
        is_mine=asked.get("mine") == "1",
        has_hidden=asked.get("all") == "1",
    )


def _authors(known: MemorySnapshot) -> tuple[str, ...]:
    counts = Counter(author for one in known.states.values() if (author := one.memory.origin.author))
    return tuple(name for name, _ in counts.most_common(AUTHORS))


def _words(text: str) -> list[str]:
    return [word for word in text.split(",") if word]
