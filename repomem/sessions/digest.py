"""Sessions from ledger records, and digests of their notes and of older sessions.

The newest notes and sessions stay in full; older ones are summed up in lines that cite their ids. The same records
always give the same lines, and every id is in one of them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from operator import attrgetter

from repomem.core.grouping import batches, grouped_by
from repomem.core.records import Event, Memory, MemoryKind, Origin, Record
from repomem.core.text.counts import listed
from repomem.core.text.escape import one_line
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.times import time_of_moment
from repomem.core.types.text import NOTHING, CleanText
from repomem.core.ulid import is_ulid_prefix

WINDOW = 20  # newest notes shown in full
MERGED = 5  # older notes about one topic per line
TOP = 3  # outcomes, decisions and threads of an area with a line of their own
TOP_FILES = 5
CLAUSE = 80  # characters of a quote in a line
LIFE = timedelta(hours=24)  # after its last activity: a lost session must not collect all later work
GENERAL = "general"  # the topic of notes without file or symbol
TOP_FOLDER = "."  # the area of files at the top of the repository

_PATH = lazy_pattern(r"[\w.@+-]*\w(?:/[\w.@+-]*\w)+|\b(?!(?:e\.g|i\.e)\b)\w[\w+-]*\.[a-z][a-z0-9]{0,4}\b(?!\()")
_SPAN = lazy_pattern(r"`([^`\n]{1,80})`")
_SYMBOL = lazy_pattern(
    r"[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)*(?=\(\))"  # called
    r"|\b[A-Za-z]\w*::\w+|\b[a-z0-9]+(?:_[a-z0-9]+)+\b|\b(?:[A-Z][a-z0-9]+){2,}\b"
)
_CLAUSE_END = lazy_pattern(r"[.;!?](?=\s|$)|\s[-–—]\s|\n")


@dataclass(frozen=True, slots=True)
class Note:
    """One note of a session."""

    id: str
    at: str  # YYYY-MM-DDTHH:MM:SSZ
    text: CleanText
    memory: str = ""  # the id of the memory that it became
    author: str = ""  # the person, host or sub-agent of a host


@dataclass(frozen=True, slots=True)
class Session:
    """One session. `origin` is its start, `ended` its end: who, when and where."""

    id: str
    origin: Origin
    tree: str  # names the worktree without its path
    goal: CleanText = NOTHING
    outcome: CleanText = NOTHING
    ended: Origin | None = None  # None: the session is open
    notes: tuple[Note, ...] = ()  # oldest first
    decisions: tuple[Memory, ...] = ()  # memories written in it, without threads
    threads: tuple[Memory, ...] = ()  # threads written in it and still open
    files: tuple[str, ...] = ()  # touched
    commits: tuple[str, ...] = ()  # made, oldest first

    @property
    def is_open(self) -> bool:
        """Whether it has not ended."""
        return self.ended is None

    @property
    def last_sign(self) -> str:
        """The time of its last activity: YYYY-MM-DDTHH:MM:SSZ."""
        memories = (each.origin.at for each in (*self.decisions, *self.threads))
        return max(self.origin.at, *(note.at for note in self.notes), *memories, "")

    @property
    def area(self) -> str:
        """The top-level folder with most of its files."""
        folders = Counter(file.partition("/")[0] if "/" in file else TOP_FOLDER for file in self.files)
        return min(folders, key=lambda name: (-folders[name], name), default=GENERAL)


@dataclass(frozen=True, slots=True)
class DigestLine:
    """One line that sums up several notes, sessions or memories."""

    topic: str  # the file or symbol of notes, the area of sessions
    about: str  # note, outcome, decision, thread or files
    text: str
    ids: tuple[str, ...]  # of everything it sums up, oldest first


@dataclass(frozen=True, slots=True)
class NoteWindow:
    """The notes of a session: the newest in full, and a digest of the older ones."""

    digest: tuple[DigestLine, ...]
    newest: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class Digest:
    """The sessions: the newest in full, newest first, and a digest of the older ones."""

    lines: tuple[DigestLine, ...]
    newest: tuple[Session, ...]


def sessions_of(records: Iterable[Record], memories: Mapping[str, Memory]) -> list[Session]:
    """Every session that was not forgotten, oldest first; `records` are ordered by id."""
    starts: list[Record] = []
    events: dict[str, list[Record]] = defaultdict(list)
    forgotten: set[str] = set()
    for record in records:
        if record.event is Event.SESSION_START:
            starts.append(record)
        elif record.event in {Event.SESSION_NOTE, Event.SESSION_END}:
            events[record.origin.session].append(record)
        elif record.event is Event.FORGET:
            forgotten.update(record.targets)
    written = _memories_by_session(memories)
    kept = {name: [each for each in some if each.id not in forgotten] for name, some in events.items()}
    return [
        _session(start, kept.get(start.id, []), written.get(start.id, []))
        for start in starts
        if start.id not in forgotten
    ]


def is_lost(session: Session, now: str) -> bool:
    """Whether an open session has been inactive for so long that it counts as lost."""
    return session.is_open and _time(now).timestamp() > last_moment(session)


def session_state(session: Session, now: str) -> str:
    """The session's state in words: running, lost, or ended."""
    if session.ended:
        return f"ended {session.ended.at}"
    return f"open, no activity since {session.last_sign}" if is_lost(session, now) else "running"


def last_moment(session: Session) -> float:
    """When an open session becomes lost, in seconds since 1970."""
    return _time(session.last_sign).timestamp() + LIFE.total_seconds()


def started_at(session: Session) -> float:
    """When a session started, in seconds since 1970."""
    return _time(session.origin.at).timestamp()


def running_session(sessions: Iterable[Session], tree: str, now: str, tool: str | None = None) -> Session | None:
    """The open session of a worktree: the newest of the agent host `tool`, else the newest."""
    alive = [each for each in sessions if each.is_open and each.tree == tree and not is_lost(each, now)]
    return max(alive, key=lambda each: (each.origin.tool == tool, each.id), default=None)


def sessions_named(sessions: Sequence[Session], wanted: str) -> list[Session]:
    """The sessions with this id or prefix."""
    return [each for each in sessions if each.id.startswith(wanted.upper())] if is_ulid_prefix(wanted) else []


def notes_named(sessions: Sequence[Session], wanted: str) -> list[tuple[Session, Note]]:
    """The notes with this id or prefix, each with its session."""
    start = wanted.upper() if is_ulid_prefix(wanted) else "?"
    return [(each, note) for each in sessions for note in each.notes if note.id.startswith(start)]


def note_window(notes: Sequence[Note], size: int = WINDOW) -> NoteWindow:
    """The newest `size` notes in full, and a digest of the older ones by topic."""
    ordered = sorted(notes, key=attrgetter("id"))
    cut = max(0, len(ordered) - size)
    topics = grouped_by(ordered[:cut], lambda note: topic_of(note.text))
    lines = (
        DigestLine(topic, "note", first_clause(some[-1].text), tuple(note.id for note in some))
        for topic in sorted(topics, key=lambda name: (name == GENERAL, name))
        for some in batches(topics[topic], MERGED)
    )
    return NoteWindow(tuple(lines), tuple(ordered[cut:]))


def digest_of_sessions(sessions: Sequence[Session], keep: int) -> Digest:
    """The newest `keep` sessions in full, and a digest of the older ones by area: outcomes, memories, files."""
    ordered = sorted(sessions, key=attrgetter("id"))
    cut = max(0, len(ordered) - keep)
    areas = grouped_by(ordered[:cut], lambda session: session.area)
    lines = (line for area in sorted(areas, key=_area_order) for line in _area_lines(area, areas[area]))
    return Digest(tuple(lines), tuple(reversed(ordered[cut:])))


def topic_of(text: str) -> str:
    """The topic of a note: its first path, else its first code span or symbol, else "general"."""
    for pattern in (_PATH, _SPAN, _SYMBOL):
        if found := pattern.search(text):
            return one_line(found.group(found.lastindex or 0), CLAUSE) or GENERAL
    return GENERAL


def first_clause(text: str) -> str:
    """The first clause of a text."""
    stripped = text.strip()
    clause = _CLAUSE_END.split(stripped, maxsplit=1)[0]
    return one_line(clause if clause.strip() else stripped, CLAUSE)


def _memories_by_session(memories: Mapping[str, Memory]) -> dict[str, list[Memory]]:
    living = (memory for _, memory in sorted(memories.items()) if memory.origin.session and not memory.is_forgotten)
    return grouped_by(living, lambda memory: memory.origin.session)


def _session(start: Record, events: Sequence[Record], memories: Sequence[Memory]) -> Session:
    ends = [each for each in events if each.event is Event.SESSION_END]
    end = ends[-1] if ends else None  # the last end has the most information
    session = Session(
        id=start.id,
        origin=start.origin,
        tree=start.other,
        goal=start.text,
        notes=_notes([each for each in events if each.event is Event.SESSION_NOTE]),
        decisions=tuple(each for each in memories if each.said.kind is not MemoryKind.THREAD),
        threads=tuple(each for each in memories if each.said.kind is MemoryKind.THREAD and _is_open(each)),
    )
    if end is None:
        return session
    return replace(session, outcome=end.text, ended=end.origin, files=end.files, commits=end.commits)


def _is_open(thread: Memory) -> bool:
    return not (thread.superseded_by or thread.archived or thread.done)


def _notes(records: Sequence[Record]) -> tuple[Note, ...]:
    """The notes; a record with a target stores which memory a note became."""
    became = {target: record.other for record in records for target in record.targets}
    return tuple(
        Note(record.id, record.origin.at, record.text, became.get(record.id, ""), record.origin.author)
        for record in records
        if not record.targets
    )


def _area_order(area: str) -> tuple[bool, str]:
    return area == GENERAL, area


def _area_lines(area: str, sessions: Sequence[Session]) -> Iterator[DigestLine]:
    """The lines of one area; every session and memory of it is in at least one."""
    yield from _top(
        area, "outcome", [(_goal_and_outcome(each), each.id, each.origin.at) for each in reversed(sessions)]
    )
    for about, memories in (
        ("decision", [memory for each in sessions for memory in each.decisions]),
        ("thread", [memory for each in sessions for memory in each.threads]),
    ):
        ranked = sorted(memories, key=attrgetter("id"), reverse=True)
        ranked.sort(key=lambda memory: -memory.said.importance)
        yield from _top(area, about, [(first_clause(m.said.text), m.id, m.origin.at) for m in ranked])
    touched = Counter(file for each in sessions for file in each.files)
    if touched:
        first = sorted(touched, key=lambda file: (-touched[file], file))
        text = listed(first, TOP_FILES, lambda file: f"{file} ({touched[file]})")
        yield DigestLine(area, "files", text, tuple(each.id for each in sessions if each.files))


def _top(area: str, about: str, entries: Sequence[tuple[str, str, str]]) -> Iterator[DigestLine]:
    """A line each for the first entries (text, id, time), and one for the rest."""
    for text, name, _ in entries[:TOP]:
        yield DigestLine(area, about, text, (name,))
    rest = entries[TOP:]
    if rest:
        days = sorted(at[:10] for _, _, at in rest)
        span = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
        yield DigestLine(area, about, f"{len(rest)} more, {span}", tuple(sorted(name for _, name, _ in rest)))


def _goal_and_outcome(session: Session) -> str:
    goal, outcome = first_clause(session.goal) or "(no goal)", first_clause(session.outcome)
    return f"{goal} → {outcome}" if outcome else goal


def _time(at: str) -> datetime:
    """The time of a record; datetime.min where it is invalid, as imported records may be."""
    try:
        return time_of_moment(at)
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
