"""Extracts the findings of an agent session, without an LLM.

Notes record commands, failures, and the files edited until they passed; statements are decisions, rules, gotchas and
open work. Results are deterministic, and further steps remove no note. Commands, edits and statements of sub-agents
are included; goal, outcome and open work are from the main agent only.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from repomem.adapters.transcripts.steps import Step, StepKind
from repomem.capture.command_outcomes import ran_of
from repomem.capture.dialogue_state import Noted, Stated
from repomem.capture.statements.classifier.context_model import log_odds
from repomem.capture.statements.classifier.scores import LogOdds
from repomem.capture.statements.extract import Statements, statements_in
from repomem.capture.statements.outcome import goal_of, outcome_of
from repomem.capture.turns import edited_files, turns_of
from repomem.sessions.command_notes import SAID, touched_text

MOST_NOTES = 40  # of a session; always the first, so that further steps remove none
MOST_TRIED = 8  # of these, failed attempts
MOST_SAID = 20  # further notes: sentences that may state something lasting


@dataclass(frozen=True, slots=True)
class Captured:
    """Findings of a session, as raw text."""

    goal: str = ""
    outcome: str = ""
    files: tuple[str, ...] = ()  # edited files, each once
    notes: tuple[Noted, ...] = ()  # in order
    stated: tuple[Stated, ...] = ()


def captured_from(steps: Sequence[Step], noise: Sequence[str] = (), log_odds: LogOdds = log_odds) -> Captured:
    """The findings in these steps, without statements that are worded like `noise`."""
    turns = turns_of(steps)
    found = statements_in(turns, log_odds, noise)
    return Captured(
        goal=goal_of(turns),
        outcome=outcome_of(turns),
        files=edited_files(steps),
        notes=_notes(steps, found),
        stated=tuple(found.stated),
    )


def _notes(steps: Sequence[Step], found: Statements) -> tuple[Noted, ...]:
    """Notes about commands, edits, attempts and unsure statements, in order."""
    places = {step.key: at for at, step in enumerate(steps)}
    attempts = found.tried[:MOST_TRIED]
    said = [
        Noted(f"{one.key}:said", one.at, f"{SAID}{one.text}", one.is_subagents, one.is_persons)
        for one in found.unsure[:MOST_SAID]
    ]
    ran = list(_ran_and_touched(steps))[: MOST_NOTES - len(attempts)]
    return tuple(sorted([*ran, *attempts, *said], key=lambda note: places.get(note.key.partition("#")[0], len(places))))


def _ran_and_touched(steps: Sequence[Step]) -> Iterator[Noted]:
    """Notes about commands whose result changed, and about files edited while one of them failed."""
    last: dict[str, str] = {}  # each command to its last note
    failing: dict[str, set[str]] = {}  # each failing command to the files edited since
    for step in steps:
        if step.kind is StepKind.EDITED and not step.is_refused:
            if any(step.text not in touched for touched in failing.values()):
                yield Noted(step.key, step.at, touched_text(step.text), bool(step.agent))
            for touched in failing.values():
                touched.add(step.text)
        elif (ran := ran_of(step)) and last.get(ran.command) != ran.text:
            last[ran.command] = ran.text
            yield Noted(step.key, step.at, ran.text, bool(step.agent))
            if ran.code:
                failing[ran.command] = set()
            else:
                failing.pop(ran.command, None)
