"""Turns a session note into a memory."""

from dataclasses import replace

from repomem.core.errors import NotFound, ambiguous
from repomem.core.records import Event, MemoryKind
from repomem.core.text.escape import one_line
from repomem.memories.new_memory import NewMemory, RememberResult
from repomem.memories.remember import remember
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.sessions.command_notes import SAID
from repomem.sessions.digest import Note, Session, notes_named
from repomem.sessions.lifecycle import sessions_in
from repomem.workspace.ledger import Speaker, append_records, origin_of, record_draft
from repomem.workspace.workspace import Workspace


def promote(
    workspace: Workspace, speaker: Speaker, wanted: str, kind: MemoryKind | None
) -> tuple[RememberResult, MemorySnapshot]:
    """Remember a note's text as a memory of the speaker; returns the result and the memories before it.

    `wanted` is the note's id or a prefix of it; its session may have ended. Raises NotFound unless it matches one note.
    """
    session, note = _note_named(sessions_in(workspace), wanted)
    outcome, known = remember(
        workspace, NewMemory(note.text.removeprefix(SAID), kind), replace(speaker, session=session.id)
    )
    if note.memory != outcome.id:
        origin = origin_of(workspace, speaker, session.id)
        append_records(workspace, origin, record_draft(Event.SESSION_NOTE, note.id, other=outcome.id))
    return outcome, known


def _note_named(sessions: list[Session], wanted: str) -> tuple[Session, Note]:
    named = notes_named(sessions, wanted)
    if len(named) > 1:
        raise ambiguous(f"{wanted} matches {len(named)} notes", [note.id for _, note in named])
    if not named:
        raise NotFound(
            f"no note has the id {one_line(wanted, 40)!r} here", "repomem session show ID lists the notes of a session"
        )
    return named[0]
