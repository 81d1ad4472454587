"""The use of hook output by a session: files read and edited, and commands run, for the first time after it.

Earlier actions of an agent do not count, so a reminder is not credited with the edit that triggered it. Pure.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from repomem.adapters.transcripts.printed_files import LONGEST_COMMAND, printed_files
from repomem.adapters.transcripts.steps import Step, StepKind
from repomem.capture.command_outcomes import is_telling, telling_command
from repomem.core.times import moment_of
from repomem.core.ulid import time_of
from repomem.recall.select_reminders import CODE_SPAN, is_command
from repomem.workspace.deliveries import Delivery, SessionUse, Usage

LATER = "9"  # of a step without a time: after every delivery


class Traces(NamedTuple):
    """The traces of a memory that a transcript can show: its files, and the commands that it names."""

    paths: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Work:
    """The repository's files that a session read and edited, and its commands, in order with their times."""

    reads: Sequence[tuple[str, str]]  # path, YYYY-MM-DDTHH:MM:SSZ
    edits: Sequence[tuple[str, str]]
    commands: Sequence[tuple[str, str]]
    reads_before_edit: int | None  # None if nothing was edited


def commands_named(text: str) -> tuple[str, ...]:
    """The commands in backticks that run a test, a build or a script."""
    return tuple(dict.fromkeys(span for span in CODE_SPAN.findall(text) if is_telling(span)))


def work_of(steps: Sequence[Step], relative: Callable[[Iterable[str]], Iterator[str]]) -> Work:
    """The actions of the steps; `relative` gives the repository's own paths among those written."""
    reads: list[tuple[str, str]] = []
    edits: list[tuple[str, str]] = []
    commands: list[tuple[str, str]] = []
    before: int | None = None
    for step in steps:
        at = step.at or LATER
        if step.is_refused:
            continue
        if step.kind is StepKind.RAN:
            commands.append((telling_command(step.text)[0] or step.text[:LONGEST_COMMAND], at))
        reads += [(path, at) for path in relative(_read_in(step))]
        if step.kind is StepKind.EDITED:
            edits += [(path, at) for path in relative([step.text])]
            before = len(reads) if before is None and edits else before
    return Work(reads, edits, commands, before)


def use_of(
    blank: SessionUse,
    steps: Sequence[Step],
    deliveries: Sequence[Delivery],
    traces: Mapping[str, Traces],
    relative: Callable[[Iterable[str]], Iterator[str]],
) -> SessionUse:
    """`blank` with the use of memories (of those in `traces`) and places, each from when it was first shown.

    Items shown to a sub-agent count for that sub-agent only, and so do its actions.
    """
    found: list[SessionUse] = []
    for agent in dict.fromkeys(["", *(each.agent for each in deliveries)]):
        work = work_of([step for step in steps if step.agent == agent], relative)
        found.append(_use_by_one(blank, work, [each for each in deliveries if each.agent == agent], traces))
    return replace(
        found[0],  # the main agent's
        edited=sum(each.edited for each in found),
        foreseen=sum(each.foreseen for each in found),
        memories=_joined(each.memories for each in found),
        places=_joined(each.places for each in found),
    )


def _joined(every: Iterable[Mapping[str, Usage]]) -> dict[str, Usage]:
    """What any of several agents did."""
    joined: dict[str, Usage] = {}
    for usages in every:
        for name, one in usages.items():
            joined[name] = Usage(*map(any, zip(one, joined.get(name, one), strict=True)))
    return joined


def _use_by_one(
    blank: SessionUse, work: Work, deliveries: Iterable[Delivery], traces: Mapping[str, Traces]
) -> SessionUse:
    ids, places = _first_shown(deliveries, traces)
    opened, edited = _first(work.reads), _first(work.edits)
    of_memories = ((path, at) for name, at in ids.items() for path in traces[name].paths)
    foreseen = _first([*places.items(), *of_memories])

    def usage(one: Traces, since: str) -> Usage:
        return Usage(
            any(since < opened[path] for path in one.paths if path in opened),
            any(since < edited[path] for path in one.paths if path in edited),
            any(_is_first_run_after(since, each, work.commands) for each in one.commands),
            bool(one.paths or one.commands),
        )

    return replace(
        blank,
        reads=work.reads_before_edit,
        edited=len(edited),
        foreseen=sum(path in foreseen and foreseen[path] < at for path, at in edited.items()),
        memories={name: usage(traces[name], at) for name, at in ids.items()},
        places={path: usage(Traces((path,)), at) for path, at in places.items()},
    )


def _read_in(step: Step) -> Iterator[str]:
    """The files that a step read, as written: by a tool, or printed by a shell command."""
    yield from step.paths
    if step.kind is StepKind.RAN:
        yield from printed_files(step.text)


def _first_shown(deliveries: Iterable[Delivery], traces: Mapping[str, Traces]) -> tuple[dict[str, str], dict[str, str]]:
    """When each memory and each place was first shown: YYYY-MM-DDTHH:MM:SSZ."""
    ids: dict[str, str] = {}
    places: dict[str, str] = {}
    for each in sorted(deliveries, key=lambda one: one.at):
        at = moment_of(each.at)
        for prefix in each.ids:
            if name := _named(prefix, traces, each.at):
                ids.setdefault(name, at)
        for path in each.paths:
            places.setdefault(path, at)
    return ids, places


def _named(prefix: str, names: Iterable[str], at: float) -> str:
    """The id that a prefix meant at a time, when later ids were not there yet; empty if that is unknown."""
    named = [name for name in names if prefix and name.startswith(prefix)]
    if len(named) > 1:
        named = [name for name in named if time_of(name) <= at]
    return named[0] if len(named) == 1 else ""


def _first(acts: Iterable[tuple[str, str]]) -> dict[str, str]:
    """When each path first occurs."""
    first: dict[str, str] = {}
    for path, at in acts:
        first[path] = min(at, first.get(path, at))
    return first


def _is_first_run_after(since: str, wanted: str, commands: Sequence[tuple[str, str]]) -> bool:
    first = min((at for command, at in commands if is_command(wanted, command)), default="")
    return first > since
