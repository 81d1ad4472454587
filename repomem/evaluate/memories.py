"""`repomem eval --memory`: were memories shown where later commits changed their code?

each commit -> the state at its parent -> the brief for its message -> memories shown, memories whose code it changed

Nothing is written: the index serves as it is, and files of a parent that it lacks are left out.
"""

from collections.abc import Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass, replace

from repomem.adapters.git.log import commit_time, head_of
from repomem.core.errors import NotFound
from repomem.core.records import MemoryKind
from repomem.core.times import moment_of
from repomem.core.types.brief import Brief
from repomem.evaluate.replay import ReplayOptions
from repomem.evaluate.run import tasks_of
from repomem.evaluate.tasks import ReplayTask
from repomem.index.at_commit import snapshot_at
from repomem.memories.memory_report import MemoryReport, memory_report
from repomem.memories.snapshots.snapshot import MemorySnapshot, memories_in, memories_now
from repomem.memories.status import CHANGED, MemoryState
from repomem.recall.answer import ready
from repomem.recall.brief import recall
from repomem.recall.request import BriefRequest
from repomem.workspace.run import Run
from repomem.workspace.workspace import Workspace

MEMORY_KINDS = frozenset(kind.value for kind in MemoryKind)


@dataclass(frozen=True, slots=True)
class CommitWithMemories:
    """A commit, the anchored memories that the brief for its message showed, and those whose code it changed."""

    commit: str
    date: str
    shown: frozenset[str]
    touched: frozenset[str]


@dataclass(frozen=True, slots=True)
class MemoryEvaluation:
    """The figures; a share without a denominator is None."""

    rows: Sequence[CommitWithMemories]  # commits before which an anchored memory was known, oldest first
    coverage: float | None  # of the memories whose code a commit changed, the share that its brief showed
    precision: float | None  # of the anchored memories that briefs showed, the share whose code the commit changed
    anchored: int  # memories on code, as they are now
    drift: float | None  # the share of these whose code has changed or is gone
    useless: int  # shown in a replayed brief, and no replayed commit changed their code
    report: MemoryReport  # bloat, and memories that no brief showed


def evaluate_memories(workspace: Workspace, options: ReplayOptions, run: Run) -> MemoryEvaluation:
    """Replay the newest commits that qualify against the memories known before each."""
    now = ready(workspace, run).snapshot
    _, tasks = tasks_of(workspace.repository, head_of(workspace.repository)[0] or "", options.commits)
    symbols = {row.episode.commit: frozenset(row.episode.symbols) for row in now.newest_episodes()}
    rows: list[CommitWithMemories] = []
    with run.progress.stage("Replaying", len(tasks), "commits") as stage:
        for task in tasks:
            row = _replayed(workspace, task, symbols.get(task.commit, frozenset()), options.budget, run)
            rows += [row] if row else []
            stage.advance()
    right = sum(len(row.shown & row.touched) for row in rows)
    shown = frozenset[str]().union(*(row.shown for row in rows))
    touched = frozenset[str]().union(*(row.touched for row in rows))
    states = [one for one in memories_now(workspace).states.values() if one.memory.said.anchors]
    return MemoryEvaluation(
        rows=rows,
        coverage=_share(right, sum(len(row.touched) for row in rows)),
        precision=_share(right, sum(len(row.shown) for row in rows)),
        anchored=len(states),
        drift=_share(sum(one.status in CHANGED for one in states), len(states)),
        useless=len(shown - touched),
        report=memory_report(workspace),
    )


def _replayed(
    workspace: Workspace, task: ReplayTask, symbols: AbstractSet[str], budget: int, run: Run
) -> CommitWithMemories | None:
    """The outcome of one commit; None if no anchored memory was known before it."""
    try:
        before, _ = snapshot_at(workspace, task.parent, run, is_indexed=False)
    except NotFound:  # the index has nothing of that commit
        return None
    until = moment_of(commit_time(workspace.repository, task.commit))  # what was recorded on the parent until then
    before = replace(before, past=before.past and replace(before.past, until=until))
    known = memories_in(before)
    anchored = {name: one for name, one in known.states.items() if one.memory.said.anchors and one.is_shown_here}
    if not anchored:
        return None
    shown = _shown_in(recall(before, BriefRequest(task.question, budget, at=task.parent)), known)
    touched = frozenset(name for name, one in anchored.items() if _is_touched(one, task, symbols))
    return CommitWithMemories(task.commit, task.date, shown & anchored.keys(), touched)


def _shown_in(brief: Brief, known: MemorySnapshot) -> frozenset[str]:
    named = {item.id for item in brief.items if item.kind in MEMORY_KINDS and item.id and not item.repository}
    short: Mapping[str, str] = {known.short_id(name): name for name in known.states}
    return frozenset(short[each] for each in named if each in short)


def _is_touched(one: MemoryState, task: ReplayTask, symbols: AbstractSet[str]) -> bool:
    """Whether the commit changed the memory's file, and its symbol if the commit's symbols are indexed."""
    for placed in one.locations:
        if placed.path in task.changed:
            of_file = {each.partition(":")[2] for each in symbols if each.startswith(f"{placed.path}:")}
            if not placed.symbol or not of_file or placed.symbol in of_file:
                return True
    return False


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
