"""Learnt commands as lines of the profile, where files give none or theirs fails here."""

from collections.abc import Callable, Iterator, Sequence

from repomem.core.records import Record
from repomem.core.text.escape import inert, one_line
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.ulid import unique_prefix
from repomem.memories.learned.command_forms import form_of
from repomem.memories.learned.commands import BrokenCommand, Learned, LearnedCommand, learned_from
from repomem.memories.learned.error_matching import without_runner_prefix
from repomem.memories.learned.fixes import Remedy
from repomem.memories.learned.steps_before_tests import LearnedSequence
from repomem.memories.learned.wording import commands_text, passed_text, sequence_text, support_text
from repomem.profile.profile_lines import LABELS, ONE_TEST_LABEL, Slot, SlotLine, Voice

SHOWN = {Slot.BUILD: 1, Slot.TEST: 1, Slot.LINT: 2, Slot.FORMAT: 1}  # commands of a slot
LONGEST_ERROR = 80  # characters
_STEPS = lazy_pattern(r" → |; | && ")  # between the commands of one line of a file


def learned_lines(records: Sequence[Record]) -> Callable[[Sequence[SlotLine]], list[SlotLine]]:
    """The lines of the profile with facts learnt from the sessions of some records."""
    learned, ids = learned_from(records), sorted(record.id for record in records)
    return lambda lines: with_learned(lines, learned, ids)


def with_learned(lines: Sequence[SlotLine], learned: Learned, ids: list[str]) -> list[SlotLine]:
    """The lines that files give, with learnt ones in empty slots, and before commands of files that fail here.

    How to run one test, and steps before the tests, are added in any case, since files rarely give them. `ids` are
    those of all records, sorted.
    """
    found: list[SlotLine] = []
    for slot in Slot:
        own = [line for line in lines if line.slot is slot]
        learnt = list(_of_slot(slot, learned, ids)) if slot in SHOWN else []
        added = [line for line in learnt if line.text.startswith(LABELS)]
        singles = [line for line in added if line.text.startswith(ONE_TEST_LABEL)]
        forms = [line for line in own if line.text.startswith(ONE_TEST_LABEL)]
        if any(_has_program(form, single) for form in forms for single in singles):
            added = [line for line in added if line not in singles]  # one file's command says less than the form
        elif singles:
            own = [line for line in own if line not in forms]
        if not own or any(_fails(line, learned) for line in own):
            found += [line for line in learnt if line not in added]
        found += [*own, *added]
    return found


def _of_slot(slot: Slot, learned: Learned, ids: list[str]) -> Iterator[SlotLine]:
    """The facts learnt for one slot: working commands, how to run one test, and required first commands."""
    works = [each for each in learned.works if each.form.slot == slot]
    sequences = learned.sequences[:1] if slot is Slot.TEST else ()
    known = {step for sequence in sequences for step in sequence.steps}
    for each in works[: SHOWN[slot]]:
        broken = [other for other in learned.broken if other.form.slot == slot and other.form != each.form]
        yield _line(slot, _said(each, broken), each.session, ids)
        if (needed := learned.needed_before(each.form)) and not known.issuperset(needed.by):
            first, support = commands_text(needed.by), support_text(needed.sessions, needed.last)
            yield _line(slot, f"first {first} ({support}), else {_error(needed.error)}", each.session, ids)
        if each.one:
            yield _line(slot, f"{ONE_TEST_LABEL}{commands_text([each.one])}", each.session, ids)
    for sequence in sequences:
        yield _line(slot, f"{sequence_text(sequence)}{_else(sequence, learned)}", sequence.session, ids)


def _else(sequence: LearnedSequence, learned: Learned) -> str:
    """The error that the tests failed with when a step was missing, if there was one."""
    cures = (each for each in learned.fixes if each.remedy is Remedy.FIRST and set(each.by) <= set(sequence.steps))
    cure = next((each for each in cures if each.form.base == form_of(sequence.command).base), None)
    return f", else {_error(cure.error)}" if cure else ""


def _has_program(form: SlotLine, single: SlotLine) -> bool:
    """Whether the form of one test's command that files give has the program of one that ran."""
    ran = form_of(single.text.removeprefix(ONE_TEST_LABEL).strip("`")).base
    return f"{form.text.removeprefix(ONE_TEST_LABEL)} ".startswith(f"{ran} ")


def _line(slot: Slot, text: str, session: str, ids: list[str]) -> SlotLine:
    return SlotLine(slot, text, f"session {unique_prefix(session, ids)}", Voice.LEARNED)


def _said(each: LearnedCommand, broken: Sequence[BrokenCommand]) -> str:
    """A command with its support, whether it has failed since, and one that fails."""
    parts = [passed_text(each)]
    if each.failed:
        parts.append(f"failed once since: {_error(each.failed)}")
    if broken:
        parts.append(f"{commands_text([broken[0].command])} fails: {_error(broken[0].error)}")
    return "; ".join(parts)


def _error(text: str) -> str:
    return inert(one_line(without_runner_prefix(text), LONGEST_ERROR)) or "an unknown error"


def _fails(line: SlotLine, learned: Learned) -> bool:
    """Whether a command that a file names fails here."""
    broken = {each.form.base for each in learned.broken if each.form.slot == line.slot}
    return bool(broken) and any(form_of(step.strip()).base in broken for step in _STEPS.split(line.text))
