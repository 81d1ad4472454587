"""What a person can decide about a memory, by the name of the action."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from repomem.core.errors import RepomemError
from repomem.core.records import Record
from repomem.core.text.escape import visible_place
from repomem.core.types.text import NOTHING
from repomem.memories.amend import supersede
from repomem.memories.forget import forget
from repomem.memories.review import close_threads, confirm, reanchor
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.memories.status import Status, Visibility
from repomem.workspace.ledger import Speaker
from repomem.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Decision:
    """An action on one memory, by whom."""

    workspace: Workspace
    known: MemorySnapshot
    name: str
    speaker: Speaker
    proposed: str = ""  # the memory that may replace it; empty if none
    by: str = ""  # for "supersede": the id of the other memory, or the start of it


Made = tuple[str, Sequence[Record]]
"""What was done, and the records that did it."""


def _confirm(one: Decision) -> Made:
    """As recorded, or on the code as it is now if that has drifted here."""
    state = one.known.states[one.name]
    if (state.status, state.visibility) == (Status.DRIFTED, Visibility.HERE):
        return _anchor(one)
    return "confirmed", confirm(one.workspace, [one.name], one.speaker)


def _anchor(one: Decision) -> Made:
    made = reanchor(one.workspace, one.known.states[one.name], one.speaker)
    places = ", ".join(visible_place(each.path, each.symbol) for each in made[0].anchors)
    return f"confirmed on {places}", made


def _forgotten(one: Decision, name: str) -> Sequence[Record]:
    return forget(one.workspace, one.known, name, one.speaker).records


def _forget_noise(one: Decision) -> Made:
    found = forget(one.workspace, one.known, one.name, one.speaker, is_noise=True)
    return "forgotten; similar texts are no longer captured", found.records


def _take(one: Decision) -> Made:
    """The proposed replacement, which is confirmed and supersedes the memory."""
    if not one.proposed:
        raise RepomemError("no replacement is proposed", "supersede it by another memory, or edit it")
    made = confirm(one.workspace, [one.proposed], one.speaker)
    made = [*made, *supersede(one.workspace, one.speaker, one.name, one.proposed)]
    return f"superseded by {one.known.short_id(one.proposed)}", made


def _keep(one: Decision) -> Made:
    """The memory stays, and the proposed replacement is forgotten."""
    if not one.proposed:
        raise RepomemError("no replacement is proposed", "confirm the memory")
    return f"kept; {one.known.short_id(one.proposed)} is forgotten", _forgotten(one, one.proposed)


def _supersede(one: Decision) -> Made:
    """Another memory that is known."""
    other = one.known.resolve_id(one.by)
    if other == one.name:
        raise RepomemError("a memory cannot supersede itself", "choose another one")
    made = supersede(one.workspace, one.speaker, one.name, other)
    return f"superseded by {one.known.short_id(other)}", made


ACTIONS: Mapping[str, Callable[[Decision], Made]] = {
    "confirm": _confirm,
    "anchor": _anchor,
    "forget": lambda one: ("forgotten", _forgotten(one, one.name)),
    "noise": _forget_noise,
    "take": _take,
    "keep": _keep,
    "supersede": _supersede,
    "done": lambda one: ("done", close_threads(one.workspace, one.known, [one.name], NOTHING, one.speaker)),
}
