"""What a run cost and whether it was right, from the host's events and the files that it left. Pure, except for paths.

- *wrong edits*: changed files that the true solution does not touch, at the end or by a tool call on the way.
- *before the first edit*: what was opened and read before the first edit of a file that the true solution touches. If
  no tool call shows that edit but the file has changed, everything was before it; without such an edit it is None.
- *bytes read*: the output of all tools but edits; where a host prints none for a read (Gemini CLI), the file's size.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath

from repomem.adapters.transcripts.printed_files import printed_files
from repomem.evaluate.agents.hosts.events import AgentEvent, Finished, Spent, ToolCall, ToolResult, Turn


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """One run of one arm."""

    task: str
    arm: str
    solved: bool = False
    respected: bool | None = None  # of a memory task
    wrong_edits: int = 0
    files_before: int | None = None
    bytes_before: int | None = None
    bytes_read: int = 0
    commands: int = 0
    turns: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None  # US dollars; None if the host does not report it
    seconds: float = 0.0
    brief_tokens: int = 0
    stopped: str = ""  # the limit that ended it, or why it failed
    edited: tuple[str, ...] = ()  # changed files at the end


@dataclass(slots=True)
class RunEvents:
    """The events of a run as they come, counted."""

    top: Path
    right: AbstractSet[str]
    opened: dict[str, None] = field(default_factory=dict)  # in order
    edited: dict[str, None] = field(default_factory=dict)
    reads: dict[str, tuple[str, ...]] = field(default_factory=dict)  # by the key of a call: the files that it reads
    edits: set[str] = field(default_factory=set)  # keys of calls that edit: their output is not read
    bytes_read: int = 0
    commands: int = 0
    turns: int = 0
    spent: Spent = field(default_factory=Spent)
    failure: str = ""
    is_finished: bool = False
    before: tuple[int, int] | None = None  # files and bytes before the first right edit

    def add(self, event: AgentEvent) -> None:
        """Count one event."""
        match event:
            case ToolCall():
                self._call(event)
            case ToolResult():
                self.bytes_read += 0 if event.key in self.edits else event.size or self._sizes(event.key)
            case Turn():
                self.turns += 1
            case Spent():
                self.spent = _sum(self.spent, event)
            case Finished():
                self.is_finished, self.failure = True, event.failure

    def _call(self, call: ToolCall) -> None:
        self.commands += bool(call.command)
        self.opened |= dict.fromkeys(self._relative([*call.reads, *printed_files(call.command)]))
        self.reads[call.key] = call.reads
        edited = dict.fromkeys(self._relative(call.edits))
        if edited:
            self.edits.add(call.key)
        if self.before is None and not self.right.isdisjoint(edited):
            self.before = len(self.opened), self.bytes_read
        self.edited |= edited

    def _sizes(self, key: str) -> int:
        """Bytes of the files that a call reads."""
        files = (self.top / path for path in self._relative(self.reads.get(key, ())))
        return sum(file.stat().st_size for file in files if file.is_file())

    def _relative(self, paths: Iterable[str]) -> Iterator[str]:
        """The paths within the worktree."""
        for path in paths:
            whole = Path(os.path.normpath(self.top / path))
            if whole.is_relative_to(self.top):
                yield PurePath(whole.relative_to(self.top)).as_posix()


def outcome_of(seen: RunEvents, blank: RunOutcome, changed: AbstractSet[str]) -> RunOutcome:
    """The outcome of a run: `blank` has names, judgement and time, and `changed` the files that differ at its end."""
    before = seen.before
    if before is None and not seen.right.isdisjoint(changed):
        before = len(seen.opened), seen.bytes_read
    return replace(
        blank,
        wrong_edits=len((changed | seen.edited.keys()) - seen.right),
        files_before=before and before[0],
        bytes_before=before and before[1],
        bytes_read=seen.bytes_read,
        commands=seen.commands,
        turns=seen.turns,
        input_tokens=seen.spent.input,
        cached_tokens=seen.spent.cached,
        output_tokens=seen.spent.output,
        cost=seen.spent.cost,
        edited=tuple(sorted(changed)),
    )


def outcome_from(values: Mapping[str, object]) -> RunOutcome:
    """An outcome as it was written. Raises TypeError for other fields."""
    edited = values.get("edited")
    paths = tuple(map(str, edited)) if isinstance(edited, list) else ()
    return RunOutcome(**{**values, "edited": paths})  # type: ignore[arg-type]  # as they were written


def _sum(one: Spent, other: Spent) -> Spent:
    cost = one.cost if other.cost is None else other.cost + (one.cost or 0.0)
    return Spent(one.input + other.input, one.cached + other.cached, one.output + other.output, cost)
