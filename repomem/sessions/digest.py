"""Sessions, from the records: what each was for, what was noted, said and made in it, and what came of it.

Notes are working memory: the newest stand whole, older ones are rolled into lines that cite them, and so are the
older sessions. The same records give the same lines, and no id is lost on the way.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from operator import attrgetter

from repomem.core.escape import one_line
from repomem.core.records import Event, Kind, Memory, Origin, Record
from repomem.core.types import NOTHING, CleanText

WINDOW = 20  # notes that stand whole
MERGED = 5  # older notes about one thing that one line stands for
TOP = 3  # outcomes, decisions and threads of an area that get a line each
TOP_FILES = 5
CLAUSE = 80  # characters of what a line quotes
LIFE = timedelta(hours=24)  # after its last sign of life: a session that was lost must not swallow all later work
GENERAL = "general"  # what is about no file and no symbol
NOT_ENDED = CleanText("(not ended)")  # the outcome of a session that another took the place of
TOP_FOLDER = "."  # of files that lie in no folder

_PATH = re.compile(r"[\w.@+-]*\w(?:/[\w.@+-]*\w)+|\b(?!(?:e\.g|i\.e)\b)\w[\w+-]*\.[a-z][a-z0-9]{0,4}\b(?!\()")
_SPAN = re.compile(r"`([^`\n]{1,80})`")
_SYMBOL = re.compile(
    r"[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)*(?=\(\))"  # called
    r"|\b[A-Za-z]\w*::\w+|\b[a-z0-9]+(?:_[a-z0-9]+)+\b|\b(?:[A-Z][a-z0-9]+){2,}\b"
)
_CLAUSE_END = re.compile(r"[.;!?](?=\s|$)|\s[-–—]\s|\n")


@dataclass(frozen=True, slots=True)
class Note:
    """One thing noted in a session."""

    id: str
    at: str  # YYYY-MM-DDTHH:MM:SSZ
    text: CleanText
    memory: str = ""  # the id of the memory that it became


@dataclass(frozen=True, slots=True)
class Session:
    """One session. `origin` tells who started it, when and where; `ended` the same of its end."""

    id: str
    origin: Origin
    tree: str  # names the work tree without its path
    goal: CleanText = NOTHING
    outcome: CleanText = NOTHING
    ended: Origin | None = None  # None: it is open
    notes: tuple[Note, ...] = ()  # oldest first
    decisions: tuple[Memory, ...] = ()  # all that was said in it to be remembered, but for threads
    threads: tuple[Memory, ...] = ()  # said in it and still open
    files: tuple[str, ...] = ()  # touched
    commits: tuple[str, ...] = ()  # made, oldest first

    @property
    def is_open(self) -> bool:
        """Whether nobody has ended it."""
        return self.ended is None

    @property
    def last_sign(self) -> str:
        """When something was last told in it: YYYY-MM-DDTHH:MM:SSZ."""
        said = (each.origin.at for each in (*self.decisions, *self.threads))
        return max(self.origin.at, *(note.at for note in self.notes), *said, "")

    @property
    def area(self) -> str:
        """The folder at the top in which most of its files lie."""
        folders = Counter(file.partition("/")[0] if "/" in file else TOP_FOLDER for file in self.files)
        return min(folders, key=lambda name: (-folders[name], name), default=GENERAL)


@dataclass(frozen=True, slots=True)
class DigestLine:
    """One line that stands for several notes, sessions or memories."""

    topic: str  # the file or symbol that notes mention, the area of sessions
    about: str  # note, outcome, decision, thread or files
    text: str
    ids: tuple[str, ...]  # of all that it stands for, oldest first


@dataclass(frozen=True, slots=True)
class NoteWindow:
    """The notes of a session: the newest whole, the older ones in lines."""

    digest: tuple[DigestLine, ...]
    newest: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class Digest:
    """The sessions: the newest whole, newest first; the older ones in lines."""

    lines: tuple[DigestLine, ...]
    newest: tuple[Session, ...]


def sessions_of(records: Iterable[Record], memories: Mapping[str, Memory]) -> list[Session]:
    """Every session that was not forgotten, oldest first; `records` are in the order of their ids."""
    starts: list[Record] = []
    told: dict[str, list[Record]] = defaultdict(list)
    forgotten: set[str] = set()
    for record in records:
        if record.event is Event.SESSION_START:
            starts.append(record)
        elif record.event in {Event.SESSION_NOTE, Event.SESSION_END}:
            told[record.origin.session].append(record)
        elif record.event is Event.FORGET:
            forgotten.update(record.targets)
    said = _said_in(memories)
    kept = {name: [each for each in all_ if each.id not in forgotten] for name, all_ in told.items()}
    return [
        _session(start, kept.get(start.id, []), said.get(start.id, [])) for start in starts if start.id not in forgotten
    ]


def lost(session: Session, now: str) -> bool:
    """Whether an open session has given no sign of life for so long that it counts as running no more."""
    return session.is_open and _time(now).timestamp() > last_moment(session)


def last_moment(session: Session) -> float:
    """When an open session stops to count as running, in seconds since 1970."""
    return _time(session.last_sign).timestamp() + LIFE.total_seconds()


def started_at(session: Session) -> float:
    """When it was started, in seconds since 1970."""
    return _time(session.origin.at).timestamp()


def running(sessions: Iterable[Session], tree: str, now: str, tool: str | None = None) -> Session | None:
    """The session that is open in a work tree: the newest of an agent host, where one is given, else the newest."""
    alive = [each for each in sessions if each.is_open and each.tree == tree and not lost(each, now)]
    return max(alive, key=lambda each: (each.origin.tool == tool, each.id), default=None)


def window(notes: Sequence[Note], size: int = WINDOW) -> NoteWindow:
    """The newest `size` notes whole, and lines that stand for the older ones: by what they mention, a few to a line."""
    ordered = sorted(notes, key=attrgetter("id"))
    cut = max(0, len(ordered) - size)
    topics: dict[str, list[Note]] = defaultdict(list)
    for note in ordered[:cut]:
        topics[topic_of(note.text)].append(note)
    lines = (
        DigestLine(topic, "note", first_clause(some[-1].text), tuple(note.id for note in some))
        for topic in sorted(topics, key=lambda name: (name == GENERAL, name))
        for some in _in_order(topics[topic], MERGED)
    )
    return NoteWindow(tuple(lines), tuple(ordered[cut:]))


def digest_of_sessions(sessions: Sequence[Session], keep: int) -> Digest:
    """The newest `keep` sessions whole, and lines on the older ones: by area their outcomes, what was said, files."""
    ordered = sorted(sessions, key=attrgetter("id"))
    cut = max(0, len(ordered) - keep)
    areas: dict[str, list[Session]] = defaultdict(list)
    for session in ordered[:cut]:
        areas[session.area].append(session)
    lines = (line for area in sorted(areas, key=_area_order) for line in _area_lines(area, areas[area]))
    return Digest(tuple(lines), tuple(reversed(ordered[cut:])))


def topic_of(text: str) -> str:
    """What a note is about: the first path in it, else the first code, else "general"."""
    for pattern in (_PATH, _SPAN, _SYMBOL):
        if found := pattern.search(text):
            return one_line(found.group(found.lastindex or 0), CLAUSE) or GENERAL
    return GENERAL


def first_clause(text: str, limit: int = CLAUSE) -> str:
    """The start of a text, up to the first sign that ends a clause."""
    stripped = text.strip()
    clause = _CLAUSE_END.split(stripped, maxsplit=1)[0]
    return one_line(clause if clause.strip() else stripped, limit)


def _said_in(memories: Mapping[str, Memory]) -> dict[str, list[Memory]]:
    said: dict[str, list[Memory]] = defaultdict(list)
    for name in sorted(memories):
        memory = memories[name]
        if memory.origin.session and not memory.is_forgotten:
            said[memory.origin.session].append(memory)
    return said


def _session(start: Record, told: Sequence[Record], said: Sequence[Memory]) -> Session:
    ends = [each for each in told if each.event is Event.SESSION_END]
    end = ends[-1] if ends else None  # whoever ended it last knew most
    session = Session(
        id=start.id,
        origin=start.origin,
        tree=start.other,
        goal=start.text,
        notes=_notes([each for each in told if each.event is Event.SESSION_NOTE]),
        decisions=tuple(each for each in said if each.said.kind is not Kind.THREAD),
        threads=tuple(each for each in said if each.said.kind is Kind.THREAD and _is_open(each)),
    )
    if end is None:
        return session
    return replace(session, outcome=end.text, ended=end.origin, files=end.files, commits=end.commits)


def _is_open(thread: Memory) -> bool:
    return not (thread.superseded_by or thread.archived)


def _notes(records: Sequence[Record]) -> tuple[Note, ...]:
    """The notes; a record with a target tells which memory a note became."""
    became = {target: record.other for record in records for target in record.targets}
    return tuple(
        Note(record.id, record.origin.at, record.text, became.get(record.id, ""))
        for record in records
        if not record.targets
    )


def _area_order(area: str) -> tuple[bool, str]:
    return area == GENERAL, area


def _area_lines(area: str, sessions: Sequence[Session]) -> Iterator[DigestLine]:
    """The lines of one area: each of its sessions and memories stands in one of them at least."""
    yield from _top(area, "outcome", [(_came_of(each), each.id, each.origin.at) for each in reversed(sessions)])
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
        more = f" and {len(first) - TOP_FILES} more" if len(first) > TOP_FILES else ""
        text = ", ".join(f"{file} ({touched[file]})" for file in first[:TOP_FILES]) + more
        yield DigestLine(area, "files", text, tuple(each.id for each in sessions if each.files))


def _top(area: str, about: str, told: Sequence[tuple[str, str, str]]) -> Iterator[DigestLine]:
    """A line each for the first, and one that stands for the rest; `told` has text, id and time."""
    for text, name, _ in told[:TOP]:
        yield DigestLine(area, about, text, (name,))
    rest = told[TOP:]
    if rest:
        days = sorted(at[:10] for _, _, at in rest)
        span = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
        yield DigestLine(area, about, f"{len(rest)} more, {span}", tuple(sorted(name for _, name, _ in rest)))


def _came_of(session: Session) -> str:
    goal, outcome = first_clause(session.goal) or "(no goal)", first_clause(session.outcome)
    return f"{goal} → {outcome}" if outcome else goal


def _in_order(notes: Sequence[Note], size: int) -> Iterator[Sequence[Note]]:
    return (notes[at : at + size] for at in range(0, len(notes), size))


def _time(at: str) -> datetime:
    """A record's time; the beginning of time where it holds none, for a ledger may come from anywhere."""
    try:
        return datetime.strptime(at, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
