"""What a person decides about a memory on the page, and its undo.

Only a person confirms. A click counts as a person's if a person started the page: `repomem ui` was run on a terminal
that no agent opened (`cli.terminal.caller`), so no agent has its address, and `ui.access` admits no other site, program
or user. If an agent started it, a click counts as that agent's, and the same rules refuse it as on the command line.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from repomem.core.errors import NotFound, RepomemError
from repomem.core.escape import one_line, visible_place
from repomem.core.records import Event, Record
from repomem.core.types.text import NOTHING
from repomem.core.ulid import new_ulid
from repomem.memories.amend import supersede
from repomem.memories.close_thread import close_threads
from repomem.memories.forget import forget
from repomem.memories.remember import NewMemory, remember
from repomem.memories.restore import restore, undo
from repomem.memories.review import anchor_again, confirm
from repomem.memories.snapshots.snapshot import MemorySnapshot, memories_now
from repomem.workspace.ledger import Speaker, records_here
from repomem.workspace.workspace import Workspace

MOST_UNDONE = 200  # actions of this run that can be undone, the newest


@dataclass(frozen=True, slots=True)
class Done:
    """The result of an action."""

    what: str  # in a few words
    undo: str = ""  # names the action for `undo`; empty: it cannot be undone here
    memory: str = ""  # the id of a memory that it wrote


@dataclass(frozen=True, slots=True)
class _Decision:
    """An action on one memory, by whom."""

    workspace: Workspace
    known: MemorySnapshot
    name: str
    speaker: Speaker
    given: Mapping[str, str]


_Made = tuple[str, Sequence[Record]]
"""What was done, and the records that did it."""


@dataclass(frozen=True, slots=True)
class Actions:
    """The actions of one run of the page."""

    speaker: Speaker
    _made: dict[str, tuple[Sequence[Record], str]] = field(default_factory=dict)

    def decide(self, workspace: Workspace, action: str, wanted: str, given: Mapping[str, str]) -> Done:
        """Run an action on a memory. Raises RepomemError where it is not possible."""
        if action not in ACTIONS:
            raise NotFound(f"there is no action {one_line(action, 40)!r}")
        known = memories_now(workspace)
        decision = _Decision(workspace, known, known.resolve_id(wanted), self.speaker, given)
        what, made = ACTIONS[action](decision)
        return Done(what, self._kept(made))

    def edit(self, workspace: Workspace, wanted: str, given: Mapping[str, str]) -> Done:
        """Write a memory that supersedes another, of the same kind, and about the same code unless `on` gives other."""
        known = memories_now(workspace)
        name = known.resolve_id(wanted)
        said = known.states[name].memory.said
        text, why = given.get("text", ""), given.get("why", "")
        on = tuple(filter(None, map(str.strip, given.get("on", "").splitlines())))
        if (text.strip(), why.strip(), on) == (said.text, said.why, ()):
            raise RepomemError("nothing was changed", "change the text, the reason or the code, or confirm the memory")
        new = NewMemory(
            text,
            kind=said.kind,
            why=why,
            rejected=said.rejected,
            importance=said.importance,
            scope=said.scope,
            on=on,
            supersedes=(name,),
            is_mine=name in known.mine,
        )
        result, _ = remember(workspace, new, self.speaker)
        over = [each for each in records_here(workspace) if each.event is Event.SUPERSEDE and each.other == result.id]
        written = result.id if result.outcome != "duplicate" else ""
        short_id = memories_now(workspace).short_id(result.id)
        what = f"edited; the new memory is {short_id}" if written else f"superseded by {short_id}, which says the same"
        return Done(what, self._kept([each for each in over if name in each.targets][-1:], written), result.id)

    def undo(self, workspace: Workspace, key: str) -> Done:
        """Take back an action of this run. Raises NotFound for one that is not known, or was undone."""
        found = self._made.pop(key, None)
        if found is None:
            raise NotFound("this action cannot be undone any more", "the memory's timeline shows what happened")
        records, written = found
        undo(workspace, records, self.speaker)
        if written:
            forget(workspace, memories_now(workspace), written, self.speaker)
        return Done("undone")

    def restore(self, workspace: Workspace, wanted: str) -> Done:
        """Show a memory again that was forgotten, archived or grouped."""
        memory = restore(workspace, memories_now(workspace), wanted, self.speaker)
        return Done("restored", memory=memory.id)

    def _kept(self, made: Sequence[Record], written: str = "") -> str:
        if not made:
            return ""
        key = new_ulid()
        self._made[key] = made, written
        for old in list(self._made)[:-MOST_UNDONE]:
            del self._made[old]
        return key


def _confirm(one: _Decision) -> _Made:
    return "confirmed", confirm(one.workspace, [one.name], one.speaker)


def _anchor(one: _Decision) -> _Made:
    made = anchor_again(one.workspace, one.known.states[one.name], one.speaker)
    places = ", ".join(visible_place(each.path, each.symbol) for each in made[0].anchors)
    return f"confirmed on {places}", made


def _forget(one: _Decision) -> _Made:
    return "forgotten", _forgotten(one, one.name)


def _forgotten(one: _Decision, name: str) -> Sequence[Record]:
    return forget(one.workspace, one.known, name, one.speaker).records


def _forget_noise(one: _Decision) -> _Made:
    found = forget(one.workspace, one.known, one.name, one.speaker, is_noise=True)
    return "forgotten; similar texts are no longer captured", found.records


def _take(one: _Decision) -> _Made:
    """The proposed replacement, which is confirmed and supersedes the memory."""
    proposed = one.known.states[one.name].contested_by
    if not proposed:
        raise RepomemError("no replacement is proposed", "supersede it by another memory, or edit it")
    made = confirm(one.workspace, [proposed], one.speaker)
    made = [*made, *supersede(one.workspace, one.speaker, one.name, proposed)]
    return f"superseded by {one.known.short_id(proposed)}", made


def _keep(one: _Decision) -> _Made:
    """The memory stays, and the proposed replacement is forgotten."""
    proposed = one.known.states[one.name].contested_by
    if not proposed:
        raise RepomemError("no replacement is proposed", "confirm the memory")
    return f"kept; {one.known.short_id(proposed)} is forgotten", _forgotten(one, proposed)


def _supersede(one: _Decision) -> _Made:
    """Another memory that is known."""
    other = one.known.resolve_id(one.given.get("by", ""))
    if other == one.name:
        raise RepomemError("a memory cannot supersede itself", "choose another one")
    made = supersede(one.workspace, one.speaker, one.name, other)
    return f"superseded by {one.known.short_id(other)}", made


def _done(one: _Decision) -> _Made:
    return "done", close_threads(one.workspace, one.known, [one.name], NOTHING, one.speaker)


ACTIONS: Mapping[str, Callable[[_Decision], _Made]] = {
    "confirm": _confirm,
    "anchor": _anchor,
    "forget": _forget,
    "noise": _forget_noise,
    "take": _take,
    "keep": _keep,
    "supersede": _supersede,
    "done": _done,
}
