"""What the ledger holds: one record for each thing that was said or done, and what a memory says.

Records are only ever added. Their ids sort by time, so the same records give the same memories in whatever order
they were merged.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from enum import StrEnum

from repomem.core.secrets.redact import redact
from repomem.core.types.text import NOTHING, CleanText
from repomem.core.ulid import new_ulid


class MemoryKind(StrEnum):
    """What a memory is."""

    DECISION = "decision"
    RULE = "rule"
    FACT = "fact"
    GOTCHA = "gotcha"
    THREAD = "thread"


class Source(StrEnum):
    """Who or what said something; it decides how a brief may show it."""

    PERSON = "person"
    AGENT = "agent"
    COMMIT = "commit"
    FILE = "file"
    TRANSCRIPT = "transcript"


class Event(StrEnum):
    """What a record tells."""

    REMEMBER = "remember"
    SUPERSEDE = "supersede"  # `other` takes the place of each target
    CONFIRM = "confirm"
    CONTRADICT = "contradict"
    ANCHOR = "anchor"  # the target now speaks of `anchors`
    FORGET = "forget"
    PURGE = "purge"  # targets are digests of the ids: no byte of what was purged stays
    ARCHIVE = "archive"
    RESTORE = "restore"
    GROUP = "group"  # the targets say the same; `other` is the one that is shown for all of them
    REWRITE = "rewrite"  # the commit `targets[0]` became the commit `other`
    ACCESS = "access"  # the targets were recalled
    PROFILE = "profile"  # a person's correction of a slot: `other` is the slot, `text` its line
    SESSION_START = "session start"  # `text` is the goal; the record's id names the session
    SESSION_NOTE = "session note"
    SESSION_END = "session end"  # `text` is the outcome


@dataclass(frozen=True, slots=True)
class Anchor:
    """The code that a memory speaks of, as it was then; as small as can be."""

    path: str
    symbol: str = ""  # qualified; empty: the file as a whole
    blob: str = ""  # of the file, as git would hash it; empty where it was not there
    print: str = ""  # of the symbol, see SymbolPrint; empty where none could be taken
    tokens: int = 0  # that the print was taken of


@dataclass(frozen=True, slots=True)
class MemoryContent:
    """What a memory says."""

    kind: MemoryKind
    text: CleanText
    why: CleanText = NOTHING
    rejected: tuple[CleanText, ...] = ()
    importance: int = 3  # 1 to 5
    scope: tuple[str, ...] = ()  # path globs
    anchors: tuple[Anchor, ...] = ()


@dataclass(frozen=True, slots=True)
class Origin:
    """Who wrote a record, and where the repository stood then."""

    at: str  # YYYY-MM-DDTHH:MM:SSZ
    author: str
    source: Source
    tool: str = ""  # the agent host, where one is known
    head: str = ""  # the commit that was checked out; empty before the first
    branch: str = ""
    session: str = ""  # id of the session that it belongs to
    writer: str = ""  # whose sync brought it; empty: it was written by this user


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
    files: tuple[str, ...] = ()  # of SESSION_END: touched
    commits: tuple[str, ...] = ()  # of SESSION_END: made
    is_private: bool = False  # no sync takes it along


@dataclass(frozen=True, slots=True)
class MemoryEvent:
    """That somebody confirmed, contradicted or archived a memory."""

    record: str
    origin: Origin
    text: CleanText = NOTHING


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory with all that the ledger says of it. Whether it is true here and now, `memories.status` tells."""

    id: str
    said: MemoryContent
    origin: Origin
    superseded_by: tuple[str, ...] = ()  # ids, oldest first; each counts only where it is itself visible
    supersedes: tuple[str, ...] = ()
    confirmed: tuple[MemoryEvent, ...] = ()
    contradicted: tuple[MemoryEvent, ...] = ()
    archived: MemoryEvent | None = None
    grouped_under: str = ""  # the memory that is shown in its place
    support: tuple[str, ...] = ()  # ids of those that are shown by it
    accesses: int = 0
    is_forgotten: bool = False


def digest_of_id(name: str) -> str:
    """Names what was purged without holding a byte of it: 16 hex digits."""
    return hashlib.blake2b(name.encode(), digest_size=8).hexdigest()


def purged_in(records: Iterable[Record], *, is_own: bool = False) -> set[str]:
    """The digests of all that was purged; with `is_own` of what this user purged, for nobody else erases his words."""
    purges = (record for record in records if record.event is Event.PURGE and not (is_own and record.origin.writer))
    return {digest for record in purges for digest in record.targets}


def next_id(before: Sequence[Record]) -> str:
    """A fresh id behind the last of the records."""
    return new_ulid(before[-1].id if before else "")


def redacted(record: Record) -> Record:
    """The record without what looks like a secret now; the same object where there is nothing of the kind.

    Older rules may have let it through. Ids, hashes and the anchors' places stay: they find what they name.
    """
    said = record.said and replace(
        record.said,
        text=redact(record.said.text),
        why=redact(record.said.why),
        rejected=tuple(map(redact, record.said.rejected)),
    )
    origin = replace(record.origin, author=redact(record.origin.author), branch=redact(record.origin.branch))
    clean = replace(record, origin=origin, said=said, text=redact(record.text))
    return record if clean == record else clean


def without_purged(record: Record, purged: AbstractSet[str]) -> Record | None:
    """The record without what was purged (`purged` has digests of ids); None where nothing of it is left."""
    if record.event is Event.PURGE:
        return record
    if digest_of_id(record.id) in purged or (record.other and digest_of_id(record.other) in purged):
        return None
    kept = tuple(target for target in record.targets if digest_of_id(target) not in purged)
    if len(kept) == len(record.targets):
        return record
    return replace(record, targets=kept, text=NOTHING) if kept else None  # a summary may hold its words


def unpurged(records: Mapping[str, Record]) -> dict[str, Record]:
    """The records by id, without those that one of them purges: they come back from no copy.

    What others purge is gone from what they and others wrote; what this user wrote only he erases.
    """
    every = purged_in(records.values())
    if not every:
        return dict(records)
    own = purged_in(records.values(), is_own=True)
    kept = {name: without_purged(record, every if record.origin.writer else own) for name, record in records.items()}
    return {name: record for name, record in kept.items() if record is not None}
