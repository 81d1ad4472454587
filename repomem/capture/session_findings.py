"""What is worth keeping of an agent session, found in its steps without any model.

Notes tell what was run, what failed and which files were written until it passed; statements are decisions, rules,
gotchas and open ends that somebody stated. The same steps give the same, and more steps take no note back.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from repomem.adapters.transcripts.steps import Step, StepKind
from repomem.capture.command_outcomes import ran_of
from repomem.capture.dialogue_state import Stated, Tried
from repomem.capture.statements.extract import stated_in
from repomem.capture.statements.outcome import goal_of, outcome_of
from repomem.capture.turns import turns_of
from repomem.memories.consolidate.recurring_facts import touched_text

__all__ = ["Captured", "Noted", "Stated", "captured_from"]

MOST_NOTES = 40  # of a session; the first of them, so that a longer reading takes none back
MOST_TRIED = 8  # of these


@dataclass(frozen=True, slots=True)
class Noted:
    """One thing that a session shows, as a note."""

    key: str  # names it within the session, however often that is read
    at: str  # YYYY-MM-DDTHH:MM:SSZ; empty where nobody says
    text: str  # in the forms of `memories.consolidate.recurring_facts`, or "tried: …"


@dataclass(frozen=True, slots=True)
class Captured:
    """What is worth keeping of a session; all of it is raw text."""

    goal: str = ""
    outcome: str = ""
    files: tuple[str, ...] = ()  # written in it, as they were written down, each once
    notes: tuple[Noted, ...] = ()  # in the order in which it happened
    stated: tuple[Stated, ...] = ()


def captured_from(steps: Sequence[Step]) -> Captured:
    """What is worth keeping of a session with these steps."""
    turns = turns_of(steps)
    stated, tried = stated_in(turns)
    edited = (step.text for step in steps if step.kind is StepKind.EDITED and not step.is_refused)
    return Captured(
        goal=goal_of(turns),
        outcome=outcome_of(turns),
        files=tuple(dict.fromkeys(path for path in edited if path)),
        notes=_notes(steps, tried),
        stated=tuple(stated),
    )


def _notes(steps: Sequence[Step], tried: Sequence[Tried]) -> tuple[Noted, ...]:
    """What was run, written and tried, in the order of the steps that tell it."""
    places = {step.key: at for at, step in enumerate(steps)}
    attempts = [Noted(each.key, each.at, each.text) for each in tried[:MOST_TRIED]]
    ran = list(_ran_and_touched(steps))[: MOST_NOTES - len(attempts)]
    return tuple(sorted([*ran, *attempts], key=lambda note: places.get(note.key.partition("#")[0], len(places))))


def _ran_and_touched(steps: Sequence[Step]) -> Iterator[Noted]:
    """Commands whose result is news, and the files that were written while one of them failed."""
    last: dict[str, str] = {}  # a command to what was noted of it
    failing: dict[str, set[str]] = {}  # a command to the files that were written since it failed
    for step in steps:
        if step.kind is StepKind.EDITED and not step.is_refused:
            if any(step.text not in touched for touched in failing.values()):
                yield Noted(step.key, step.at, touched_text(step.text))
            for touched in failing.values():
                touched.add(step.text)
        elif (ran := ran_of(step)) and last.get(ran.command) != ran.text:
            last[ran.command] = ran.text
            yield Noted(step.key, step.at, ran.text)
            if ran.code:
                failing[ran.command] = set()
            else:
                failing.pop(ran.command, None)
