"""Notes about commands and edits in a session: their text, and parsing it."""

from collections.abc import Iterable
from dataclasses import dataclass

from repomem.core.grouping import grouped_by
from repomem.core.records import Event, Record
from repomem.core.text.lazy_pattern import lazy_pattern

LONGEST = 200  # characters of a command or an error line
TRIED = "tried: "  # prefix of the note of a failed attempt
SAID = "said: "  # prefix of the note of a sentence that may state something lasting

_RAN = lazy_pattern(r"ran: (?P<command>.+?) -> exit (?P<code>\d{1,5})(?:: (?P<error>.+))?")
_TOUCHED = lazy_pattern(r"touched: (?P<path>.+)")


@dataclass(frozen=True, slots=True)
class Ran:
    """A command that was run in a session: `ran: make test -> exit 1: ImportError: no module named x`."""

    command: str
    code: int
    error: str = ""  # the error line

    @property
    def text(self) -> str:
        """The text of the note; redact it before storing it."""
        text = f"ran: {_folded(self.command).replace(' -> exit ', ' → exit ')} -> exit {self.code}"
        return f"{text}: {_folded(self.error)}" if self.error.strip() else text


def ran_in(text: str) -> Ran | None:
    """The command of a note; None for other notes."""
    found = _RAN.fullmatch(text)
    return Ran(found["command"], int(found["code"]), found["error"] or "") if found else None


def touched_text(path: str) -> str:
    """The text of the note about a file written in a session."""
    return f"touched: {path}"


def touched_in(text: str) -> str:
    """The file of a note; empty for other notes."""
    found = _TOUCHED.fullmatch(text)
    return found["path"] if found else ""


def notes_by_session(records: Iterable[Record]) -> dict[str, list[Record]]:
    """The notes of each session, oldest first, without forgotten ones."""
    known = list(records)
    forgotten = {target for record in known if record.event is Event.FORGET for target in record.targets}
    notes = (record for record in known if record.event is Event.SESSION_NOTE and record.origin.session)
    kept = (record for record in notes if not forgotten & {record.id, record.origin.session})
    return grouped_by(kept, lambda record: record.origin.session)


def _folded(text: str) -> str:
    return " ".join(text.split())[:LONGEST]
