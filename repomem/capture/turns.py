"""Turns of a session: a prompt, the agent's steps, and its final message.

Steps of sub-agents belong to the turn that started them. Their prompts are the main agent's, not a person's.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from repomem.adapters.transcripts.steps import Step, StepKind
from repomem.core.grouping import grouped_by

_WORK = frozenset({StepKind.RAN, StepKind.EDITED})


@dataclass(frozen=True, slots=True)
class Turn:
    """One prompt with the agent's steps."""

    asked: Step | None  # None: the transcript starts within a turn, or it is a sub-agent's
    steps: tuple[Step, ...]
    subagents: tuple["Turn", ...] = ()

    @property
    def final(self) -> tuple[Step, ...]:
        """The agent's messages after its last action; empty if it was interrupted."""
        at = len(self.steps)
        while at and self.steps[at - 1].kind is StepKind.SAID:
            at -= 1
        return self.steps[at:]

    @property
    def has_work(self) -> bool:
        """Whether the agent or a sub-agent ran a command or edited a file."""
        is_own = any(step.kind in _WORK and not step.is_refused for step in self.steps)
        return is_own or any(turn.has_work for turn in self.subagents)

    @property
    def edited(self) -> tuple[str, ...]:
        """The files that were edited, also by a sub-agent, each once, as written."""
        return edited_files([*self.steps, *(step for turn in self.subagents for step in turn.steps)])

    @property
    def ends_refused(self) -> bool:
        """Whether the last action was declined."""
        done = [step for step in self.steps if step.kind in _WORK]
        return bool(done) and done[-1].is_refused


def edited_files(steps: Iterable[Step]) -> tuple[str, ...]:
    """The files that these steps edited, each once, as written."""
    paths = (step.text for step in steps if step.kind is StepKind.EDITED and not step.is_refused)
    return tuple(dict.fromkeys(filter(None, paths)))


def turns_of(steps: Iterable[Step]) -> list[Turn]:
    """The steps grouped into turns, without empty ones."""
    turns: list[tuple[Step | None, list[Step]]] = [(None, [])]
    for step in steps:
        if step.kind is StepKind.ASKED and not step.agent:
            turns.append((step, []))
        else:
            turns[-1][1].append(step)
    return [_turn(asked, own) for asked, own in turns if asked or own]


def _turn(asked: Step | None, steps: Sequence[Step]) -> Turn:
    of_subagents = grouped_by((step for step in steps if step.agent), lambda step: step.agent)
    inner = (turn for some in of_subagents.values() for turn in _turns_of_subagent(some))
    return Turn(asked, tuple(step for step in steps if not step.agent), tuple(inner))


def _turns_of_subagent(steps: Iterable[Step]) -> list[Turn]:
    """The steps of one sub-agent grouped into turns, without its prompts."""
    parts = groupby(steps, key=lambda step: step.kind is StepKind.ASKED)
    return [Turn(None, tuple(part)) for is_prompt, part in parts if not is_prompt]
