"""One memory in full: its code, what happened to it, and the sessions that were shown it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from repomem.core.times import moment_of
from repomem.memories.show import HistoryEntry, ShownMemory, show_memory
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.memories.status import INTACT
from repomem.ui.pages.code import CodeComparison, comparisons_of
from repomem.ui.pages.rows import CommitRow, MemoryRow, commit_rows, memory_row
from repomem.ui.pages.sessions import RecordedSession, recorded_sessions
from repomem.ui.repository import memories_for_page
from repomem.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """A memory in full; fields that do not apply are empty."""

    memory: MemoryRow
    text: str
    why: str
    rejected: tuple[str, ...]
    sentence: str
    importance: int  # 1 to 5
    scope: tuple[str, ...]
    status_reason: str
    visible: str  # on which branches, in words; empty if hidden
    hidden: str  # why no brief shows it, though it applies here
    session: str
    goal: str
    replaces: tuple[tuple[str, str], ...]  # short id and text
    replaced_by: tuple[tuple[str, str], ...]
    proposed: tuple[tuple[str, str], ...]  # instead of it
    contests: tuple[tuple[str, str], ...]  # those that it is proposed for
    earlier: tuple[str, ...]  # values that older memories gave the same thing
    group: tuple[str, ...]
    timeline: tuple[HistoryEntry, ...]  # oldest first
    times_shown: int  # in briefs, as counted so far
    last_of_use: str  # when and to which session it was shown that acted on it last; empty: to none in 30 days
    code: tuple[CodeComparison, ...] = ()


def memory_page(workspace: Workspace, name: str) -> MemoryPage:
    """A memory by its id or the start of it. Raises NotFound."""
    known = memories_for_page(workspace)
    shown = show_memory(known, known.resolve_id(name))
    page = page_of(known, shown, recorded_sessions(workspace), commit_rows(workspace, commits_of([shown])))
    return replace(page, code=tuple(comparisons_of(workspace, shown.state)))


def commits_of(shown: Iterable[ShownMemory]) -> set[str]:
    """The commits that changed the code of memories."""
    return {each.commit for one in shown for each in one.state.locations if each.commit and each.status not in INTACT}


def page_of(
    known: MemorySnapshot, shown: ShownMemory, sessions: Sequence[RecordedSession], rows: Mapping[str, CommitRow]
) -> MemoryPage:
    """The page of a memory without its code; `sessions` are those with deliveries, `rows` its commits."""
    one, said = shown.state, shown.memory.said
    deliveries, last = _deliveries(sessions, shown.memory.id)
    entries = [*shown.history, *_changes(shown, rows), *deliveries]
    return MemoryPage(
        memory=memory_row(one, known),
        text=said.text,
        why=said.why,
        rejected=said.rejected,
        sentence=said.sentence,
        importance=said.importance,
        scope=said.scope,
        status_reason=one.why,
        visible="" if shown.hidden else shown.where,
        hidden=shown.hidden,
        session=shown.session[0],
        goal=shown.session[1],
        replaces=shown.replaces,
        replaced_by=shown.replaced_by,
        proposed=shown.proposed,
        contests=shown.contests,
        earlier=one.earlier,
        group=shown.group,
        timeline=tuple(sorted(entries, key=lambda entry: entry.at)),
        times_shown=shown.memory.accesses,
        last_of_use=last,
    )


def _changes(shown: ShownMemory, rows: Mapping[str, CommitRow]) -> Iterator[HistoryEntry]:
    """The commits that changed its code."""
    changed = (each for each in shown.state.locations if each.status not in INTACT and each.commit in rows)
    for status, commit in sorted({(each.status.value, each.commit) for each in changed}):
        row = rows[commit]
        yield HistoryEntry(status, row.at, row.author, f"{row.short} {row.subject}")


def _deliveries(sessions: Sequence[RecordedSession], name: str) -> tuple[list[HistoryEntry], str]:
    """The recorded deliveries that showed it, and when the last session that acted on it was shown it."""
    found: list[HistoryEntry] = []
    uses: list[str] = []
    for each in sessions:
        shown = [one for one in each.deliveries if _names(one.ids, name) and not one.is_silent]
        by = f"{each.host} {each.name}"
        found += [HistoryEntry("shown", moment_of(one.at), by, f"{one.event}, {one.tokens} tokens") for one in shown]
        usage = each.use.memories.get(name) if each.use else None
        if usage and usage.was_acted_on and shown:
            at = moment_of(shown[-1].at)
            uses.append(f"{at} {by}")
            found.append(HistoryEntry("acted on", at, by, "the session acted on it after it was shown"))
    return found, max(uses, default="")


def _names(ids: Sequence[str], name: str) -> bool:
    """Whether one of these ids or prefixes means a memory."""
    return any(each and name.startswith(each) for each in ids)
