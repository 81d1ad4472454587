"""Steps before the tests: commands that preceded a pass so often that the tests seem to need them.

sessions -> for each way to run tests the steps before its first pass -> steps that nearly every pass had -> in order

Precision comes first: builds, linters and queries are not steps, and one session in nine that passed without a step is
enough to drop it, unless the tests failed without it twice.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.memories.learned.command_forms import form_of
from repomem.memories.learned.fixes import FAILURES
from repomem.memories.learned.runs import CommandRun, Edit, SessionRuns

FEWEST = 3  # sessions in which the tests passed behind a step; two may be a habit of one day
NEARLY_ALL = 0.9  # of the sessions in which the tests passed
MOST_OF = 0.5  # of them, where the tests failed without the step
FEWEST_CURED = 2  # sessions in which they did, and passed behind it
LONGEST = 4  # steps; more are a procedure, which belongs in a script

_JOINT = " && "  # between the commands of one line
_SETTING = lazy_pattern(r"(?:cd|export|source|\.)\s")  # holds for the commands behind it
_ASKS_ONLY = lazy_pattern(
    r"(?:^|\s)(?:ps|logs?|ls|list|show|status|current|history|heads|config|version|info|inspect|diff|plan|audit|outdated"
    r"|check|images|top|port|doctor|freeze|tree|describe|get|whoami|--dry-run|--check|--help|--version)(?:\s|$)"
)


@dataclass(frozen=True, slots=True)
class LearnedSequence:
    """Steps that come before the tests here, with their support."""

    steps: tuple[str, ...]  # commands, in order
    command: str  # the tests that passed behind them, as they were run last
    sessions: int  # in which they passed behind all steps
    passes: int  # sessions in which they passed at all
    last: str  # YYYY-MM-DDTHH:MM:SSZ
    session: str  # the last of these sessions


@dataclass(frozen=True, slots=True)
class _Trial:
    """How one session fared with one way to run tests: its first pass, else its last failure."""

    run: CommandRun
    steps: tuple[str, ...]  # that had passed before, in order
    cured: frozenset[str]  # steps between a failure and the pass, without an edit


@dataclass(frozen=True, slots=True)
class _Session:
    """How one session fared with each way to run tests, and the steps that failed in it for good."""

    trials: Mapping[str, _Trial]
    failed: frozenset[str]


def sequences_in(sessions: Iterable[SessionRuns]) -> list[LearnedSequence]:
    """The steps before each way to run tests, those with the most sessions first."""
    read = list(map(_session, sessions))
    bases = dict.fromkeys(base for each in read for base in each.trials)
    found = [sequence for base in bases if (sequence := _sequence(base, read))]
    return sorted(found, key=lambda each: (each.sessions, each.last, each.command), reverse=True)


def _sequence(base: str, sessions: Sequence[_Session]) -> LearnedSequence | None:
    passes = [each.trials[base] for each in sessions if base in each.trials and each.trials[base].run.is_pass]
    seen = dict.fromkeys(step for each in passes for step in each.steps)
    steps = [step for step in seen if _is_needed(step, passes) and _strikes(step, base, sessions) < FAILURES]
    whole = [each for each in passes if set(steps) <= set(each.steps)]
    if steps and len(whole) < FEWEST:  # they seldom come together
        steps = [max(steps, key=lambda step: sum(step in each.steps for each in passes))]
        whole = [each for each in passes if steps[0] in each.steps]
    if not steps or len(steps) > LONGEST:
        return None
    last = whole[-1]
    ordered = tuple(step for step in last.steps if step in steps)
    return LearnedSequence(ordered, last.run.ran.command, len(whole), len(passes), last.run.at, last.run.session)


def _is_needed(step: str, passes: Sequence[_Trial]) -> bool:
    """Whether nearly every pass came behind a step, or most did and the tests failed without it."""
    behind = [each for each in passes if step in each.steps]
    is_cure = sum(step in each.cured for each in behind) >= FEWEST_CURED
    return len(behind) >= FEWEST and len(behind) >= (MOST_OF if is_cure else NEARLY_ALL) * len(passes)


def _strikes(step: str, base: str, sessions: Iterable[_Session]) -> int:
    """In how many sessions a step failed or was of no use since the tests last passed behind it."""
    count = 0
    for each in sessions:
        trial = each.trials.get(base)
        behind = trial.run if trial and step in trial.steps else None
        if behind and behind.is_pass:
            count = 0
        elif step in each.failed or (behind and behind.is_broken):
            count += 1
    return count


def _session(session: SessionRuns) -> _Session:
    found: dict[str, _Trial] = {}
    steps: list[str] = []
    failed: set[str] = set()
    unedited: dict[str, frozenset[str]] = {}  # a way to run tests that failed to the steps before, until an edit
    for each in session:
        if isinstance(each, Edit):
            unedited.clear()
            continue
        before, command = _parted(each)
        form = form_of(command)
        if form.slot != "test":
            for step in (*before, command) if each.is_pass else (command,):
                _note_step(each, step, steps, failed)
            continue
        known = found.get(form.base)
        behind = [*steps, *(step for step in before if step not in steps)] if each.is_pass else steps
        if known is None or not known.run.is_pass:
            cured = frozenset(behind) - unedited[form.base] if each.is_pass and form.base in unedited else frozenset()
            found[form.base] = _Trial(each, tuple(behind), cured)
        if not each.is_pass:
            unedited.setdefault(form.base, frozenset(steps))
    return _Session(found, frozenset(failed))


def _note_step(run: CommandRun, command: str, steps: list[str], failed: set[str]) -> None:
    if not _is_step(command):
        return
    if run.is_pass:
        failed.discard(command)
        steps[:] = [*(each for each in steps if each != command), command]
    else:
        failed.add(command)


def _is_step(command: str) -> bool:
    """Whether a command may prepare something: not a build, test, linter or query."""
    return not form_of(command).slot and not _ASKS_ONLY.search(command.rpartition(_JOINT)[2])


def _parted(run: CommandRun) -> tuple[list[str], str]:
    """The steps and the last command of a line, each with the folder and settings that it runs in."""
    commands = list(_commands(run.ran.command))
    return [each for each in commands[:-1] if _is_step(each)], commands[-1] if commands else run.ran.command


def _commands(line: str) -> Iterator[str]:
    settings: list[str] = []
    for part in line.split(_JOINT):
        if _SETTING.match(part):
            settings.append(part)
        else:
            yield _JOINT.join([*settings, part])
