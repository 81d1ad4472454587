"""What a person decides about a memory on the page, and its undo.

Only a person confirms. A click counts as a person's if a person started the page: `repomem ui` was run on a terminal
that no agent opened (`cli.terminal.caller`), so no agent has its address, and `ui.access` admits no other site, program
or user. If an agent started it, a click counts as that agent's, and the same rules refuse it as on the command line.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from repomem.core.errors import NotFound, RepomemError
from repomem.core.records import Event, Record
from repomem.core.text.escape import one_line
from repomem.core.ulid import new_ulid
from repomem.memories.forget import forget
from repomem.memories.new_memory import NewMemory
from repomem.memories.remember import remember
from repomem.memories.restore import restore, undo
from repomem.memories.review_actions import ACTIONS, Decision
from repomem.memories.snapshots.snapshot import memories_now
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
class Actions:
    """The actions of one run of the page."""

    speaker: Speaker
    _made: dict[str, tuple[Sequence[Record], str]] = field(default_factory=dict)

    def decide(self, workspace: Workspace, action: str, wanted: str, given: Mapping[str, str]) -> Done:
        """Run an action on a memory. Raises RepomemError where it is not possible."""
        if action not in ACTIONS:
            raise NotFound(f"there is no action {one_line(action, 40)!r}")
        known = memories_now(workspace)
        name = known.resolve_id(wanted)
        proposed = known.states[name].contested_by
        what, made = ACTIONS[action](Decision(workspace, known, name, self.speaker, proposed, given.get("by", "")))
        return Done(what, self._kept(made))

    def edit(self, workspace: Workspace, wanted: str, given: Mapping[str, str]) -> Done:
        """Write a memory that supersedes another, of the same kind, and about the same code unless `on` gives other."""
        known = memories_now(workspace)
        name = known.resolve_id(wanted)
        said = known.said(name)
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
