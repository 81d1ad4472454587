"""The status of a memory at one revision, and whether it is visible there. Pure: facts from git are values. A memory
applies if the commit that it was written on is in the history, under its own name or under the name that a rewrite gave
it. A memory of a branch is "unmerged" until the branch is merged, and "abandoned" once the branch is deleted.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from repomem.adapters.ledger.trusted_writers import is_untrusted
from repomem.core.records import BEHIND, Anchor, Memory, MemoryEvent, MemoryKind, Origin, Source
from repomem.core.text.escape import inert, one_line
from repomem.core.text.symbol_names import last_part
from repomem.core.types.text import CleanText
from repomem.memories.history_facts import HistoryFacts, is_vanished, is_work_unknown, names_of_record, recorded_at

SUPERSEDED_BY = "superseded by"  # begins the reason for which a replaced memory is archived
SAID_AGAIN = CleanText("stated again in another session")
UNTRUSTED = "from an untrusted writer"
REVERTED = "its work was reverted"
OTHER_HERE = "the code here is not the code that it was recorded on"  # of another history: perhaps nothing changed it
NOT_HERE = "its code is not here"
LONGEST_NAME = 80  # characters of changed code in a reason
CHANCE_TOKENS = 12  # a symbol with fewer tokens resembles others by chance: its fingerprint alone proves no move


class Status(StrEnum):
    """The status of a memory; the values are part of the JSON contract."""

    CURRENT = "current"
    MOVED = "moved"
    DRIFTED = "drifted"
    GONE = "gone"
    SUPERSEDED = "superseded"
    PROVISIONAL = "provisional"
    DONE = "done"  # a closed thread
    CONTESTED = "contested"  # only reported, for current or moved: an agent proposes a replacement
    DENIED = "denied"  # only reported, for provisional: a person said that it is wrong


INTACT = frozenset({Status.CURRENT, Status.MOVED})
CHANGED = frozenset({Status.DRIFTED, Status.GONE})
WAITING = CHANGED | {Status.PROVISIONAL}  # for a person
HIDDEN = frozenset({Status.SUPERSEDED, Status.GONE, Status.DONE})  # never in a brief


class Visibility(StrEnum):
    """A memory's visibility from one revision."""

    HERE = "here"
    UNMERGED = "unmerged"  # on another branch that still exists
    ABANDONED = "abandoned"  # on a branch that was deleted without a merge
    NOT_YET = "not yet"  # written after that revision


@dataclass(frozen=True, slots=True)
class AnchorLocation:
    """An anchor, and where its code is now. The catalog stores these fields."""

    anchor: Anchor
    status: Status  # current, moved, drifted or gone
    path: str = ""
    symbol: str = ""
    start_line: int = 0
    end_line: int = 0
    commit: str = ""  # that changed or removed the code; empty: the worktree, uncommitted
    landed: str = ""  # the first commit with the code as the memory knows it
    is_uncommitted: bool = False  # changed in the worktree, by no commit


Locations = Mapping[str, tuple[AnchorLocation, ...]]
"""Memory id to the locations of its anchors."""


@dataclass(frozen=True, slots=True)
class MemoryState:
    """One memory at one revision."""

    memory: Memory
    visibility: Visibility
    status: Status
    locations: tuple[AnchorLocation, ...] = ()
    commit: str = ""  # that caused the status
    why: str = ""  # explains the status, where that is needed
    contested_by: str = ""  # the memory that an agent proposes instead
    earlier: tuple[str, ...] = ()  # values that older memories gave the same thing, oldest first
    is_denied: bool = False  # a person denied it, and it was not confirmed since
    perhaps_done: str = ""  # what seems to have closed an open thread: "commit 12345678" or "session 01K…"

    @property
    def places(self) -> tuple[AnchorLocation, ...]:
        """The places of its own code, without called functions and used constants."""
        return tuple(each for each in self.locations if each.anchor.derived not in BEHIND)

    @property
    def is_shown(self) -> bool:
        """Whether a brief may hold it."""
        memory = self.memory
        hidden = memory.is_forgotten or memory.archived or memory.grouped_under or self.is_denied
        return not hidden and self.status not in HIDDEN

    @property
    def is_shown_here(self) -> bool:
        """Whether a brief may hold it at this revision."""
        return self.is_shown and self.visibility is Visibility.HERE

    @property
    def review_reason(self) -> str:
        """Why a person must look at it: contested, drifted, gone or provisional; empty: there is no reason."""
        memory = self.memory
        is_decided = self.is_denied or memory.archived or memory.grouped_under
        if is_decided or self.visibility is not Visibility.HERE:
            return ""
        return "contested" if self.contested_by else self.status.value if self.status in WAITING else ""

    @property
    def is_fact(self) -> bool:
        """Whether it may be shown as true here."""
        return self.visibility is Visibility.HERE and self.status in INTACT

    @property
    def reported_status(self) -> Status:
        """The status for lists and filters: contested if a replacement of a fact is proposed, denied by a person."""
        if self.is_denied and self.status is Status.PROVISIONAL:
            return Status.DENIED
        return Status.CONTESTED if self.contested_by and self.is_fact else self.status


def is_everywhere(memory: Memory) -> bool:
    """Whether it is visible on every branch: written by a person, without anchor or scope."""
    return memory.origin.source is Source.PERSON and not memory.said.anchors and not memory.said.scope


def is_trusted(memory: Memory, history: HistoryFacts) -> bool:
    """Whether a person wrote or confirmed it, or the agent's work behind it has lasted.

    A memory of an untrusted writer needs a confirmation here: the writer chose the commit that it names.
    """
    if is_confirmed(memory, history):
        return True
    is_known = not is_untrusted(memory.origin.writer, history.trusted)
    return is_known and (memory.origin.source is Source.PERSON or memory.id in history.lived)


def is_untrusted_claim(memory: Memory, history: HistoryFacts) -> bool:
    """Whether it is from an untrusted writer and unconfirmed here."""
    return is_untrusted(memory.origin.writer, history.trusted) and not is_trusted(memory, history)


def is_confirmed(memory: Memory, history: HistoryFacts) -> bool:
    """Whether a person confirmed it, or said it in a second session."""
    return any(_is_by_person(mark, history) or _is_said_again(mark, memory) for mark in memory.confirmed)


def is_confirmed_after(memory: Memory, later: str, history: HistoryFacts) -> bool:
    """Whether a person confirmed it after another one was written; ids sort by time."""
    return any(mark.record > later and _is_by_person(mark, history) for mark in memory.confirmed)


def _is_said_again(mark: MemoryEvent, memory: Memory) -> bool:
    """Whether a capture confirmed it: this user's person said it in two sessions."""
    origin = mark.origin
    is_own = not (origin.writer or memory.origin.writer) and origin.source is Source.TRANSCRIPT
    return is_own and mark.text == SAID_AGAIN and origin.session != memory.origin.session


def _is_by_person(mark: MemoryEvent, history: HistoryFacts) -> bool:
    return mark.origin.source is Source.PERSON and not is_untrusted(mark.origin.writer, history.trusted)


def visibility(memory: Memory, history: HistoryFacts, locations: tuple[AnchorLocation, ...]) -> Visibility:
    """The memory's visibility from this revision."""
    is_part = _is_part(memory.id, memory.origin, history)
    if history.is_past and not is_part and memory.origin.at > history.until:
        return Visibility.NOT_YET
    if is_part or is_everywhere(memory) or any(one.landed and one.landed in history.ancestors for one in locations):
        return Visibility.HERE
    if not history.living.isdisjoint(names_of_record(memory.id, memory.origin, history)):
        return Visibility.UNMERGED
    return Visibility.ABANDONED


def memory_states(
    memories: Mapping[str, Memory], locations: Locations, history: HistoryFacts
) -> dict[str, MemoryState]:
    """The state of every memory that is not forgotten; `locations` has those of its anchors."""
    live = {name: memory for name, memory in memories.items() if not memory.is_forgotten}
    found = {name: _state(memory, locations.get(name, ()), history) for name, memory in live.items()}
    return {name: _unarchived(_with_successor(one, found, history)) for name, one in found.items()}


def _state(memory: Memory, locations: tuple[AnchorLocation, ...], history: HistoryFacts) -> MemoryState:
    one = MemoryState(memory, visibility(memory, history, locations), _anchored_status(locations), locations)
    if closed := _closing(memory, locations, history):
        note = f": {closed.text}" if closed.text else ""
        return replace(one, status=Status.DONE, why=f"by {closed.origin.author} on {closed.origin.at[:10]}{note}")
    if one.status in CHANGED:
        return _changed(one, history)
    reverted_by = history.reverted.get(history.landings.get(memory.id, ""), "")
    reverted_by = history.reverted_records.get(memory.id, reverted_by)
    is_of_work = not locations and memory.said.kind is not MemoryKind.RULE  # intact code landed again
    if reverted_by and is_of_work and not is_confirmed(memory, history):
        return replace(one, status=Status.PROVISIONAL, commit=reverted_by, why=REVERTED)
    if denial := _denial(memory, history):
        reason = f": {denial.text}" if denial.text else ""
        is_denied = _is_by_person(denial, history)
        by = f"denied by {denial.origin.author}" + f" on {denial.origin.at[:10]}" * is_denied
        return replace(one, status=Status.PROVISIONAL, why=f"{by}{reason}", is_denied=is_denied)
    if is_trusted(memory, history) and not _is_without_work(one, history):
        return one
    return replace(one, status=Status.PROVISIONAL, why=_doubt(one, history))


def _changed(one: MemoryState, history: HistoryFacts) -> MemoryState:
    """A memory whose code has changed or is gone, with the commit and the reason."""
    if one.visibility in {Visibility.UNMERGED, Visibility.ABANDONED}:
        return replace(one, why=NOT_HERE if one.status is Status.GONE else OTHER_HERE)
    changed = [each for each in (*one.places, *one.locations) if each.status in CHANGED]
    worst = next((each for each in changed if each.status is one.status), changed[0])
    is_reverted = one.status is Status.DRIFTED and worst.commit in history.reverts
    return replace(one, commit=worst.commit, why=REVERTED if is_reverted else _change(one, worst))


def _change(one: MemoryState, worst: AnchorLocation) -> str:
    """What happened to its code; empty if a commit changed or deleted the very code that it is shown on."""
    how = BEHIND.get(worst.anchor.derived, "")
    is_other = bool(how) or worst.status is not one.status
    if worst.commit and not is_other:
        return ""
    name = inert(one_line(last_part(worst.anchor.symbol) or worst.anchor.path, LONGEST_NAME))
    code = f"{name}, which it {how}," if how else name if is_other else "its code"
    if worst.status is Status.GONE:
        return f"an uncommitted change deleted {code.rstrip(',')}" if worst.is_uncommitted else f"{code} was deleted"
    if worst.commit:
        return f"{code} was changed"
    return f"{code} has uncommitted changes" if worst.is_uncommitted else f"{code} has changed since it was recorded"


def _is_without_work(one: MemoryState, history: HistoryFacts) -> bool:
    """Whether it came with work that is neither here nor in a known commit: it may never have been true here.

    Code that is here as the memory knows it shows that the work landed. A person may confirm it on another branch.
    """
    memory = one.memory
    landed = {each.landed for each in one.locations} | {history.landings.get(memory.id, "")}
    if is_everywhere(memory) or landed - {"", *names_of_record(memory.id, memory.origin, history)}:
        return False
    by_person = [mark for mark in memory.confirmed if _is_by_person(mark, history)]
    if is_vanished(memory.id, memory.origin, history):
        return not by_person
    is_confirmed_here = any(mark.origin.branch != memory.origin.branch for mark in by_person)
    return not is_confirmed_here and is_work_unknown(memory.id, memory.origin, history)


def _doubt(one: MemoryState, history: HistoryFacts) -> str:
    """Why it is provisional; empty if it is only unconfirmed."""
    memory = one.memory
    if is_untrusted_claim(memory, history):
        return UNTRUSTED
    if not _is_without_work(one, history):
        return ""
    if is_vanished(memory.id, memory.origin, history):
        return f"recorded {recorded_at(memory, history).replace(' ', ' commit ')}, which this clone does not have"
    branch = f"on branch {memory.origin.branch}" if memory.origin.branch else "on no branch"
    before = "before its first known commit" if memory.origin.is_new_branch else "with uncommitted changes"
    return f"recorded {branch} {before}; nothing shows that it was merged"


def _closing(memory: Memory, locations: tuple[AnchorLocation, ...], history: HistoryFacts) -> MemoryEvent | None:
    """The last record that closed a thread in this history: on another branch the work is still to do.

    So it is after a revert of the work, which leaves the thread's code as the thread knows it.
    """
    is_intact = all(each.status in INTACT for each in locations)
    for mark in reversed(memory.done):
        is_reverted = is_intact and mark.record in history.reverted_records
        is_part = _is_part(mark.record, mark.origin, history)
        if is_part and not is_reverted and not is_work_unknown(mark.record, mark.origin, history):
            return mark
    return None


def _is_part(record: str, origin: Origin, history: HistoryFacts) -> bool:
    """Whether the commit that a record belongs to is part of this history."""
    names = names_of_record(record, origin, history)
    is_in_history = not names or not history.ancestors.isdisjoint(names) or set(names) <= history.absent
    return is_in_history or is_vanished(record, origin, history)


def _anchored_status(locations: tuple[AnchorLocation, ...]) -> Status:
    """The worst status of the anchors; gone only if no code of any anchor is left."""
    statuses = {one.status for one in locations}
    if statuses == {Status.GONE}:
        return Status.GONE
    if statuses & CHANGED:
        return Status.DRIFTED
    return Status.MOVED if Status.MOVED in statuses else Status.CURRENT


def _denial(memory: Memory, history: HistoryFacts) -> MemoryEvent | None:
    """The denial since it was last confirmed, a person's if there is one; an agent cannot deny a person's memory."""
    if not memory.contradicted:
        return None
    confirmed = memory.confirmed[-1].record if memory.confirmed else memory.id
    is_firm = is_trusted(memory, history)
    denied = [mark for mark in memory.contradicted if mark.record > confirmed]
    denied = [mark for mark in denied if _is_by_person(mark, history) or not is_firm]
    return max(denied, key=lambda mark: (_is_by_person(mark, history), mark.record), default=None)


def _with_successor(one: MemoryState, found: Mapping[str, MemoryState], history: HistoryFacts) -> MemoryState:
    """Superseded where one of its successors is visible. An agent's successor to a person's memory only contests it.

    An untrusted writer supersedes only that writer's own memories. A proposal ends once another successor counts.
    """
    proposed = ""
    for name in one.memory.superseded_by:
        successor = found.get(name)
        if successor and _is_reverted(one, successor, history):
            continue
        if successor is None or successor.visibility is not Visibility.HERE or successor.memory.archived:
            continue
        if _is_without_work(successor, history):
            continue
        if is_only_proposed(one.memory, successor.memory, history):
            proposed = proposed or name
        else:
            return replace(one, status=Status.SUPERSEDED, why=f"{SUPERSEDED_BY} {name}")
    return replace(one, contested_by=proposed)


def is_archived_as_superseded(memory: Memory) -> bool:
    """Whether it was archived only because another memory replaced it: it comes back where that one does not count."""
    return memory.archived is not None and memory.archived.text.startswith(SUPERSEDED_BY)


def _unarchived(one: MemoryState) -> MemoryState:
    if one.status is Status.SUPERSEDED or not is_archived_as_superseded(one.memory):
        return one
    return replace(one, memory=replace(one.memory, archived=None))


def _is_reverted(one: MemoryState, successor: MemoryState, history: HistoryFacts) -> bool:
    """Whether a revert took back the work of the successor, and it was not confirmed since.

    That is the work it was recorded with, or its code, if that is again as the superseded memory knows it.
    """
    if is_confirmed(successor.memory, history):
        return False
    is_code_back = bool(one.locations) and {each.status for each in one.locations} <= INTACT
    lost = {each.commit for each in successor.locations if each.status not in INTACT}
    return successor.memory.id in history.reverted_records or (is_code_back and not lost.isdisjoint(history.reverts))


def is_only_proposed(one: Memory, successor: Memory, history: HistoryFacts) -> bool:
    """Whether the successor cannot replace the memory until a person decides."""
    if is_trusted(successor, history):
        return False
    is_own = one.origin.writer == successor.origin.writer
    return is_trusted(one, history) or (is_untrusted(successor.origin.writer, history.trusted) and not is_own)
