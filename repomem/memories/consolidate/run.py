"""Consolidate: count the recalls, group what says the same, archive what is superseded or unused, distil.

read -> plan (memory) -> write -> read again -> mark that it was done

Nothing is deleted, and nothing is marked before it was written: a run that is cut off is done again by the next one.
There is no daemon; it runs when somebody says so, or within a command when it is due.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from repomem.adapters.ledger.file import FILE
from repomem.core.distilled import Distilled
from repomem.core.errors import GitError, NotFound, RepomemError, StoreError
from repomem.core.locks import try_lock
from repomem.core.records import Event, Memory, Record
from repomem.core.types import CleanText
from repomem.core.ulid import unique_prefix
from repomem.memories.anchors.live_files import live_files_of
from repomem.memories.consolidate.plan import ConsolidationInput, Plan, plan, uses_of
from repomem.memories.consolidate.recall_counts import RecallSpool, drop_spools, spooled_ids, taken_spools
from repomem.memories.consolidate.stored_facts import distil, standing, text_of
from repomem.memories.snapshot import MemorySnapshot, memory_snapshot
from repomem.memories.status import HistoryFacts, MemoryState, is_everywhere, names_of_commit
from repomem.workspace.ledger import Speaker, Told, ledger_of, origin_of, plain_told, records, records_here, tell
from repomem.workspace.snapshot import Snapshot, snapshot
from repomem.workspace.workspace import Workspace

LOCK = "consolidate.lock"
META = "consolidated"  # in the catalog: when it was done last, and what was left
DUE_RECORDS = 50  # added since the last time
DUE_AFTER = timedelta(days=7)
MOST_LEAP = timedelta(days=60)  # between two times, before the clock is doubted: a wrong one must not archive
BUSY_SECONDS = 0.2  # that a command may spend on it by the way
STEPS = ("recalls", "memories", "distilled")
ITSELF = Speaker(tool="repomem")
TIME_FORMAT = "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True, slots=True)
class Grouped:
    """Memories, id and text, that are shown by one of them from now on."""

    id: str
    text: str
    members: tuple[tuple[str, str], ...]
    likeness: float


@dataclass(frozen=True, slots=True)
class Archived:
    """A memory that is in no brief from now on."""

    id: str
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Consolidated:
    """What was done; of a dry run what would be."""

    groups: tuple[Grouped, ...] = ()
    archived: tuple[Archived, ...] = ()
    recalled: int = 0  # memories whose recall was counted
    distilled: tuple[str, ...] = ()  # a line each; all that stands, be it known from before
    left: tuple[str, ...] = ()  # steps for which there was no time
    unread: tuple[Path, ...] = ()  # notes of recalls that could not be read, and are to be counted another time
    is_dry_run: bool = False


@dataclass(frozen=True, slots=True)
class _Last:
    """The last time."""

    at: str = ""
    lines: int = 0  # of the ledger
    left: tuple[str, ...] = STEPS


@dataclass(slots=True)
class _Run:
    """One consolidation under way: what it works on and what it has found so far."""

    workspace: Workspace
    snapshot: Snapshot
    now: str
    deadline: float  # on time.monotonic
    known: MemorySnapshot | None = None
    recalled: tuple[str, ...] = ()  # since the records of `known`
    result: Consolidated = field(default_factory=Consolidated)

    @property
    def is_late(self) -> bool:
        return time.monotonic() > self.deadline

    @property
    def memories(self) -> MemorySnapshot:
        if self.known is None:
            self.known = memory_snapshot(self.workspace, live_files_of(self.snapshot))
        return self.known


def consolidate(
    workspace: Workspace,
    *,
    is_dry_run: bool = False,
    deadline: float = float("inf"),
    known: MemorySnapshot | None = None,
) -> Consolidated:
    """Do what is to be done until the deadline (on `time.monotonic`); a dry run only tells, and writes nothing.

    `known` are the memories as they stand here, where the caller knows them. Raises NotFound where nothing was
    indexed, StoreError where the ledger cannot be written.
    """
    found = snapshot(workspace)
    if found is None:
        raise NotFound("nothing is indexed here yet", "run repomem index")
    run = _Run(workspace, found, _believed_now(_last(workspace)), deadline, known)
    if is_dry_run:
        return replace(_foreseen(run), is_dry_run=True)
    with try_lock(workspace.folder / LOCK) as is_held:
        return _consolidated(run, STEPS) if is_held else Consolidated(left=STEPS)


def consolidate_if_due(workspace: Workspace, known: MemorySnapshot | None = None) -> Consolidated | None:
    """Consolidate by the way, for a fifth of a second, where enough was added or enough time has passed.

    None where it is not due or cannot be done; whoever comes next tries again, and nobody is told.
    """
    if not os.access(workspace.folder, os.W_OK):
        return None
    with suppress(RepomemError):
        last = _last(workspace)
        steps = last.left or (STEPS if _is_due(workspace, last) else ())
        steps = tuple(step for step in steps if step != "distilled" or _is_store_loaded())
        found = snapshot(workspace) if steps else None
        if found:
            now, deadline = _believed_now(last), time.monotonic() + BUSY_SECONDS
            with try_lock(workspace.folder / LOCK) as is_held:
                return _consolidated(_Run(workspace, found, now, deadline, known), steps) if is_held else None
    return None


def restore(workspace: Workspace, known: MemorySnapshot, wanted: str, speaker: Speaker) -> str:
    """Bring a memory back that was archived or grouped; its id. It is not grouped again by itself."""
    memory = known.states[known.resolve_id(wanted)].memory
    if not memory.archived and not memory.grouped_under:
        raise NotFound(
            f"{short_id(known, memory.id)} is neither archived nor grouped", "repomem consolidate --dry-run tells more"
        )
    tell(workspace, origin_of(workspace, speaker), plain_told(Event.RESTORE, memory.id))
    return memory.id


def short_id(known: MemorySnapshot, name: str) -> str:
    """The start of an id that is the start of no other."""
    return unique_prefix(name, known.ids)


# When


def _is_store_loaded() -> bool:
    """Whether LanceDB is there already: a command that needs none must not wait a second for it."""
    return "repomem.adapters.lance.tables" in sys.modules


def _is_due(workspace: Workspace, last: _Last) -> bool:
    age = _age(last)
    return age is None or abs(age) >= DUE_AFTER or _lines(workspace) - last.lines >= DUE_RECORDS


def _believed_now(last: _Last) -> str:
    """The time; where the clock has leapt ahead since the last time, that one: it is believed when it is met again."""
    age = _age(last)
    return last.at if age and age > MOST_LEAP else _clock()


def _age(last: _Last) -> timedelta | None:
    """How long ago the last time was; negative where the clock was set back, None where there was none."""
    try:
        return datetime.now(UTC) - datetime.strptime(last.at, TIME_FORMAT).replace(tzinfo=UTC)
    except ValueError:
        return None


def _clock() -> str:
    return datetime.now(UTC).strftime(TIME_FORMAT)


def _last(workspace: Workspace) -> _Last:
    try:
        at, lines, left = json.loads(workspace.catalog.meta(META) or "[]")
        return _Last(str(at), int(lines), tuple(step for step in left if step in STEPS))
    except (ValueError, TypeError):
        return _Last()


def _mark(run: _Run, left: Sequence[str]) -> None:
    run.workspace.catalog.set_meta(META, json.dumps([_clock(), _lines(run.workspace), list(left)]))


def _lines(workspace: Workspace) -> int:
    """About how many records there are: counting lines is quick, and reading them is not."""
    counts = [0]
    for folder in ledger_of(workspace).folders:
        with suppress(OSError):
            counts.append((folder / FILE).read_bytes().count(b"\n"))
    return max(counts)


# What


def _foreseen(run: _Run) -> Consolidated:
    run.recalled = tuple(sorted(spooled_ids(run.workspace) & run.memories.states.keys()))
    run.result = replace(run.result, recalled=len(run.recalled))
    _tell_plan(run, _plan(run)[0])
    _tell_distilled(run, distil(run.snapshot, run.memories.records))
    return run.result


def _consolidated(run: _Run, steps: Sequence[str]) -> Consolidated:
    """Take the steps in turn; one at least, so that a short time is enough in the end, and a cut one comes last."""
    deeds: dict[str, Callable[[_Run], bool]] = {"recalls": _count, "memories": _tidy, "distilled": _distil}
    left = [step for step in _last(run.workspace).left if step not in steps]
    waiting = list(steps)
    while waiting and (len(waiting) == len(steps) or not run.is_late):
        step = waiting.pop(0)
        if not deeds[step](run):
            left.append(step)
    left = [*waiting, *left]
    _mark(run, left)
    run.result = replace(run.result, left=tuple(left))
    return run.result


def _count(run: _Run) -> bool:
    """Turn the spooled recalls into one record; a spool that was counted before it could be deleted counts once."""
    spools, unread = taken_spools(run.workspace)
    made = _kept(run.workspace, lambda before: _accesses(run, before, spools)) if spools else []
    run.recalled = tuple(sorted({name for record in made for name in record.targets}))
    run.result = replace(run.result, recalled=len(run.recalled), unread=tuple(unread))
    drop_spools(spools)
    return True


def _accesses(run: _Run, before: Sequence[Record], spools: Sequence[RecallSpool]) -> list[Record]:
    counted = {record.text for record in before if record.event is Event.ACCESS}
    forgotten = {target for record in before if record.event is Event.FORGET for target in record.targets}
    said = {record.id for record in before if record.event is Event.REMEMBER} - forgotten
    fresh = [(each.token, sorted(said.intersection(each.ids))) for each in spools if each.token not in counted]
    told = [plain_told(Event.ACCESS, *ids, text=CleanText(token)) for token, ids in fresh if ids]
    return records(before, origin_of(run.workspace, ITSELF), told)


def _tidy(run: _Run) -> bool:
    """Group and archive; whether there was time to ask git all that there was to ask."""
    found, is_whole = _plan(run)
    told = [
        *(plain_told(Event.GROUP, *group.members, other=group.head) for group in found.groups),
        *(plain_told(Event.ARCHIVE, each.id, text=CleanText(each.reason)) for each in found.archives),
    ]
    if told:
        known = {record.id for record in run.memories.records}
        origin = origin_of(run.workspace, ITSELF)
        _kept(run.workspace, lambda before: records(before, origin, _untouched(told, before, known)))
    _tell_plan(run, found)
    return is_whole


def _untouched(told: Sequence[Told], before: Sequence[Record], known: set[str]) -> list[Told]:
    """What is still to be told: of a memory of which somebody spoke meanwhile nothing, until the next time."""
    new = [record for record in before if record.id not in known and record.event is not Event.ACCESS]
    touched = {name for record in new for name in (*record.targets, record.other)}
    kept = [
        (event, [name for name in targets if name not in touched], other, text)
        for event, targets, other, text in told
        if other not in touched or not other
    ]
    return [each for each in kept if each[1]]


def _distil(run: _Run) -> bool:
    found = distil(run.snapshot, records_here(run.workspace) if run.known is None else run.known.records)
    run.workspace.catalog.distilled.keep(found)
    _tell_distilled(run, found)
    return True


def _plan(run: _Run) -> tuple[Plan, bool]:
    """The plan, and whether it is the whole one: what git could not be asked in time is left as it is."""
    known = run.memories
    coverage = _Coverage(run.workspace, known.history, run.deadline)
    uses = uses_of(known.records, run.recalled, run.now)
    stock = ConsolidationInput(_own(known.states), uses, known.history, run.now, coverage, coverage.is_late)
    return plan(stock, run.workspace.loaded.config.memory.max_live), not coverage.is_cut


def _own(states: Mapping[str, MemoryState]) -> dict[str, MemoryState]:
    """Without what syncs brought: its writers look after it."""
    return {name: one for name, one in states.items() if not one.memory.origin.writer}


def _kept(workspace: Workspace, make: Callable[[list[Record]], list[Record]]) -> list[Record]:
    """Write records, and read them again: only what is there counts as done."""
    made = ledger_of(workspace).append(make)
    there = {record.id for record in ledger_of(workspace).records()} if made else set()
    if any(record.id not in there for record in made):
        raise StoreError("the ledger does not hold what was just written to it", "run repomem ledger verify")
    return made


def _tell_plan(run: _Run, found: Plan) -> None:
    def text(name: str) -> str:
        return run.memories.states[name].memory.said.text

    run.result = replace(
        run.result,
        groups=tuple(
            Grouped(each.head, text(each.head), tuple((name, text(name)) for name in each.members), each.likeness)
            for each in found.groups
        ),
        archived=tuple(Archived(each.id, text(each.id), each.reason) for each in found.archives),
    )


def _tell_distilled(run: _Run, found: Sequence[Distilled]) -> None:
    told = records_here(run.workspace) if run.known is None else run.known.records
    notes = {record.id: record for record in told if record.event is Event.SESSION_NOTE}
    run.result = replace(
        run.result, distilled=tuple(text_of(each, notes) for each in standing(run.snapshot, told, found))
    )


class _Coverage:
    """Whether one memory is seen on every local branch on which another is; no, once there is no time to ask git."""

    def __init__(self, workspace: Workspace, world: HistoryFacts, deadline: float) -> None:
        self._workspace = workspace
        self._world = world
        self._deadline = deadline
        self._known: dict[tuple[str, str], bool] = {}
        self.is_cut = False

    def __call__(self, one: Memory, other: Memory) -> bool:
        if is_everywhere(one) or not one.origin.head:
            return True
        if is_everywhere(other) or not other.origin.head:
            return False
        key = self._commit(one), self._commit(other)
        if key[0] == key[1]:
            return True
        if key not in self._known:
            if self.is_late():
                return False
            self._known[key] = self._asked(*key)
        return self._known[key]

    def is_late(self) -> bool:
        """Whether the deadline has passed; that somebody was told so is kept."""
        self.is_cut = self.is_cut or time.monotonic() > self._deadline
        return self.is_cut

    def _commit(self, memory: Memory) -> str:
        """The commit that it was said on, by its present name."""
        names = names_of_commit(memory.origin.head, self._world)
        return next((name for name in names if name in self._world.ancestors), memory.origin.head)

    def _asked(self, one: str, other: str) -> bool:
        wanted = (f"--contains={other}", f"--no-contains={one}", "--count=1", "refs/heads")
        try:
            return not self._workspace.repository.read("for-each-ref", "--format=%(refname)", *wanted).strip()
        except GitError:  # a commit that this clone lacks: nobody knows where it is seen
            return False
