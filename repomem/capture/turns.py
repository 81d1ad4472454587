"""Turns of a session: what a person asked for, what the agent did about it, and its last words on it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from repomem.adapters.transcripts.steps import Step, StepKind

_WORK = frozenset({StepKind.RAN, StepKind.EDITED})


@dataclass(frozen=True, slots=True)
class Turn:
    """One request and what came of it."""

    asked: Step | None  # None: the transcript starts within a turn
    steps: tuple[Step, ...]

    @property
    def final(self) -> tuple[Step, ...]:
        """The agent's words behind its last act; none where it was stopped at work."""
        at = len(self.steps)
        while at and self.steps[at - 1].kind is StepKind.SAID:
            at -= 1
        return self.steps[at:]

    @property
    def has_work(self) -> bool:
        """Whether something was run or written in it."""
        return any(step.kind in _WORK and not step.is_refused for step in self.steps)

    @property
    def ends_refused(self) -> bool:
        """Whether the last thing that it tried to do was not let happen."""
        done = [step for step in self.steps if step.kind in _WORK]
        return bool(done) and done[-1].is_refused


def turns_of(steps: Iterable[Step]) -> list[Turn]:
    """The turns, in their order."""
    found: list[tuple[Step | None, list[Step]]] = [(None, [])]
    for step in steps:
        if step.kind is StepKind.ASKED:
            found.append((step, []))
        else:
            found[-1][1].append(step)
    return [Turn(asked, tuple(rest)) for asked, rest in found if asked or rest]


def asked_in(turns: Sequence[Turn]) -> list[Step]:
    """What the person said, in its order."""
    return [turn.asked for turn in turns if turn.asked]
