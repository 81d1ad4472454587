"""Whose word counts here: this user's, and that of the writers whom he trusts.

A sync brings what others wrote. Anybody who may push can write there what he likes, in whatever name, so a stranger's
record counts only in what belongs to him: what he says himself, and what he tells of that. He cannot forget, confirm,
archive or move another's memory, correct the profile, or say what a commit became on which others said something.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from repomem.core.records import Event, Origin, Record

EVERYBODY = "*"  # among the trusted: whoever may push
OF_HIS_OWN = frozenset(
    [Event.FORGET, Event.CONTRADICT, Event.ANCHOR, Event.ARCHIVE, Event.RESTORE, Event.GROUP, Event.CONFIRM]
)


def is_stranger(origin: Origin, trusted: AbstractSet[str]) -> bool:
    """Whether it was written by somebody whom nobody here trusts."""
    return bool(origin.writer) and trusted.isdisjoint((origin.writer, EVERYBODY))


def heard(records: Sequence[Record], trusted: AbstractSet[str]) -> list[Record]:
    """The records that count here, in their order; `trusted` are ids of writers."""
    if not any(record.origin.writer for record in records):
        return list(records)
    belongings = _Belongings(records)
    return [record for record in records if not is_stranger(record.origin, trusted) or belongings.are_his(record)]


class _Belongings:
    """Whose memories, and whose commits, records are about."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._writers: dict[str, str] = {}
        self._speakers: dict[str, set[str]] = defaultdict(set)  # commit to the writers who said something on it
        for record in records:
            if record.event is Event.REMEMBER:
                self._writers[record.id] = record.origin.writer
                self._speakers[record.origin.head].add(record.origin.writer)

    def are_his(self, record: Record) -> bool:
        """Whether a record is about nothing but what its writer said."""
        writer = record.origin.writer
        match record.event:
            case Event.REMEMBER:
                return True
            case Event.REWRITE:
                return all(self._speakers.get(commit, set()) <= {writer} for commit in record.targets)
            case Event.SUPERSEDE:  # of another's memory it is a proposal, and `memories.status` weighs it
                return self._writers.get(record.other) == writer
            case event if event in OF_HIS_OWN:
                named = (*record.targets, *([record.other] if record.other else []))
                return all(self._writers.get(name) == writer for name in named)
        return False
