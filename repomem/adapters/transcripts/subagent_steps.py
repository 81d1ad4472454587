"""Marks the steps of sub-agents, and puts them among those of the session that started them."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from repomem.adapters.transcripts.steps import Step

_LAST = "~"  # sorts after all times


def of_subagent(steps: Iterable[Step], agent: str) -> tuple[Step, ...]:
    """The steps marked with their sub-agent; steps of nested sub-agents keep theirs."""
    return tuple(step if step.agent else replace(step, agent=agent) for step in steps)


def with_subagents(steps: Sequence[Step], others: Iterable[Sequence[Step]]) -> tuple[Step, ...]:
    """The steps of a session, with those of each sub-agent after the step at which it started.

    A sub-agent whose steps are included already is skipped, and one without times comes last.
    """
    merged = list(steps)
    known = {step.agent for step in steps}
    new = [block for block in others if block and block[0].agent not in known]
    for block in sorted(new, key=_start, reverse=True):  # so that of two after one step, the earlier comes first
        place = _place(merged, _start(block))
        merged[place:place] = block
    return tuple(merged)


def _start(block: Sequence[Step]) -> str:
    return next((step.at for step in block if step.at), _LAST)


def _place(steps: Sequence[Step], at: str) -> int:
    """The position behind the last own step that is not later; the end if none has a time."""
    if at == _LAST:
        return len(steps)
    earlier = [place for place, step in enumerate(steps) if not step.agent and step.at and step.at <= at]
    return earlier[-1] + 1 if earlier else 0
