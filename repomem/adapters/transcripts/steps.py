"""Agent sessions and their steps, the same for all hosts; steps of sub-agents are marked and put among the others."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

_LAST = "~"  # sorts after all times


class StepKind(StrEnum):
    ASKED = "asked"  # a prompt, without text added by the host or a hook
    SAID = "said"  # a message of the agent
    RAN = "ran"  # a shell command
    EDITED = "edited"  # a file that was written, moved or deleted
    LOOKED = "looked"  # any other tool: the agent was still at work


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a session."""

    key: str  # unique in its session, the same at each reading
    kind: StepKind
    text: str  # the words; of RAN the command; of EDITED the path as written; of LOOKED the tool
    at: str = ""  # YYYY-MM-DDTHH:MM:SSZ; empty if the host does not say
    code: int | None = None  # of RAN: the exit code; None if unknown or still running
    output: str = ""  # of RAN, and of LOOKED that recorded a memory: its output; of long output, start and end
    is_refused: bool = False  # of RAN and EDITED: declined by the person or the host
    agent: str = ""  # the sub-agent whose step it is, by the host's id; an ASKED of it is the main agent's prompt
    paths: tuple[str, ...] = ()  # of LOOKED: the files that were read, as written


@dataclass(frozen=True, slots=True)
class Transcript:
    """One agent session."""

    host: str  # claude-code, codex, gemini, cursor, opencode, copilot
    session: str  # the host's identifier; empty if the lines have none
    folder: str  # the working folder; empty if unknown
    steps: tuple[Step, ...]
    started: str = ""  # YYYY-MM-DDTHH:MM:SSZ
    branch: str = ""
    left: frozenset[str] = frozenset()  # sub-agents of turns that the person went back from

    @property
    def is_subagents(self) -> bool:
        """Whether all steps are a sub-agent's, so that it belongs to the session that started it."""
        return bool(self.steps) and all(step.agent for step in self.steps)


@dataclass(frozen=True, slots=True)
class TranscriptFile:
    """One session on disk."""

    host: str
    path: Path  # of OpenCode its database, or the session's file in the older storage
    session: str  # the host's identifier
    changed: float  # seconds since 1970
    size: int  # bytes; 0 of a session that shares its file with others
    folder: str = ""  # the working folder, if a table, a file or the path shows it


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
