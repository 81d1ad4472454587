"""Turns of a session: a prompt, the agent's steps, and its final message."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from repomem.adapters.transcripts.steps import Step, StepKind

_WORK = frozenset({StepKind.RAN, StepKind.EDITED})


@dataclass(frozen=True, slots=True)
class Turn:
    """One prompt with the agent's steps."""

    asked: Step | None  # None: the transcript starts within a turn
    steps: tuple[Step, ...]

    @property
    def final(self) -> tuple[Step, ...]:
        """The agent's words after its last action; empty if it was interrupted."""
        at = len(self.steps)
        while at and self.steps[at - 1].kind is StepKind.SAID:
            at -= 1
        return self.steps[at:]

    @property
    def has_work(self) -> bool:
        """Whether a command ran or a file was edited."""
        return any(step.kind in _WORK and not step.is_refused for step in self.steps)

    @property
    def ends_refused(self) -> bool:
        """Whether the last action was declined."""
        done = [step for step in self.steps if step.kind in _WORK]
        return bool(done) and done[-1].is_refused


def turns_of(steps: Iterable[Step]) -> list[Turn]:
    """Group steps into turns."""
    found: list[tuple[Step | None, list[Step]]] = [(None, [])]
    for step in steps:
        if step.kind is StepKind.ASKED:
            found.append((step, []))
        else:
            found[-1][1].append(step)
    return [Turn(asked, tuple(rest)) for asked, rest in found if asked or rest]


def prompts_in(turns: Sequence[Turn]) -> list[Step]:
    """Give the prompts in order."""
    return [turn.asked for turn in turns if turn.asked]
