"""Sessions as the notes that are kept of them."""

from collections.abc import Sequence
from pathlib import Path

from repomem.core.records import Event, Origin, Record, Source, next_id
from repomem.core.types.text import CleanText
from repomem.sessions.command_notes import Ran, touched_text
from repomem.workspace.ledger import ledger_of
from support.samples import workspace_at

Said = str | tuple[str, str]
"""A command that passed, `+path` for a file that was edited, or a command and the error that it failed with."""

Session = Sequence[Said]


def notes(*sessions: Session, head: str = "") -> list[Record]:
    """The notes of sessions, a day each, from 2026-03-01 on."""
    found: list[Record] = []
    for day, session in enumerate(sessions, start=1):
        origin = Origin(f"2026-03-{day:02}T10:00:00Z", "agent", Source.TRANSCRIPT, head=head, session=f"S{day}")
        for each in session:
            found.append(Record(next_id(found), Event.SESSION_NOTE, origin, text=CleanText(_text(each))))
    return found


def kept(folder: Path, *records: Record) -> None:
    """Put records into the ledger of a repository as they are."""
    with workspace_at(folder) as workspace:
        ledger_of(workspace).append(lambda _: records)


def _text(said: Said) -> str:
    if isinstance(said, tuple):
        return Ran(said[0], 1, said[1]).text
    return touched_text(said[1:]) if said.startswith("+") else Ran(said, 0).text
