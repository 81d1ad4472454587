"""Figures of the use of hook output by sessions: with a brief, in shadow mode, and without either.

Memories and code locations count once for each session that they were shown to.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median

from repomem.core.grouping import grouped_by
from repomem.workspace.deliveries import SessionUse, Usage

GROUPS = ("brief", "silent", "none")


@dataclass(frozen=True, slots=True)
class Acted:
    """How many of those shown were acted on, for the first time after they were shown."""

    shown: int  # whose use a transcript can show: with a file, or a command
    opened: int
    edited: int
    run: int


@dataclass(frozen=True, slots=True)
class GroupUse:
    """Sessions that were treated alike."""

    sessions: int
    tokens: int  # shown to a session, or recorded as silent; mean
    memories: Acted
    places: Acted
    edited: int  # files, counted for each session
    foreseen: int  # of these, shown before as a location or as a memory's file
    reads: float | None  # files read before the first edit; median of the sessions that edited
    editing: int  # sessions that edited a file


@dataclass(frozen=True, slots=True)
class UseFigures:
    """The figures of the last 30 days."""

    groups: Mapping[str, GroupUse]  # brief, silent, none; without empty ones
    of_use: tuple[str, ...]  # ids of memories on which a session acted
    never_of_use: tuple[str, ...]  # ids of those shown on which none did, though its transcript would show it


def use_figures(uses: Sequence[SessionUse], memories: Iterable[str]) -> UseFigures:
    """The figures of sessions; only these memories are named."""
    groups = grouped_by(uses, lambda each: each.group)
    shown: dict[str, list[Usage]] = {name: [] for name in memories}
    for each in groups.get("brief", []):
        for name, usage in each.memories.items():
            if name in shown and usage.is_measurable:
                shown[name].append(usage)
    acted = {name: any(each.was_acted_on for each in some) for name, some in sorted(shown.items()) if some}
    return UseFigures(
        {name: _group(groups[name]) for name in GROUPS if name in groups},
        tuple(name for name, was_acted_on in acted.items() if was_acted_on),
        tuple(name for name, was_acted_on in acted.items() if not was_acted_on),
    )


def _group(uses: Sequence[SessionUse]) -> GroupUse:
    reads = [each.reads for each in uses if each.reads is not None]
    return GroupUse(
        sessions=len(uses),
        tokens=round(mean(each.tokens for each in uses)),
        memories=_acted(usage for each in uses for usage in each.memories.values()),
        places=_acted(usage for each in uses for usage in each.places.values()),
        edited=sum(each.edited for each in uses),
        foreseen=sum(each.foreseen for each in uses),
        reads=median(reads) if reads else None,
        editing=len(reads),
    )


def _acted(usages: Iterable[Usage]) -> Acted:
    measurable = [each for each in usages if each.is_measurable]
    return Acted(
        len(measurable),
        sum(each.is_opened for each in measurable),
        sum(each.is_edited for each in measurable),
        sum(each.is_run for each in measurable),
    )
