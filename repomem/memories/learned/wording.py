"""Learnt facts in words: one line each, with its support."""

from collections.abc import Iterable

from repomem.core.records import Record
from repomem.core.text.counts import counted, listed
from repomem.core.text.escape import code, one_line, quoted, visible_path
from repomem.memories.learned.commands import LearnedCommand, learned_from
from repomem.memories.learned.error_matching import without_runner_prefix
from repomem.memories.learned.fixes import Fix, Remedy
from repomem.memories.learned.steps_before_tests import LearnedSequence
from repomem.profile.profile_lines import BEFORE_TESTS

LONGEST = 120  # characters of a command or an error
FILES = 3  # of an edit, named


def learned_texts(records: Iterable[Record]) -> list[str]:
    """Facts learnt from the sessions of some records: working commands, steps before the tests, fixed errors."""
    learned = learned_from(records)
    works = list(map(passed_text, learned.works))
    sequences = [sequence_text(each) for each in learned.sequences[:1]]
    return [*works, *sequences, *map(fix_text, learned.fixes)]


def passed_text(command: LearnedCommand) -> str:
    """A command that works, with its support."""
    return f"{commands_text([command.command])} passed in {support_text(command.sessions, command.last)}"


def commands_text(commands: Iterable[str]) -> str:
    """Commands to run one after the other."""
    return ", then ".join(code(one_line(each, LONGEST)) for each in commands)


def sequence_text(sequence: LearnedSequence) -> str:
    """The steps before the tests, with their support."""
    behind = f"{sequence.sessions} of {counted(sequence.passes, 'session')} that passed"
    return f"{BEFORE_TESTS}{commands_text(sequence.steps)} ({behind}, last {sequence.last[:10]})"


def fix_text(fix: Fix) -> str:
    """An error and its fix, with its support."""
    failed = f"{commands_text([fix.command])} failed with {quoted(one_line(without_runner_prefix(fix.error), LONGEST))}"
    return f"{failed}; {_remedy(fix)} ({support_text(fix.sessions, fix.last)})"


def _remedy(fix: Fix) -> str:
    if fix.remedy is Remedy.EDIT:
        return f"fixed by: edit of {listed(fix.by, FILES, lambda path: code(visible_path(path)))}"
    commands = commands_text(fix.by)
    return f"fixed by: run {commands} first" if fix.remedy is Remedy.FIRST else f"what passed: {commands}"


def support_text(sessions: int, last: str) -> str:
    """In how many sessions, and when the last time was."""
    return f"{counted(sessions, 'session')}, last {last[:10]}"
