"""A session, or one of its notes, in full."""

from collections.abc import Sequence
from dataclasses import dataclass

from repomem.adapters.ledger.fold import memories_of
from repomem.core.errors import NotFound
from repomem.core.records import Memory
from repomem.core.times import this_moment
from repomem.core.types.commits import short_hash
from repomem.core.ulid import is_ulid_prefix, unique_prefix
from repomem.sessions.digest import Note, Session, is_lost, note_window, sessions_of
from repomem.sessions.lifecycle import sessions_in
from repomem.workspace.ledger import records_here
from repomem.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class SessionShown:
    """One session in full, with its notes, memories and commits as `text`, a line each; or one of its notes."""

    kind: str  # session or note
    id: str
    title: str  # the goal of the session
    text: str
    commit: str
    author: str
    date: str  # YYYY-MM-DD of its start
    state: str
    files: tuple[str, ...] = ()


def session_shown(workspace: Workspace, wanted: str) -> SessionShown | None:
    """One session in full, by its id or a prefix; None unless that matches just one."""
    records = records_here(workspace)
    sessions, ids = sessions_of(records, memories_of(records)), [record.id for record in records]
    matching = [each for each in sessions if each.id.startswith(wanted.upper())] if is_ulid_prefix(wanted) else []
    return _shown(matching[0], ids) if len(matching) == 1 else None


def last_session(workspace: Workspace) -> str:
    """The id of the newest session with memories, or of the newest one. Raises NotFound without any."""
    sessions = sessions_in(workspace)
    if not sessions:
        raise NotFound("no sessions are recorded yet", 'start one: repomem session start "the goal"')
    telling = [each for each in sessions if each.decisions or each.threads]
    return (telling or sessions)[-1].id


def note_shown(workspace: Workspace, wanted: str) -> SessionShown | None:
    """One note of a session in full, by its id or a prefix; None unless that matches just one."""
    matching = notes_named(sessions_in(workspace), wanted)
    if len(matching) != 1:
        return None
    (session, note), ids = matching[0], [record.id for record in records_here(workspace)]
    became = f", now the memory {unique_prefix(note.memory, ids)}" if note.memory else ""
    return SessionShown(
        "note",
        unique_prefix(note.id, ids),
        session.goal or "(no goal)",
        note.text,
        session.origin.head,
        note.author or session.origin.author,
        note.at[:10],
        f"a note of session {unique_prefix(session.id, ids)}{became}",
    )


def notes_named(sessions: Sequence[Session], wanted: str) -> list[tuple[Session, Note]]:
    """The notes with this id or prefix, each with its session."""
    start = wanted.upper() if is_ulid_prefix(wanted) else "?"
    return [(each, note) for each in sessions for note in each.notes if note.id.startswith(start)]


def _shown(session: Session, ids: list[str]) -> SessionShown:
    return SessionShown(
        "session",
        unique_prefix(session.id, ids),
        session.goal or "(no goal)",
        "\n".join(_lines_of(session, ids)),
        session.origin.head,
        session.origin.author,
        session.origin.at[:10],
        session_state(session, this_moment()),
        session.files,
    )


def session_state(session: Session, now: str) -> str:
    """The session's state in words: running, lost, or ended."""
    if session.ended:
        return f"ended {session.ended.at}"
    return f"open, no activity since {session.last_sign}" if is_lost(session, now) else "running"


def _lines_of(session: Session, ids: list[str]) -> list[str]:
    """The outcome, notes, memories and commits of a session, a line each."""
    shown = note_window(session.notes)
    lines = [f"outcome: {session.outcome}"] if session.outcome else []
    lines += [
        f"earlier notes, {line.topic}: {line.text} ({', '.join(unique_prefix(each, ids) for each in line.ids)})"
        for line in shown.digest
    ]
    lines += [f"note {unique_prefix(each.id, ids)}: {each.text}" for each in shown.newest]
    lines += [line for each in (*session.decisions, *session.threads) for line in _memory_lines(each, ids)]
    return lines + [f"commit {short_hash(each)}" for each in session.commits]


def _memory_lines(memory: Memory, ids: list[str]) -> list[str]:
    """A memory, with the sentence that it comes from."""
    said = memory.said
    line = f"{said.kind.value} {unique_prefix(memory.id, ids)}: {said.text}"
    return [line, f"  sentence: {said.sentence}"] if said.sentence else [line]
