"""Which records count: this user's, those of trusted writers, and untrusted writers' records about their own memories.

Anyone with push access can write any record under any name. So an untrusted writer cannot forget, confirm, archive or
move another writer's memory, correct the profile, or map a rewritten commit on which others recorded something.
"""

from collections import defaultdict
from collections.abc import Sequence, Set as AbstractSet

from repomem.core.records import Event, Record, without_undone

EVERYBODY = "*"  # trusts everyone with push access
FOREIGN = "ffffff"  # prefix of the writer id for memories of a foreign data folder, which were never pushed
OWN_MEMORY_EVENTS = frozenset(
    [Event.FORGET, Event.CONTRADICT, Event.ANCHOR, Event.ARCHIVE, Event.RESTORE, Event.GROUP, Event.CONFIRM, Event.DONE]
)


def is_untrusted(writer: str, trusted: AbstractSet[str]) -> bool:
    """Whether a writer is neither this user nor trusted."""
    return bool(writer) and trusted.isdisjoint((writer,) if is_foreign(writer) else (writer, EVERYBODY))


def is_foreign(writer: str) -> bool:
    """Whether the memories of a writer came with a data folder that this user did not make, not by a sync."""
    return writer.startswith(FOREIGN)


def effective_records(records: Sequence[Record], trusted: AbstractSet[str]) -> list[Record]:
    """The records that count, in order, without undone ones; `trusted` are ids of writers."""
    if not any(record.origin.writer for record in records):
        return without_undone(records)
    belongings = _Belongings(records)
    return without_undone(
        [
            record
            for record in records
            if not is_untrusted(record.origin.writer, trusted) or belongings.concerns_own_memories(record)
        ]
    )


class _Belongings:
    """The writers of memories, and of the memories recorded at each commit."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._writers: dict[str, str] = {}
        self._record_writers = {record.id: record.origin.writer for record in records}
        self._writers_at: dict[str, set[str]] = defaultdict(set)  # commit to the writers of memories recorded at it
        for record in records:
            if record.event is Event.REMEMBER:
                self._writers[record.id] = record.origin.writer
                self._writers_at[record.origin.head].add(record.origin.writer)

    def concerns_own_memories(self, record: Record) -> bool:
        """Whether a record is only about memories of its own writer."""
        writer = record.origin.writer
        match record.event:
            case Event.REMEMBER:
                return True
            case Event.REWRITE:
                is_only_writer = all(self._writers_at.get(commit, set()) <= {writer} for commit in record.targets)
                return is_only_writer and all(self._writers.get(name, writer) == writer for name in record.targets)
            case Event.UNDO:
                return self._record_writers.get(record.other) == writer
            case Event.SUPERSEDE:  # a proposal if it is another writer's memory; see `memories.status`
                return self._writers.get(record.other) == writer
            case event if event in OWN_MEMORY_EVENTS:
                named = (*record.targets, *([record.other] if record.other else []))
                return all(self._writers.get(name) == writer for name in named)
        return False
