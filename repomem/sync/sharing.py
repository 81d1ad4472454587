"""Which records of a ledger a sync sends, and why the others stay in this clone.

Memories are sent, with the records about them. Sessions, recalls and a clone's housekeeping stay. So do private
memories, memories made on commits that the remote does not have, unconfirmed memories from a session transcript, and
memories forgotten before they were shared.
"""

from collections import Counter
from collections.abc import Callable, Sequence, Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum

from repomem.adapters.ledger.trusted_writers import is_foreign
from repomem.core.foreign_records import TRAVELLING
from repomem.core.records import Event, Record, Source, without_undone

OF_MEMORIES = TRAVELLING - {Event.REMEMBER, Event.PURGE, Event.REWRITE, Event.PROFILE}


class StayReason(StrEnum):
    """Why a memory is not sent."""

    PRIVATE = "private"
    UNPUSHED = "made on commits that the remote does not have"
    OVERHEARD = "found in a session transcript, not confirmed by a person"
    FORGOTTEN = "forgotten"


@dataclass(frozen=True, slots=True)
class Share:
    """The records to send, this user's and those that others shared, and how many memories stay and why."""

    records: tuple[Record, ...]
    brought: tuple[Record, ...]
    stays: Counter[StayReason]


def share_of(records: Sequence[Record], has: Callable[[str], bool], shared: AbstractSet[str]) -> Share:
    """The records to send. `has` returns whether the remote has a commit, under any name that a rewrite gave it.

    `shared` are the ids that others have already: records about those memories may be sent too. Memories that came from
    another remote, on commits that this one does not have, stay like this user's own.
    """
    own = [record for record in records if not record.origin.writer and record.event in TRAVELLING]
    counted = without_undone(own)
    by_person = [record for record in counted if record.origin.source is Source.PERSON]
    confirmed = {target for record in by_person if record.event is Event.CONFIRM for target in record.targets}
    forgotten = {target for record in counted if record.event is Event.FORGET for target in record.targets}
    brought = [record for record in records if record.origin.writer and not is_foreign(record.origin.writer)]
    staying: dict[str, StayReason] = {}
    for record in (*own, *brought):
        is_new = record.event is Event.REMEMBER and record.id not in shared
        if is_new and (reason := _reason(record, has, confirmed, forgotten)):
            staying[record.id] = reason
    there = {record.id for record in records if record.event is Event.REMEMBER} - staying.keys()
    return Share(
        tuple(record for record in own if _travels(record, has, there)),
        tuple(record for record in brought if record.id in shared or not staying.keys() & {record.id, *_named(record)}),
        Counter(staying.values()),
    )


def _reason(
    record: Record, has: Callable[[str], bool], confirmed: AbstractSet[str], forgotten: AbstractSet[str]
) -> StayReason | None:
    if not record.origin.writer:  # this user's own
        if record.id in forgotten:
            return StayReason.FORGOTTEN
        if record.is_private:
            return StayReason.PRIVATE
        if record.origin.source is Source.TRANSCRIPT and record.id not in confirmed:
            return StayReason.OVERHEARD
    return StayReason.UNPUSHED if _is_unpushed(record, has) else None


def _is_unpushed(record: Record, has: Callable[[str], bool]) -> bool:
    return bool(record.origin.head) and not has(record.origin.head)


def _named(record: Record) -> set[str]:
    """The memories that a record is about."""
    return {*record.targets, *([record.other] if record.other else [])}


def _travels(record: Record, has: Callable[[str], bool], there: AbstractSet[str]) -> bool:
    match record.event:
        case Event.REMEMBER:
            return record.id in there
        case Event.REWRITE:
            return has(record.other)
        case Event.UNDO:  # `other` is a record, not a memory
            return set(record.targets) <= there and not record.is_private
        case Event.ANCHOR if _is_unpushed(record, has):
            return False
        case event if event in OF_MEMORIES:
            return _named(record) <= there and not record.is_private
    return not record.is_private
