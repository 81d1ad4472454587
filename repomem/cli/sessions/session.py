"""`repomem session`: start and end sessions, add notes, and list them."""

from collections.abc import Iterator
from typing import Any

from repomem.cli.terminal.caller import speaker
from repomem.cli.terminal.console import out, out_lines, tell
from repomem.cli.terminal.formats import Format, is_rich, non_empty, out_json, out_table
from repomem.core.records import Memory, MemoryKind
from repomem.core.text.counts import counted, listed
from repomem.core.text.escape import one_line, quoted, visible_path
from repomem.sessions.digest import DigestLine, Note, Session, is_lost, note_window
from repomem.sessions.lifecycle import (
    Listing,
    end,
    last_session,
    listing,
    note,
    session_named,
    sessions_in,
    short_id,
    start,
)
from repomem.workspace.workspace import Workspace

SCHEMA = "repomem.session/1"
GOAL_LENGTH = 80  # characters in a list
OUTCOME_LENGTH = 120
NOTE_LENGTH = 160
SHOWN_IDS = 5  # of a line of the digest; its JSON has them all


def start_command(workspace: Workspace, goal: str, form: Format) -> None:
    """Start a session, and report the sessions that this ended."""
    session, left = start(workspace, speaker(), goal)
    for each in left:
        tell(f"note: session {short_id(workspace, each.id)} was still open; it is now closed, without an outcome")
    if form is Format.JSON:
        ended = [session_json(each, "ended") for each in left]
        out_json({"schema": SCHEMA, "session": session_json(session, "running"), "ended": ended})
        return
    shown = f": {one_line(session.goal, GOAL_LENGTH)}" if session.goal else ""
    out(f"started session {short_id(workspace, session.id)}{shown}\n")


def note_command(workspace: Workspace, text: str, session_id: str, form: Format) -> None:
    """Add a note to the current session."""
    session, noted = note(workspace, speaker(session_id), text)
    if form is Format.JSON:
        out_json({"schema": SCHEMA, "session": {"id": session.id}, "note": _note_json(noted)})
    else:
        out(f"noted {short_id(workspace, noted.id)} in session {short_id(workspace, session.id)}\n")


def promote_command(workspace: Workspace, wanted: str, kind: MemoryKind | None, session_id: str, form: Format) -> None:
    """Turn a note into a memory."""
    from repomem.capture.note_to_memory import promote
    from repomem.cli.memories.remember import result_json, result_text

    result, known = promote(workspace, speaker(session_id), wanted, kind)
    if form is Format.JSON:
        memory = {name: value for name, value in result_json(result, known).items() if name != "schema"}
        out_json({"schema": SCHEMA, "memory": memory})
    else:
        out(result_text(result, known))


def end_command(workspace: Workspace, outcome: str, session_id: str, form: Format) -> None:
    """End the current session, and count its commits, files and memories."""
    session = end(workspace, speaker(session_id), outcome)
    if form is Format.JSON:
        out_json({"schema": SCHEMA, "session": session_json(session, "ended")})
    else:
        out_lines(_ended_lines(workspace, session))


def show_command(workspace: Workspace, wanted: str, form: Format) -> None:
    """Print one session or note, the newest session with memories if none is named."""
    from repomem.cli.recall.show import show_command as show
    from repomem.recall.show import note_shown

    if not wanted:
        wanted = last_session(workspace)
    elif not note_shown(workspace, wanted):
        wanted = session_named(sessions_in(workspace), wanted).id
    show(workspace, wanted, form)


def list_command(workspace: Workspace, last: int, form: Format) -> None:
    """Print the newest `last` sessions, and a digest of the older ones."""
    found = listing(workspace, last)
    if form is Format.JSON:
        out_json(_listing_json(found))
    elif not found.count:
        tell('no sessions yet; start one: repomem session start "the goal"')
    elif is_rich():
        out_table("", ("session", "started", "state", "goal", "outcome", "made"), _rows(found))
        out_lines(_below(found))
    else:
        out_lines([*map(_line, _rows(found)), *_below(found)])


def session_json(session: Session, state: str) -> dict[str, Any]:
    """One session by the contract `repomem.session/1`, with full ids."""
    shown = note_window(session.notes)
    return non_empty(
        {
            "id": session.id,
            "state": state,
            "goal": session.goal,
            "outcome": session.outcome,
            "started": session.origin.at,
            "ended": session.ended.at if session.ended else "",
            "author": session.origin.author,
            "source": session.origin.source.value,
            "tool": session.origin.tool,
            "head": session.origin.head,
            "branch": session.origin.branch,
            "notes": [_note_json(note) for note in shown.newest],
            "earlier": [_line_json(line) for line in shown.digest],
            "decisions": [_memory_json(each) for each in session.decisions],
            "threads": [_memory_json(each) for each in session.threads],
            "files": [visible_path(path) for path in session.files],
            "commits": list(session.commits),
        }
    )


def _ended_lines(workspace: Workspace, session: Session) -> Iterator[str]:
    outcome = f": {one_line(session.outcome, OUTCOME_LENGTH)}" if session.outcome else ""
    yield f"ended session {short_id(workspace, session.id)}{outcome}"
    if made := _made(session):
        yield f"  {made}"
    if left := sum(not note.memory for note in session.notes):
        yield f"  {counted(left, 'note')}; repomem session note --promote ID turns a note into a memory"


def _made(session: Session) -> str:
    """The counts of what a session produced."""
    counts = (
        (len(session.commits), "commit", "commits"),
        (len(session.files), "file", "files"),
        (len(session.decisions), "memory", "memories"),
        (len(session.threads), "open thread", "open threads"),
    )
    return ", ".join(counted(*each) for each in counts if each[0])


def _rows(found: Listing) -> Iterator[tuple[str, str, str, str, str, str]]:
    for session in found.digest.newest:
        made = [_made(session), counted(len(session.notes), "note") if session.is_open and session.notes else ""]
        yield (
            found.short(session.id),
            session.origin.at[:16].replace("T", " "),
            _state(found, session),
            one_line(session.goal, GOAL_LENGTH),
            one_line(session.outcome, OUTCOME_LENGTH),
            ", ".join(filter(None, made)),
        )


def _state(found: Listing, session: Session) -> str:
    """Running, ended, or lost: open, but without activity for too long."""
    if session.ended:
        return "ended"
    return "lost" if is_lost(session, found.now) else "running"


def _line(row: tuple[str, str, str, str, str, str]) -> str:
    name, started, state, goal, outcome, made = row
    said = " → ".join(quoted(text) for text in (goal, outcome) if text)
    return " ".join(filter(None, (name, started, state, said, made and f"({made})")))


def _below(found: Listing) -> Iterator[str]:
    """The notes of the current session, then the digest of older sessions."""
    here = next((each for each in found.digest.newest if each.id == found.here), None)
    if here and here.notes:
        shown = note_window(here.notes)
        yield f"notes of {found.short(here.id)}:"
        yield from (f"  earlier, {_digest_text(found, line)}" for line in shown.digest)
        yield from (f"  {found.short(note.id)} {_note_text(note, here)}" for note in shown.newest)
    if found.digest.lines:
        yield f"{counted(found.count - len(found.digest.newest), 'older session')}:"
        yield from (f"  {_digest_text(found, line)}" for line in found.digest.lines)


def _note_text(note: Note, session: Session) -> str:
    """A note, with its author if that is another one than the session's: a sub-agent."""
    by = f" · {one_line(note.author, NOTE_LENGTH)}" if note.author != session.origin.author else ""
    return f"{quoted(one_line(note.text, NOTE_LENGTH))}{by}"


def _digest_text(found: Listing, line: DigestLine) -> str:
    shown = listed(line.ids, SHOWN_IDS, found.short)
    about = "" if line.about == "note" else f" {line.about}:"
    return f"{visible_path(line.topic)}:{about} {one_line(line.text, 2 * NOTE_LENGTH)} ({shown})"


def _listing_json(found: Listing) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "count": found.count,
        "running": found.here,
        "sessions": [session_json(each, _state(found, each)) for each in found.digest.newest],
        "digest": [_line_json(line) for line in found.digest.lines],
    }


def _note_json(note: Note) -> dict[str, Any]:
    fields = {"id": note.id, "at": note.at, "text": note.text, "author": note.author, "memory": note.memory}
    return non_empty(fields)


def _line_json(line: DigestLine) -> dict[str, Any]:
    return {"topic": visible_path(line.topic), "about": line.about, "text": line.text, "ids": list(line.ids)}


def _memory_json(memory: Memory) -> dict[str, Any]:
    return {"id": memory.id, "kind": memory.said.kind.value, "text": memory.said.text}
