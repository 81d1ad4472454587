"""The brief for a task as an agent gets it, line by line; and the briefs that hooks have delivered."""

from dataclasses import dataclass

from repomem.core.text.tokens import count_tokens
from repomem.core.times import moment_of
from repomem.core.types.brief import ExplainedLine
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.recall.answer import recall_now
from repomem.recall.request import BriefRequest
from repomem.ui.pages.rows import MemoryRow, memory_row
from repomem.ui.pages.sessions import RecordedSession, recorded_sessions
from repomem.ui.repository import memories_for_page
from repomem.workspace.run import Run
from repomem.workspace.workspace import Workspace

MOST_SESSIONS = 50  # listed, the newest


@dataclass(frozen=True, slots=True)
class BriefLine:
    """A line of a brief; `why` is set for memories and places, `memory` is the id of a memory."""

    text: str
    tokens: int
    why: str = ""
    memory: str = ""
    is_shown: bool = True


@dataclass(frozen=True, slots=True)
class BriefPage:
    """A brief; without a task the map of the repository."""

    task: str
    budget: int
    tokens: int
    gate: str  # use, limited or none
    gate_reason: str
    lines: tuple[BriefLine, ...]
    omitted: tuple[tuple[str, int], ...]  # number of items per kind that did not fit


@dataclass(frozen=True, slots=True)
class DeliveryRow:
    """The output of one hook call."""

    at: str
    event: str
    tokens: int
    memories: tuple[MemoryRow, ...]
    paths: tuple[str, ...]
    of_use: tuple[str, ...]  # ids of memories, and paths, that the session acted on
    is_silent: bool  # recorded, not shown
    agent: str  # the sub-agent that it was shown to


@dataclass(frozen=True, slots=True)
class DeliveredSession:
    """What a session was shown."""

    host: str
    session: str
    last: str
    deliveries: tuple[DeliveryRow, ...]


def brief_page(workspace: Workspace, task: str, budget: int) -> BriefPage:
    """The brief for a task; a preview, which does not count as a use of memories."""
    brief = recall_now(workspace, BriefRequest(task, budget, is_explained=True, is_counted=False), Run())
    unexplained = brief.markdown.rstrip("\n").split("\n") if brief.markdown else ()
    lines = brief.explained or map(ExplainedLine, unexplained)
    return BriefPage(
        brief.query,
        brief.budget,
        brief.tokens,
        brief.gate.state,
        brief.gate.why,
        tuple(map(_line, lines)),
        brief.omitted,
    )


def _line(each: ExplainedLine) -> BriefLine:
    return BriefLine(
        each.text,
        count_tokens(each.text) + 1,  # and its line break
        each.why,
        each.item.whole_id if each.item else "",
        each.is_shown,
    )


def delivered_sessions(workspace: Workspace) -> list[DeliveredSession]:
    """The sessions of the last 30 days that hooks showed something to, the newest first."""
    known = memories_for_page(workspace)
    found = [_session(known, each) for each in recorded_sessions(workspace)]
    return sorted(found, key=lambda session: session.last, reverse=True)[:MOST_SESSIONS]


def _session(known: MemorySnapshot, recorded: RecordedSession) -> DeliveredSession:
    use = recorded.use
    memories = use.memories.items() if use else ()
    places = use.places.items() if use else ()
    acted = {name for name, usage in (*memories, *places) if usage.was_acted_on}
    rows = []
    for each in recorded.deliveries:
        names = [name for shown in each.ids if (name := _whole(known, shown))]
        rows.append(
            DeliveryRow(
                moment_of(each.at),
                each.event,
                each.tokens,
                tuple(memory_row(known.states[name], known) for name in names),
                each.paths,
                tuple(name for name in (*names, *each.paths) if name in acted),
                each.is_silent,
                each.agent,
            )
        )
    return DeliveredSession(recorded.host, recorded.name, rows[-1].at, tuple(rows))


def _whole(known: MemorySnapshot, prefix: str) -> str:
    """The id of the memory that a prefix meant; empty if it was forgotten."""
    if prefix in known.states:
        return prefix
    return next((name for name in known.states if prefix and name.startswith(prefix)), "")
