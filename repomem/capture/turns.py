"""Turns of a session: a prompt, the agent's steps, and its final message.

What sub-agents did belongs to the turn that started them. A prompt of theirs is the main agent's, and no person's.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from repomem.adapters.transcripts.steps import Step, StepKind

_WORK = frozenset({StepKind.RAN, StepKind.EDITED})


@dataclass(frozen=True, slots=True)
class Turn:
    """One prompt with the agent's steps."""

    asked: Step | None  # None: the transcript starts within a turn, or it is a sub-agent's
    steps: tuple[Step, ...]
    subagents: tuple["Turn", ...] = ()

    @property
    def final(self) -> tuple[Step, ...]:
        """The agent's words after its last action; empty if it was interrupted."""
        at = len(self.steps)
        while at and self.steps[at - 1].kind is StepKind.SAID:
            at -= 1
        return self.steps[at:]

    @property
    def has_work(self) -> bool:
        """Whether a command ran or a file was edited, also by a sub-agent."""
        is_own = any(step.kind in _WORK and not step.is_refused for step in self.steps)
        return is_own or any(turn.has_work for turn in self.subagents)

    @property
    def ends_refused(self) -> bool:
        """Whether the last action was declined."""
        done = [step for step in self.steps if step.kind in _WORK]
        return bool(done) and done[-1].is_refused


def turns_of(steps: Iterable[Step]) -> list[Turn]:
    """Group steps into turns."""
    found = [_OpenTurn()]
    for step in steps:
        if step.agent:
            found[-1].subagents.setdefault(step.agent, []).append(step)
        elif step.kind is StepKind.ASKED:
            found.append(_OpenTurn(step))
        else:
            found[-1].steps.append(step)
    return [each.turn() for each in found if each.asked or each.steps or each.subagents]


@dataclass(slots=True)
class _OpenTurn:
    """A turn that grows."""

    asked: Step | None = None
    steps: list[Step] = field(default_factory=list)
    subagents: dict[str, list[Step]] = field(default_factory=dict)

    def turn(self) -> Turn:
        inner = (turn for steps in self.subagents.values() for turn in _turns_of_subagent(steps))
        return Turn(self.asked, tuple(self.steps), tuple(inner))


def _turns_of_subagent(steps: Iterable[Step]) -> list[Turn]:
    """Group the steps of one sub-agent into turns, without its prompts."""
    found: list[list[Step]] = [[]]
    for step in steps:
        if step.kind is StepKind.ASKED:
            found.append([])
        else:
            found[-1].append(step)
    return [Turn(None, tuple(each)) for each in found if each]


def prompts_in(turns: Sequence[Turn]) -> list[Step]:
    """Give the prompts in order."""
    return [turn.asked for turn in turns if turn.asked]
