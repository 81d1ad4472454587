"""The commits of memories, by git and the ledger, and the commits that a record belongs to. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass, field

from repomem.core.records import Event, Memory, Origin, Record
from repomem.core.types.commits import short_hash
from repomem.core.types.text import CleanText

JOINED = CleanText("joined")  # of a REWRITE: a merge was left out, and `other` holds everything that it joined


@dataclass(frozen=True, slots=True)
class HistoryFacts:
    """The commits of memories, by git and the ledger, at one revision."""

    ancestors: AbstractSet[str]  # commits of memories, and later names of them, in this history
    living: AbstractSet[str]  # of the others: those that a branch still holds
    rewrites: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # commit to its rewritten commit
    joins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # dropped merge to the holder of all it joined
    own_commits: Mapping[str, str] = field(default_factory=dict)  # see `snapshots.session_work`
    reverted: Mapping[str, str] = field(default_factory=dict)  # commit to the commit of this history that reverts it
    landings: Mapping[str, str] = field(default_factory=dict)  # memory to the commit that its work landed with
    reverted_records: Mapping[str, str] = field(default_factory=dict)  # superseding memory or closing to its revert
    reverts: AbstractSet[str] = frozenset()  # commits of this history that revert another and are not reverted
    lived: AbstractSet[str] = frozenset()  # memories whose work has enough commits on top of it
    is_past: bool = False  # an earlier revision: memories without one of its commits are unknown there
    until: str = ""  # time of an earlier revision, YYYY-MM-DDTHH:MM:SSZ
    trusted: AbstractSet[str] = frozenset()  # writers whose synced records count
    absent: AbstractSet[str] = frozenset()  # commits that a shallow clone lacks
    vanished: AbstractSet[str] = frozenset()  # commits that git deleted, of branches whose tip is in this history
    branch: str = ""  # the checked-out branch; set only if a memory's work may be uncommitted
    is_dirty: bool = False  # whether the worktree differs from the commit; likewise


def names_in(records: Sequence[Record]) -> HistoryFacts:
    """The rewritten commits, from the records alone."""
    return HistoryFacts(frozenset(), frozenset(), _rewrites(records, joined=False), _rewrites(records, joined=True))


def _rewrites(records: Iterable[Record], *, joined: bool) -> dict[str, tuple[str, ...]]:
    """Commits to their rewritten commits; with `joined`, omitted merges to the commits that contain their parts."""
    later: dict[str, tuple[str, ...]] = {}
    for record in records:
        if record.event is Event.REWRITE and (record.text == JOINED) is joined:
            for old in record.targets:
                later[old] = (*later.get(old, ()), record.other)
    return later


def names_of_commit(commit: str, history: HistoryFacts) -> Iterator[str]:
    """A commit and its names after rewrites.

    A commit that replaces a merge holds the merge's parts in its history; its own later names are not followed.
    """
    waiting, known = [commit], {commit}
    while waiting:
        name = waiting.pop()
        yield name
        yield from history.joins.get(name, ())
        later = [each for each in history.rewrites.get(name, ()) if each not in known]
        known.update(later)
        waiting += later


def origins_of(memory: Memory) -> Iterator[tuple[str, Origin]]:
    """The records of a memory whose commits count, by id: its own, and those that closed the thread."""
    yield memory.id, memory.origin
    yield from ((mark.record, mark.origin) for mark in memory.done)


def names_of_record(record: str, origin: Origin, history: HistoryFacts) -> list[str]:
    """The names of the commit that a record's work belongs to.

    That is the first commit made after it, if known, else the commit that was checked out.
    """
    if record in history.rewrites:
        return list(names_of_commit(record, history))[1:]
    return list(names_of_commit(origin.head, history)) if origin.head else []


def commit_of_work(memory: Memory, history: HistoryFacts) -> str:
    """The commit that a memory's work belongs to, under its last name; empty if it has none."""
    return next(reversed(names_of_record(memory.id, memory.origin, history)), "")


def recorded_at(memory: Memory, history: HistoryFacts) -> str:
    """The commit of its work in words: "with" its first commit if made later, else "at" the one checked out then."""
    commit = short_hash(commit_of_work(memory, history))
    return commit and f"{'with' if memory.id in history.rewrites else 'at'} {commit}"


def name_here(memory: Memory, history: HistoryFacts) -> str:
    """The name in this history of the commit that a memory's work belongs to; empty if it has none."""
    names = names_of_record(memory.id, memory.origin, history)
    return next((name for name in names if name in history.ancestors), "")


def is_vanished(record: str, origin: Origin, history: HistoryFacts) -> bool:
    """Whether git has deleted the commit, as after an amend, while its branch is in this history."""
    names = names_of_record(record, origin, history)
    return bool(names) and set(names) <= history.vanished


def is_work_unknown(record: str, origin: Origin, history: HistoryFacts) -> bool:
    """Whether a record was made on uncommitted work whose commit is unknown, and that work is not here either."""
    is_uncommitted = origin.is_new_branch or origin.is_dirty
    is_of_no_repository = not (origin.head or origin.branch)  # one of the user's own memories
    if record in history.rewrites or is_of_no_repository or not is_uncommitted:
        return False
    return history.is_past or origin.branch != history.branch or (origin.is_dirty and not history.is_dirty)
