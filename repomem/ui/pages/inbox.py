"""The memories that wait for a person, each with the reason and its source."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from repomem.core.types.commits import short_hash
from repomem.memories.review import PendingReview, pending_reviews, reason_of
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.recall.commit_sessions import CommitSession, source_sessions
from repomem.ui.pages.rows import CommitRow, MemoryRow, commit_rows, memory_row
from repomem.ui.repository import memories_for_page
from repomem.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class InboxItem:
    """A memory that waits, with all that a person needs to decide; fields that do not apply are empty."""

    memory: MemoryRow
    text: str
    waits: str  # contested, drifted, gone or provisional
    reason: str
    because: str  # the memory's own reason
    sentence: str  # of the session that it was written in, word for word
    rejected: tuple[str, ...]
    written_at: CommitRow | None  # the commit that was checked out
    caused_by: CommitRow | None  # the commit that changed or deleted its code
    session: str  # short id
    goal: str  # of that session
    proposal: MemoryRow | None  # the memory that an agent proposes instead
    can_anchor: bool  # some of its code is still there


@dataclass(frozen=True, slots=True)
class Inbox:
    """A part of the waiting memories, in the order of `repomem review`."""

    total: int
    counts: dict[str, int]  # by what they wait for
    offset: int
    items: tuple[InboxItem, ...]


def inbox(workspace: Workspace, offset: int, limit: int) -> Inbox:
    """The waiting memories from `offset`, at most `limit`."""
    known = memories_for_page(workspace)
    pending = pending_reviews(known)
    shown = pending[offset : offset + limit]
    counts = Counter(each.why for each in pending)
    return Inbox(len(pending), counts, offset, tuple(_items(workspace, known, shown)))


def _items(workspace: Workspace, known: MemorySnapshot, shown: Sequence[PendingReview]) -> list[InboxItem]:
    commits = {name for each in shown for name in (each.state.commit, each.state.memory.origin.head)}
    rows = commit_rows(workspace, commits)
    sessions = source_sessions(known) if any(each.state.memory.origin.session for each in shown) else {}
    return [_item(known, each, rows, sessions.get(each.state.memory.origin.session, CommitSession())) for each in shown]


def _item(known: MemorySnapshot, each: PendingReview, rows: dict[str, CommitRow], session: CommitSession) -> InboxItem:
    one = each.state
    said, origin = one.memory.said, one.memory.origin
    return InboxItem(
        memory=memory_row(one, known),
        text=said.text,
        waits=each.why,
        reason=one.why or _reason(each),
        because=said.why,
        sentence=said.sentence,
        rejected=said.rejected,
        written_at=rows.get(origin.head),
        caused_by=rows.get(one.commit),
        session=session.id,
        goal=session.goal,
        proposal=memory_row(known.states[one.contested_by], known) if one.contested_by else None,
        can_anchor=any(place.path for place in one.locations),
    )


def _reason(each: PendingReview) -> str:
    if each.why == "contested":
        return "an agent proposes a replacement"
    if each.why == "drifted":
        by = each.state.commit
        return f"{short_hash(by)} changed its code" if by else "its code has uncommitted changes"
    return reason_of(each.state)
