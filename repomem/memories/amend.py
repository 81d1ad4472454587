"""Amendments: one memory supersedes another, and is about the same code unless it names its own."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from repomem.core.errors import NotFound
from repomem.core.records import Anchor, Event, Memory, MemoryContent, Record
from repomem.core.ulid import new_ulid
from repomem.memories.anchors.locate import anchor_at
from repomem.memories.history_facts import HistoryFacts
from repomem.memories.snapshots.snapshot import memories_now
from repomem.memories.status import MemoryState, is_only_proposed
from repomem.workspace.ledger import Speaker, ledger_of, origin_of, record_draft, records
from repomem.workspace.workspace import Workspace


def supersede(workspace: Workspace, speaker: Speaker, old: str, new: str) -> list[Record]:
    """Let one memory supersede another, whose pin and, if it names none, code it inherits; gives the records."""
    origin = origin_of(workspace, speaker)
    snapshot = memories_now(workspace)
    known = snapshot.states
    anchors = _code_of(workspace, [known[old]] if old in known else [])
    is_bare = new in known and not known[new].memory.said.anchors
    is_pinned = old in known and new in known and _inherits_pin(known[old].memory, known[new].memory, snapshot.history)

    def make(before: list[Record]) -> list[Record]:
        [over] = records(before, origin, [record_draft(Event.SUPERSEDE, old, other=new)])
        inherited = Record(new_ulid(over.id), Event.ANCHOR, origin, (new,), anchors=anchors)
        made = [over, inherited] if anchors and is_bare else [over]
        return [*made, *records(made, origin, [record_draft(Event.PIN, new)] * is_pinned)]

    return ledger_of(workspace).append(make)


def _inherits_pin(old: Memory, new: Memory, history: HistoryFacts) -> bool:
    return bool(old.pinned) and not new.pinned and not is_only_proposed(old, new, history)


def with_inherited_code(workspace: Workspace, said: MemoryContent, replaced: Sequence[MemoryState]) -> MemoryContent:
    """An amendment without code or scope inherits those of the memory it replaces, as the code is now."""
    scope = said.scope or next((one.memory.said.scope for one in replaced if one.memory.said.scope), ())
    return replace(said, scope=scope, anchors=said.anchors or _code_of(workspace, replaced))


def _code_of(workspace: Workspace, replaced: Iterable[MemoryState]) -> tuple[Anchor, ...]:
    """The current places of superseded memories' code; deleted code is left out."""
    anchors: list[Anchor] = []
    for place in dict.fromkeys((each.path, each.symbol) for one in replaced for each in one.locations if each.path):
        with suppress(NotFound):
            anchors.append(anchor_at(workspace, *place))
    return tuple(anchors)
