"""Commands that work here, and those that do not, by the runs of agent sessions.

A command is learnt once it has passed in two sessions, and dropped once it has failed twice since it last passed.
Findings of a test or a linter are not failures of the command.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from repomem.core.records import Record
from repomem.memories.learned.command_forms import CommandForm
from repomem.memories.learned.fixes import FAILURES, Fix, Remedy, fixes_in
from repomem.memories.learned.runs import CommandRun, by_form, failures_since_pass, runs_by_session
from repomem.memories.learned.steps_before_tests import LearnedSequence, sequences_in

FEWEST_SESSIONS = 2  # in which a command passed; one may be luck


@dataclass(frozen=True, slots=True)
class LearnedCommand:
    """A way to run something that works here, with its support."""

    form: CommandForm
    command: str  # as it was typed most often; of tests a run of all, if there was one
    one: str  # the newest run of chosen tests that passed; empty if there was none
    sessions: int  # in which it passed
    last: str  # YYYY-MM-DDTHH:MM:SSZ, when it last passed
    session: str  # the session of that
    failed: str  # with which error it has failed once since


@dataclass(frozen=True, slots=True)
class BrokenCommand:
    """A way to run something that does not work here."""

    form: CommandForm
    command: str  # as it was typed last
    error: str
    sessions: int  # in which it failed


@dataclass(frozen=True, slots=True)
class Learned:
    """What some sessions learnt."""

    works: tuple[LearnedCommand, ...]  # those with the most sessions first
    broken: tuple[BrokenCommand, ...]  # the same
    fixes: tuple[Fix, ...]  # the same
    sequences: tuple[LearnedSequence, ...]  # the same: steps before the tests

    def needed_before(self, form: CommandForm) -> Fix | None:
        """The commands required before a command works, by at least two sessions."""
        found = (each for each in self.fixes if each.remedy is Remedy.FIRST and each.sessions >= FEWEST_SESSIONS)
        return next((each for each in found if each.form == form), None)


def learned_from(records: Iterable[Record]) -> Learned:
    """What the sessions of some records learnt, as far as it still holds."""
    sessions = runs_by_session(records)
    fixes = fixes_in(sessions)
    runs = by_form(sessions)
    works = [_learned(form, some) for form, some in runs.items() if _works(some)]
    replaced = {each.form for each in fixes if each.remedy is Remedy.INSTEAD}
    broken = [_broken(form, some) for form, some in runs.items() if _is_broken(form, some, replaced)]
    works.sort(key=lambda each: (each.sessions, each.last, each.session), reverse=True)
    broken.sort(key=lambda each: (-each.sessions, each.command))
    return Learned(tuple(works), tuple(broken), tuple(fixes), tuple(sequences_in(sessions)))


def _works(runs: Sequence[CommandRun]) -> bool:
    return (
        len({each.session for each in runs if each.is_pass}) >= FEWEST_SESSIONS and failures_since_pass(runs) < FAILURES
    )


def _is_broken(form: CommandForm, runs: Sequence[CommandRun], replaced: set[CommandForm]) -> bool:
    """Whether a command failed twice since it last passed, or once where another one passed in its place."""
    return failures_since_pass(runs) >= (1 if form in replaced else FAILURES)


def _learned(form: CommandForm, runs: Sequence[CommandRun]) -> LearnedCommand:
    passed = [each for each in runs if each.is_pass]
    whole = [each.ran.command for each in passed if not each.form.is_partial]
    chosen = [each.ran.command for each in passed if each.form.is_partial]
    failed = [each.ran.error for each in runs[runs.index(passed[-1]) + 1 :] if each.is_broken]
    return LearnedCommand(
        form,
        _most_often(whole) if whole else chosen[-1],
        chosen[-1] if chosen else "",
        len({each.session for each in passed}),
        passed[-1].at,
        passed[-1].session,
        failed[-1] if failed else "",
    )


def _most_often(commands: Sequence[str]) -> str:
    """The most frequent command; of equally frequent ones the newest."""
    counts = Counter(commands)
    return max(reversed(commands), key=counts.__getitem__)


def _broken(form: CommandForm, runs: Sequence[CommandRun]) -> BrokenCommand:
    failed = [each for each in runs if each.is_broken]
    last = failed[-1]
    return BrokenCommand(form, last.ran.command, last.ran.error, len({each.session for each in failed}))
