"""The use figures of sessions, in words."""

from collections.abc import Iterator

from repomem.core.text.counts import counted
from repomem.memories.use_figures import Acted, GroupUse, UseFigures

NAMES = {"brief": "with a brief", "silent": "in shadow mode", "none": "without"}


def use_pairs(figures: UseFigures) -> Iterator[tuple[str, str]]:
    """Rows for a table; none without known sessions."""
    for name, group in figures.groups.items():
        yield NAMES[name], _group(group)
    if reads := [
        f"{group.reads:g} {NAMES[name]} ({counted(group.editing, 'session')})"
        for name, group in figures.groups.items()
        if group.reads is not None
    ]:
        yield "reads", f"files read before the first edit, median: {', '.join(reads)}"
    if known := len(figures.of_use) + len(figures.never_of_use):
        never = f"; never: {', '.join(figures.never_of_use)}" if figures.never_of_use else ""
        yield "acted on", f"{len(figures.of_use)} of {counted(known, 'memory', 'memories')} shown to sessions{never}"


def use_in_short(figures: UseFigures) -> str:
    """One line; empty if no session was shown a memory."""
    known = len(figures.of_use) + len(figures.never_of_use)
    if not known or "brief" not in figures.groups:
        return ""
    sessions = counted(figures.groups["brief"].sessions, "session")
    return (
        f"{sessions} acted on {len(figures.of_use)} of {counted(known, 'memory', 'memories')} that hooks showed; "
        "`repomem eval --memory` has more"
    )


def _group(group: GroupUse) -> str:
    parts = [f"{counted(group.sessions, 'session')}, {group.tokens:,} tokens each"]
    if group.memories.shown:
        parts.append(f"of {counted(group.memories.shown, 'memory', 'memories')} {_acted(group.memories)}")
    if group.places.shown:
        parts.append(f"of {counted(group.places.shown, 'file')} {_acted(group.places)}")
    if group.edited and group.tokens:
        parts.append(f"{group.foreseen} of {counted(group.edited, 'edited file')} shown before")
    return "; ".join(parts)


def _acted(acted: Acted) -> str:
    run = f", {acted.run} run" if acted.run else ""
    return f"{acted.opened} opened, {acted.edited} edited{run}"
