"""What of a ledger a sync takes along, and why the rest stays.

Memories travel, with what was told of them. Sessions, recalls and the housekeeping of one clone stay, and so does what
is private, what speaks of commits that the remote does not have, what was read in a session and nobody confirmed, and
what was forgotten before anybody else had it.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum

from repomem.core.records import Event, Record, Source

TRAVELLING = frozenset(
    [
        Event.REMEMBER,
        Event.SUPERSEDE,
        Event.CONFIRM,
        Event.CONTRADICT,
        Event.ANCHOR,
        Event.DONE,
        Event.FORGET,
        Event.PIN,
        Event.UNPIN,
        Event.PURGE,
        Event.REWRITE,
        Event.PROFILE,
    ]
)
OF_MEMORIES = TRAVELLING - {Event.REMEMBER, Event.PURGE, Event.REWRITE, Event.PROFILE}


class Stays(StrEnum):
    """Why a memory stays."""

    PRIVATE = "private"
    UNPUSHED = "said on commits that the remote does not have"
    OVERHEARD = "read in a session, not confirmed by a person"
    FORGOTTEN = "forgotten"


@dataclass(frozen=True, slots=True)
class Share:
    """What travels, of this user's words and of those that others shared, and how many memories stay and why."""

    records: tuple[Record, ...]
    brought: tuple[Record, ...]
    stays: Counter[Stays]


def share_of(records: Sequence[Record], has: Callable[[str], bool], shared: AbstractSet[str]) -> Share:
    """What travels. `has` tells whether the remote has a commit, under any name that it came to have; `shared` are the
    ids that others hold already: what was told of those is no secret any more.

    What came by another remote, on commits that this one does not have, stays as this user's own does.
    """
    own = [record for record in records if not record.origin.writer and record.event in TRAVELLING]
    confirmed = _targets_of(own, lambda record: record.event is Event.CONFIRM and record.origin.source is Source.PERSON)
    forgotten = _targets_of(own, lambda record: record.event is Event.FORGET)
    stays: Counter[Stays] = Counter()
    held: set[str] = set()
    for record in own:
        if record.event is Event.REMEMBER and record.id not in shared:
            is_overheard = record.origin.source is Source.TRANSCRIPT and record.id not in confirmed
            if reason := _reason(record, has, is_overheard=is_overheard, is_forgotten=record.id in forgotten):
                stays[reason] += 1
                held.add(record.id)
    brought = [record for record in records if record.origin.writer]
    for record in brought:
        if record.event is Event.REMEMBER and record.id not in shared and _is_unpushed(record, has):
            stays[Stays.UNPUSHED] += 1
            held.add(record.id)
    there = {record.id for record in records if record.event is Event.REMEMBER} - held
    return Share(
        tuple(record for record in own if _travels(record, has, there)),
        tuple(record for record in brought if record.id in shared or held.isdisjoint({record.id, *_named(record)})),
        stays,
    )


def _reason(record: Record, has: Callable[[str], bool], *, is_overheard: bool, is_forgotten: bool) -> Stays | None:
    reasons = {
        Stays.FORGOTTEN: is_forgotten,
        Stays.PRIVATE: record.is_private,
        Stays.OVERHEARD: is_overheard,
        Stays.UNPUSHED: _is_unpushed(record, has),
    }
    return next((reason for reason, is_so in reasons.items() if is_so), None)


def _is_unpushed(record: Record, has: Callable[[str], bool]) -> bool:
    return bool(record.origin.head) and not has(record.origin.head)


def _named(record: Record) -> set[str]:
    """The memories that a record speaks of."""
    return {*record.targets, *([record.other] if record.other else [])}


def _travels(record: Record, has: Callable[[str], bool], there: AbstractSet[str]) -> bool:
    match record.event:
        case Event.REMEMBER:
            return record.id in there
        case Event.REWRITE:
            return has(record.other)
        case Event.ANCHOR if _is_unpushed(record, has):
            return False
        case event if event in OF_MEMORIES:
            return _named(record) <= there and not record.is_private
    return not record.is_private


def _targets_of(records: Sequence[Record], is_meant: Callable[[Record], bool]) -> set[str]:
    return {target for record in records if is_meant(record) for target in record.targets}
