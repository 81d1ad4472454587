"""Errors that sessions have met, with their fixes: a command to run first, another command, or an edit.

sessions -> the failures and what followed them -> pairs with their support -> those that match a message
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from repomem.adapters.languages.file_roles import PROSE_SUFFIXES, is_test, role_of, suffix_of
from repomem.core.grouping import grouped_by
from repomem.core.types.code import Role
from repomem.memories.learned.command_forms import CommandForm, core_of
from repomem.memories.learned.error_matching import ErrorKey, error_key, is_stated, keys_in
from repomem.memories.learned.runs import CommandRun, Edit, SessionRuns

FAILURES = 2  # in a row, after which a fix is no longer shown
NO_CAUSES = frozenset({".gitignore", ".gitattributes", ".dockerignore", ".mailmap"})
MOST_FILES = 10  # edited between a failure and a pass; with more, the cause is unclear


class Remedy(StrEnum):
    """The fix of an error."""

    EDIT = "edit"  # of files; then the same command passed
    FIRST = "first"  # commands that ran before the same command passed
    INSTEAD = "instead"  # another command, which passed at once


@dataclass(frozen=True, slots=True)
class Fix:
    """An error of a command and its fix, with its support."""

    form: CommandForm  # of the command that failed
    command: str  # that failed, as it was last typed
    error: str
    remedy: Remedy
    by: tuple[str, ...]  # paths of edited files, else commands
    sessions: int
    last: str  # YYYY-MM-DDTHH:MM:SSZ, when it last fixed the error
    notes: tuple[str, ...]  # ids of the failure and the pass, of the last time


@dataclass(frozen=True, slots=True)
class _Outcome:
    """One failure in one session: the steps after it, and whether the command passed then."""

    failed: CommandRun
    remedy: Remedy
    by: tuple[str, ...]
    passed: CommandRun | None


def fixes_in(sessions: Iterable[SessionRuns]) -> list[Fix]:
    """The fixes that still hold, those with the most sessions first, then the newest."""
    every = (each for session in sessions for each in _outcomes(session))
    outcomes = grouped_by(every, lambda each: (error_key(each.failed.ran.error), each.remedy, each.by))
    found = [fix for some in outcomes.values() if (fix := _fix(some))]
    return sorted(found, key=lambda each: (each.sessions, each.last, each.notes), reverse=True)


def matching_fixes(fixes: Sequence[Fix], text: str) -> list[Fix]:
    """The fixes of errors that a text states."""
    stated = keys_in(text)
    return [each for each in fixes if is_stated(each.error, stated)]


def _fix(outcomes: Sequence[_Outcome]) -> Fix | None:
    """The fix that some outcomes of one error and one remedy support, unless it has failed since."""
    failures = 0
    for each in outcomes:
        failures = 0 if each.passed else failures + 1
    worked = [each for each in outcomes if each.passed]
    if not worked or failures >= FAILURES:
        return None
    failed, passed = worked[-1].failed, worked[-1].passed
    return Fix(
        replace(failed.form, is_partial=False),
        failed.ran.command,
        failed.ran.error,
        worked[-1].remedy,
        worked[-1].by,
        len({each.failed.session for each in worked}),
        passed.at if passed else "",
        (failed.note, passed.note if passed else ""),
    )


def _outcomes(session: SessionRuns) -> Iterator[_Outcome]:
    """The outcome of each error of a session: of equal ones, the last."""
    found: dict[tuple[str, ErrorKey], _Outcome] = {}
    for at, each in enumerate(session):
        if isinstance(each, CommandRun) and each.ran.code and each.ran.error:
            outcome = _outcome(each, session[at + 1 :])
            if outcome:
                found[each.form.base, error_key(each.ran.error)] = outcome
    return iter(found.values())


def _outcome(failed: CommandRun, rest: SessionRuns) -> _Outcome | None:
    """The steps after a failure until the same command passed, or another one in its place."""
    edited: list[str] = []
    ran: list[str] = []
    for each in rest:
        if isinstance(each, Edit):
            edited += [each.path] if is_cause(each.path) else []
        elif each.form.base == failed.form.base:
            if each.is_pass:
                return _tried(failed, edited, ran, each)
            is_same = error_key(each.ran.error) == error_key(failed.ran.error)
            return _tried(failed, edited, ran) if is_same else None  # another error: fixed too, by an unknown step
        elif each.is_pass and not edited and _does_the_same(each, failed):
            return _Outcome(failed, Remedy.INSTEAD, (each.ran.command,), each)
        elif each.is_pass:
            ran.append(each.ran.command)
    return _tried(failed, edited, ran)


def _tried(
    failed: CommandRun, edited: Sequence[str], ran: Sequence[str], passed: CommandRun | None = None
) -> _Outcome | None:
    files, commands = _mending(edited), tuple(dict.fromkeys(ran))
    if files and len(files) <= MOST_FILES:
        return _Outcome(failed, Remedy.EDIT, tuple(sorted(files)), passed)
    return _Outcome(failed, Remedy.FIRST, commands, passed) if commands and not files else None


def _does_the_same(one: CommandRun, failed: CommandRun) -> bool:
    """Whether two commands are two ways to run the same: tests, or one program from elsewhere or with variables."""
    is_of_slot = bool(one.form.slot) and one.form.slot == failed.form.slot
    return is_of_slot or core_of(one.ran.command) == core_of(failed.ran.command)


def is_cause(path: str) -> bool:
    """Whether an edit of a file can fix an error: not that of a document or an ignored file."""
    name = path.rpartition("/")[2]
    return role_of(path, "", {}) is not Role.DOCS and suffix_of(name) not in PROSE_SUFFIXES and name not in NO_CAUSES


def _mending(edited: Sequence[str]) -> tuple[str, ...]:
    """The files that may have fixed it: not the tests, if other files were edited too."""
    files = tuple(dict.fromkeys(edited))
    return tuple(path for path in files if not is_test(path)) or files
