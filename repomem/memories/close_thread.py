"""Close an open thread: a record names who closed it, when and at which commit."""

from collections.abc import Sequence

from repomem.core.errors import RepomemError
from repomem.core.records import Event, MemoryKind, Record
from repomem.core.types.text import CleanText
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.memories.status import Status
from repomem.workspace.ledger import Speaker, append_records, origin_of, record_draft, with_work_tree
from repomem.workspace.workspace import Workspace


def close_threads(
    workspace: Workspace, known: MemorySnapshot, names: Sequence[str], note: CleanText, speaker: Speaker
) -> list[Record]:
    """Close threads, and give the records that close those that were still open.

    Raises RepomemError, closing none, if one is not a thread. Agents may close a person's threads, since they do the
    work; the record names them.
    """
    for name in names:
        kind = known.states[name].memory.said.kind
        if kind is not MemoryKind.THREAD:
            raise RepomemError(
                f"{known.short_id(name)} is a {kind.value}, but only an open thread can be closed",
                f"replace it: repomem remember --supersedes {known.short_id(name)} TEXT, or forget it: repomem forget",
            )
    closed = [name for name in dict.fromkeys(names) if known.states[name].status is not Status.DONE]
    if not closed:
        return []
    origin = with_work_tree(workspace, origin_of(workspace, speaker))
    return append_records(workspace, origin, record_draft(Event.DONE, *closed, text=note))
