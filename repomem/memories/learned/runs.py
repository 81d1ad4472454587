"""The runs of commands in agent sessions, from the sessions' notes: oldest first in each session."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from repomem.core.grouping import grouped_by
from repomem.core.records import Event, Record
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.memories.learned.command_forms import CommandForm, form_of
from repomem.sessions.command_notes import Ran, notes_by_session, ran_in, touched_in

NEWEST_NOTES = 1_000  # that are read: at most 40 of a session, so of 25 sessions or more; 30 ms

# Failures that the command exists to find. They show that the command itself works.
_FINDING = lazy_pattern(
    r"^FAILED (?!.*(?:ModuleNotFoundError|ImportError|fixture '))|^E\s+(?:assert\b|AssertionError)|^\w*AssertionError\b"
    r"|--- FAIL\b|_test\.go:\d+|\bAssert\.\w+\(\) Failure|Failed asserting|^(?:Expected|Received|expected|left)\b.*:"
    r"|^expected .+ (?:to|but|not to)\b|^[●✕✗✘×✖]|panicked at|^FAIL\b|\b[1-9]\d* (?:tests? )?fail(?:ed|ures?|ing)\b"
    r"|^error(?:\[E\d+\]|: mismatched)|: error TS\d+|^\S+:\d+:(?:\d+:)? (?!.*No module named)"
)


@dataclass(frozen=True, slots=True)
class CommandRun:
    """One run of a command, as a session noted it."""

    note: str  # the id of its note
    session: str
    at: str  # YYYY-MM-DDTHH:MM:SSZ
    ran: Ran
    form: CommandForm

    @property
    def is_pass(self) -> bool:
        """Whether it passed."""
        return self.ran.code == 0

    @property
    def is_broken(self) -> bool:
        """Whether the command itself failed, as opposed to findings of a test or a linter in the code."""
        return self.ran.code != 0 and not _FINDING.search(self.ran.error)


@dataclass(frozen=True, slots=True)
class Edit:
    """A file that was written while a command failed."""

    note: str
    path: str


SessionRuns = Sequence[CommandRun | Edit]


def runs_by_session(records: Iterable[Record]) -> list[SessionRuns]:
    """The runs and edits of each session in the newest notes, without forgotten ones; sessions by their last."""
    known = list(records)
    newest = set(islice((each.id for each in reversed(known) if _is_read(each)), NEWEST_NOTES))
    read = [each for each in known if each.event is Event.FORGET or each.id in newest]
    found = [list(_of_session(notes)) for notes in notes_by_session(read).values()]
    return sorted(filter(None, found), key=lambda each: each[-1].note)


def runs_in(sessions: Iterable[SessionRuns]) -> Iterator[CommandRun]:
    """The runs alone, session by session."""
    return (each for session in sessions for each in session if isinstance(each, CommandRun))


def failures_since_pass(runs: Iterable[CommandRun]) -> int:
    """How often a command itself has failed since it last passed; `runs` are those of one form, oldest first."""
    count = 0
    for run in runs:
        count = 0 if run.is_pass else count + run.is_broken
    return count


def by_form(sessions: Iterable[SessionRuns]) -> Mapping[CommandForm, list[CommandRun]]:
    """The runs of each form, oldest first; whether tests were selected makes no difference here."""
    return grouped_by(runs_in(sessions), lambda run: CommandForm(run.form.slot, run.form.base, is_partial=False))


def _is_read(record: Record) -> bool:
    return record.event is Event.SESSION_NOTE and record.text.startswith(("ran: ", "touched: "))


def _of_session(notes: Iterable[Record]) -> Iterator[CommandRun | Edit]:
    for note in notes:
        if ran := ran_in(note.text):
            yield CommandRun(note.id, note.origin.session, note.origin.at, ran, form_of(ran.command))
        elif path := touched_in(note.text):
            yield Edit(note.id, path)
