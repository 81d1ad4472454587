"""Ledger records and the memories they make up.

Records are only ever added. Their ids sort by time, so the same records give the same memories in any merge order.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass, field, replace
from enum import StrEnum

from repomem.core.digests import short_digest
from repomem.core.secrets.redact import redact
from repomem.core.types.text import NOTHING, CleanText
from repomem.core.ulid import new_ulid


class MemoryKind(StrEnum):
    DECISION = "decision"
    RULE = "rule"
    FACT = "fact"
    GOTCHA = "gotcha"
    THREAD = "thread"


CLAIMS = frozenset({MemoryKind.DECISION, MemoryKind.FACT, MemoryKind.GOTCHA})  # what code can make untrue


class Source(StrEnum):
    """Who or what wrote a record; a brief shows each source differently."""

    PERSON = "person"
    AGENT = "agent"
    COMMIT = "commit"
    FILE = "file"
    TRANSCRIPT = "transcript"


class Event(StrEnum):
    """The effect of a record on its targets."""

    REMEMBER = "remember"
    SUPERSEDE = "supersede"  # `other` replaces each target
    CONFIRM = "confirm"
    CONTRADICT = "contradict"
    ANCHOR = "anchor"  # `anchors` replace those of the target
    DONE = "done"  # closes an open thread; `text` is a note
    FORGET = "forget"
    UNDO = "undo"  # the record `other` no longer counts for the targets; `text` is the event of that record
    PURGE = "purge"  # targets are digests of ids: no byte of a purged record remains
    ARCHIVE = "archive"
    RESTORE = "restore"
    PIN = "pin"  # the targets come first in every brief, until an UNPIN
    UNPIN = "unpin"
    GROUP = "group"  # the targets mean the same; `other` is shown for all of them
    REWRITE = "rewrite"  # the commit `targets[0]` became the commit `other`
    ACCESS = "access"  # the targets were recalled; with `other` USED, a session acted on them
    PROFILE = "profile"  # a person's correction of a slot: `other` is the slot, `text` its line
    SESSION_START = "session start"  # `text` is the goal; the record's id names the session
    SESSION_NOTE = "session note"
    SESSION_END = "session end"  # `text` is the outcome


UNDOABLE = frozenset(  # what a person decides about a memory, so that a wrong key is harmless
    [Event.SUPERSEDE, Event.CONFIRM, Event.CONTRADICT, Event.ANCHOR, Event.FORGET, Event.DONE, Event.PIN]
)
PROPOSED = "(proposed by "  # marks a model's proposals in `tool`, which only a person confirms
FIRST_COMMIT = CleanText("first commit since")  # of REWRITE: `targets[0]` is a record, `other` the commit of its work
USED = "use"  # of ACCESS: `text` is a key of the session
MOST_USES = 3  # counted sessions that acted on a memory: used memories must not push out new ones


MEMBER = "member"  # of the type that the memory was put on
CALLED = "called"  # by the function that the memory was put on: only that it changes counts
CONSTANT = "constant"  # that the function uses: the same
BEHIND = {CALLED: "calls", CONSTANT: "uses"}


@dataclass(frozen=True, slots=True)
class Anchor:
    """The smallest piece of code that a memory is about, as it was when the memory was recorded."""

    path: str
    symbol: str = ""  # qualified; empty: the file as a whole
    blob: str = ""  # git's hash of the file; empty if there was no file
    print: str = ""  # fingerprint of the symbol, see SymbolPrint; empty if it has none
    tokens: int = 0  # number of tokens in the fingerprint
    kind: str = field(default="", compare=False)  # of a type (class, trait, …), whose methods have their own prints
    derived: str = field(default="", compare=False)  # how another anchor led to it, such as MEMBER; empty: as given
    unnamed: str = field(default="", compare=False)  # of SymbolPrint; never stored: made from the blob when needed


@dataclass(frozen=True, slots=True)
class MemoryContent:
    kind: MemoryKind
    text: CleanText
    why: CleanText = NOTHING
    rejected: tuple[CleanText, ...] = ()
    importance: int = 3  # 1 to 5
    scope: tuple[str, ...] = ()  # path globs
    anchors: tuple[Anchor, ...] = ()
    sentence: CleanText = NOTHING  # of a session, where `text` does not have it word for word

    @property
    def given(self) -> tuple[Anchor, ...]:
        """The anchors that it was given, or that its text names."""
        return tuple(each for each in self.anchors if not each.derived)


@dataclass(frozen=True, slots=True)
class Origin:
    """Who wrote a record, when, and the state of the repository then."""

    at: str  # YYYY-MM-DDTHH:MM:SSZ
    author: str
    source: Source
    tool: str = ""  # the agent host, if known
    head: str = ""  # the checked-out commit; empty before the first commit
    branch: str = ""
    session: str = ""  # id of its session
    writer: str = ""  # id of the writer whose sync brought it; empty: this user
    is_new_branch: bool = False  # `branch` had no commit of its own: `head` shows nothing about its work
    is_dirty: bool = False  # files of the worktree differed from `head`


@dataclass(frozen=True, slots=True)
class Record:
    """One line of the ledger; fields that do not apply are empty."""

    id: str
    event: Event
    origin: Origin
    targets: tuple[str, ...] = ()
    other: str = ""
    text: CleanText = NOTHING
    said: MemoryContent | None = None  # of REMEMBER
    anchors: tuple[Anchor, ...] = ()  # of ANCHOR
    files: tuple[str, ...] = ()  # of SESSION_END: files changed
    commits: tuple[str, ...] = ()  # of SESSION_END: commits made
    is_private: bool = False  # never shared by a sync
    signature: str = ""  # of the writer whose sync brought it, over the shared bytes; empty: not signed


@dataclass(frozen=True, slots=True)
class MemoryEvent:
    """A record that confirmed, contradicted, archived, pinned or closed a memory."""

    record: str
    origin: Origin
    text: CleanText


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory as the ledger has it; `memories.status` decides whether it holds for the current code."""

    id: str
    said: MemoryContent
    origin: Origin
    superseded_by: tuple[str, ...] = ()  # ids, oldest first; each counts only if it is visible itself
    supersedes: tuple[str, ...] = ()
    confirmed: tuple[MemoryEvent, ...] = ()
    contradicted: tuple[MemoryEvent, ...] = ()
    archived: MemoryEvent | None = None
    done: tuple[MemoryEvent, ...] = ()  # of a thread; each counts only if its commit is part of the history
    pinned: MemoryEvent | None = None
    grouped_under: str = ""  # id of the memory shown instead
    support: tuple[str, ...] = ()  # ids of the memories it is shown for
    accesses: int = 0
    uses: int = 0  # sessions that acted on it after it was shown
    is_forgotten: bool = False


def digest_of_id(name: str) -> str:
    """Identifies a purged record without storing its id: 16 hex digits."""
    return short_digest(name)


def purged_in(records: Iterable[Record], *, is_own: bool = False) -> set[str]:
    """The digests of all purged ids; with `is_own`, only of those this user purged."""
    purges = (record for record in records if record.event is Event.PURGE and not (is_own and record.origin.writer))
    return {digest for record in purges for digest in record.targets}


def next_id(before: Sequence[Record]) -> str:
    """A new id that sorts after the last record."""
    return new_ulid(before[-1].id if before else "")


def redacted(record: Record) -> Record:
    """The record without secrets that the current rules find; the same object if there are none.

    Older rules may have missed them. Ids, hashes and the paths of anchors stay, since they are looked up.
    """
    said = record.said and replace(
        record.said,
        text=redact(record.said.text),
        why=redact(record.said.why),
        rejected=tuple(map(redact, record.said.rejected)),
        sentence=redact(record.said.sentence),
    )
    origin = replace(record.origin, author=redact(record.origin.author), branch=redact(record.origin.branch))
    clean = replace(record, origin=origin, said=said, text=redact(record.text))
    return record if clean == record else replace(clean, signature="")


def without_purged(record: Record, purged: AbstractSet[str]) -> Record | None:
    """The record without purged targets (`purged` holds digests of ids); None if nothing is left."""
    if record.event is Event.PURGE:
        return record
    if digest_of_id(record.id) in purged or (record.other and digest_of_id(record.other) in purged):
        return None
    kept = tuple(target for target in record.targets if digest_of_id(target) not in purged)
    if len(kept) == len(record.targets):
        return record
    left = replace(record, targets=kept, text=NOTHING, signature="")  # a summary may quote a purged record
    return left if kept else None


def without_undone(records: Sequence[Record]) -> list[Record]:
    """The records that count, without the targets for which each was undone; UNDO records stay, for the history."""
    undone: dict[str, set[str]] = defaultdict(set)
    for record in records:
        if record.event is Event.UNDO:
            undone[record.other].update(record.targets)
    if not undone:
        return list(records)
    kept = (_without_targets(record, undone[record.id]) if record.id in undone else record for record in records)
    return [record for record in kept if record is not None]


def _without_targets(record: Record, undone: AbstractSet[str]) -> Record | None:
    if record.event not in UNDOABLE:
        return record
    left = tuple(target for target in record.targets if target not in undone)
    return replace(record, targets=left) if left else None


def unpurged(records: Mapping[str, Record]) -> dict[str, Record]:
    """The records without those that any of them purges; those that this user wrote, only if this user purged them."""
    every = purged_in(records.values())
    if not every:
        return dict(records)
    own = purged_in(records.values(), is_own=True)
    kept = {name: without_purged(record, every if record.origin.writer else own) for name, record in records.items()}
    return {name: record for name, record in kept.items() if record is not None}
