"""Consolidate: count recalls, group memories that say the same, archive superseded and unused ones.

read -> plan -> write -> read again -> mark as done

Nothing is deleted. A step is marked only after its records are written, so the next run repeats an interrupted one.
There is no daemon: it runs on command, or within another command when it is due.
"""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from repomem.core.errors import NotFound, RepomemError, StoreError
from repomem.core.processes.locks import try_lock
from repomem.core.records import Event, Record, without_undone
from repomem.core.types.text import CleanText
from repomem.memories.anchors.live_files import live_files_of
from repomem.memories.consolidate.consolidation_input import BranchCoverage, ConsolidationInput, uses_of
from repomem.memories.consolidate.plan import Archival, Group, Plan, plan
from repomem.memories.consolidate.recall_counts import RecallSpool, drop_spools, spooled_ids, taken_spools
from repomem.memories.consolidate.schedule import STEPS, is_due, last_run, mark_done, plausible_now
from repomem.memories.learned.wording import learned_texts
from repomem.memories.snapshots.snapshot import MemorySnapshot, memory_snapshot
from repomem.memories.status import MemoryState
from repomem.workspace.ledger import REPOMEM, RecordDraft, ledger_of, origin_of, record_draft, records
from repomem.workspace.snapshot import Snapshot, snapshot
from repomem.workspace.workspace import Workspace

LOCK = "consolidate.lock"
BUSY_SECONDS = 0.2  # that another command may spend on it


@dataclass(frozen=True, slots=True)
class Consolidated:
    """The result, or the plan of a dry run."""

    groups: tuple[Group, ...] = ()
    archived: tuple[Archival, ...] = ()
    recalled: int = 0  # memories whose recall was counted
    learned: tuple[str, ...] = ()  # a line each: what sessions taught
    left: tuple[str, ...] = ()  # steps skipped for lack of time
    unread: tuple[Path, ...] = ()  # unreadable recall spools, to be counted later
    is_dry_run: bool = False


@dataclass(slots=True)
class _Run:
    """One consolidation in progress."""

    workspace: Workspace
    snapshot: Snapshot
    now: str
    deadline: float  # on time.monotonic
    known: MemorySnapshot | None = None
    recalled: tuple[str, ...] = ()  # since the records of `known`

    @property
    def memories(self) -> MemorySnapshot:
        if self.known is None:
            self.known = memory_snapshot(live_files_of(self.snapshot))
        return self.known


def consolidate(workspace: Workspace, *, is_dry_run: bool = False) -> Consolidated:
    """Consolidate; a dry run writes nothing. NotFound without an index, StoreError if the ledger cannot be written."""
    found = snapshot(workspace)
    if found is None:
        raise NotFound("nothing is indexed yet", "run repomem index")
    run = _Run(workspace, found, plausible_now(last_run(workspace)), deadline=math.inf)
    if is_dry_run:
        done = _preview(run)
    else:
        with try_lock(workspace.folder / LOCK) as is_held:
            if not is_held:
                return Consolidated(left=STEPS)
            done = _consolidated(run, STEPS)
    return replace(done, learned=tuple(learned_texts(run.memories.records)), is_dry_run=is_dry_run)


def consolidate_if_due(workspace: Workspace, known: MemorySnapshot | None = None) -> Consolidated | None:
    """Consolidate for a fifth of a second within another command, if it is due; `known` are the memories.

    None if it is not due or fails; the next command tries again.
    """
    if not workspace.is_writable:
        return None
    with suppress(RepomemError):
        last = last_run(workspace)
        steps = last.left or (STEPS if is_due(workspace, last) else ())
        found = snapshot(workspace) if steps else None
        if found:
            now, deadline = plausible_now(last), time.monotonic() + BUSY_SECONDS
            with try_lock(workspace.folder / LOCK) as is_held:
                return _consolidated(_Run(workspace, found, now, deadline, known), steps) if is_held else None
    return None


def _preview(run: _Run) -> Consolidated:
    run.recalled = tuple(sorted(spooled_ids(run.workspace) & run.memories.states.keys()))
    found, _ = _plan(run)
    return Consolidated(found.groups, found.archives, len(run.recalled))


def _consolidated(run: _Run, steps: Sequence[str]) -> Consolidated:
    """Run the steps in turn, at least one, so that short runs complete in the end; an unfinished step comes last."""
    actions = {"recalls": _count_recalls, "memories": _group_and_archive}
    result, left = Consolidated(), list[str]()
    for at, step in enumerate(steps):
        if at and time.monotonic() > run.deadline:
            left = [*steps[at:], *left]
            break
        result, is_whole = actions[step](run, result)
        left += [] if is_whole else [step]
    mark_done(run.workspace, left)
    return replace(result, left=tuple(left))


def _count_recalls(run: _Run, result: Consolidated) -> tuple[Consolidated, bool]:
    """Write one record per recall spool; a spool that an interrupted run has counted is not counted again."""
    spools, unread = taken_spools(run.workspace)
    made = _write(run.workspace, lambda before: _accesses(run, before, spools)) if spools else []
    run.recalled = tuple(sorted({name for record in made for name in record.targets}))
    drop_spools(spools)
    return replace(result, recalled=len(run.recalled), unread=tuple(unread)), True


def _accesses(run: _Run, before: Sequence[Record], spools: Sequence[RecallSpool]) -> list[Record]:
    counted = {record.text for record in before if record.event is Event.ACCESS}
    forgotten = {
        target for record in without_undone(before) if record.event is Event.FORGET for target in record.targets
    }
    said = {record.id for record in before if record.event is Event.REMEMBER} - forgotten
    fresh = [(each.token, sorted(said.intersection(each.ids))) for each in spools if each.token not in counted]
    drafts = [record_draft(Event.ACCESS, *ids, text=CleanText(token)) for token, ids in fresh if ids]
    return records(before, origin_of(run.workspace, REPOMEM), drafts)


def _group_and_archive(run: _Run, result: Consolidated) -> tuple[Consolidated, bool]:
    """Group and archive; whether there was time for every question to git."""
    found, is_whole = _plan(run)
    drafts = [
        *(record_draft(Event.GROUP, *dict(group.members), other=group.id) for group in found.groups),
        *(record_draft(Event.ARCHIVE, each.id, text=CleanText(each.reason)) for each in found.archives),
    ]
    if drafts:
        known = {record.id for record in run.memories.records}
        origin = origin_of(run.workspace, REPOMEM)
        _write(run.workspace, lambda before: records(before, origin, _without_touched(drafts, before, known)))
    return replace(result, groups=found.groups, archived=found.archives), is_whole


def _without_touched(drafts: Sequence[RecordDraft], before: Sequence[Record], known: set[str]) -> list[RecordDraft]:
    """The events without memories that other records changed meanwhile; the next run handles those."""
    new = [record for record in before if record.id not in known and record.event is not Event.ACCESS]
    touched = {name for record in new for name in (*record.targets, record.other)}
    kept = [
        (event, [name for name in targets if name not in touched], other, text)
        for event, targets, other, text in drafts
        if other not in touched or not other
    ]
    return [each for each in kept if each[1]]


def _plan(run: _Run) -> tuple[Plan, bool]:
    """The plan, and whether it is complete: memories that git could not check in time stay unchanged."""
    known = run.memories
    coverage = BranchCoverage(run.workspace, known.history, run.deadline)
    uses = uses_of(known.records, run.recalled, run.now)
    stock = ConsolidationInput(_own(known), uses, known.history, run.now, coverage, coverage.is_late)
    return plan(stock, run.workspace.loaded.config.memory.max_live), not coverage.is_cut


def _own(known: MemorySnapshot) -> dict[str, MemoryState]:
    """The memories without synced ones, which their writers consolidate, and without those of every repository."""
    return {name: one for name, one in known.states.items() if not one.memory.origin.writer and name not in known.mine}


def _write(workspace: Workspace, make: Callable[[list[Record]], list[Record]]) -> list[Record]:
    """Write records, and read them back to verify."""
    made = ledger_of(workspace).append(make)
    there = {record.id for record in ledger_of(workspace).records()} if made else set()
    if any(record.id not in there for record in made):
        raise StoreError("the ledger lacks records that were just written", "run repomem ledger verify")
    return made
