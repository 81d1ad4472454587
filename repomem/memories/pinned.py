"""The pinned block: memories that come first in every brief, at most 200 tokens of them without notes."""

from collections.abc import Collection, Iterable

from repomem.brief.memories import memory_renderings
from repomem.core.errors import RepomemError
from repomem.core.records import Anchor, Event, Memory, Source
from repomem.core.text.tokens import count_tokens
from repomem.core.types.brief import BriefItem
from repomem.memories.snapshots.memory_outlines import MemoryOutlines
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.memories.status import Status, Visibility
from repomem.workspace.ledger import Speaker, append_records, origin_of, record_draft
from repomem.workspace.workspace import Workspace

PINNED_TOKENS = 200  # every brief pays for them, however small its budget is


def pinned_names(outlines: MemoryOutlines) -> list[str]:
    """The pinned memories that are visible here, in the order in which they were pinned."""
    here = outlines.where(pinned=bool, is_shown=bool).here
    return sorted(here, key=lambda name: here[name].pinned)


def check_room(known: MemorySnapshot, new: Iterable[Memory], without: Collection[str] = ()) -> None:
    """Raise RepomemError if the pinned block would grow above its limit with these memories, and without others."""
    names = [name for name in pinned_names(known.outlines) if name not in without]
    memories = {each.id: each for each in (*(known.states[name].memory for name in names), *new)}
    tokens = sum(map(pinned_tokens, memories.values()))
    if tokens <= PINNED_TOKENS:
        return
    pinned = ", ".join(known.named(known.states[name].memory) for name in names)
    raise RepomemError(
        f"pinned memories would take {tokens} tokens; the limit is {PINNED_TOKENS}",
        f"pinned now: {pinned}; unpin one first: repomem pin ID --off" if pinned else "shorten the text",
    )


def pin(workspace: Workspace, known: MemorySnapshot, names: Iterable[str], speaker: Speaker) -> list[str]:
    """Pin memories, and give those that were not. RepomemError for one that no brief shows here, or without room."""
    new = [known.states[name] for name in dict.fromkeys(names)]
    for one in new:
        if not one.is_shown_here:
            why = one.why or (one.status.value if one.visibility is Visibility.HERE else one.visibility.value)
            name = known.short_id(one.memory.id)
            if one.status is Status.DONE:
                raise RepomemError(f"{name} is done ({why})", f"reopen it first: repomem restore {name}")
            raise RepomemError(f"{name} is not shown here: {why}", f"look at it with repomem show {name}")
    check_room(known, (one.memory for one in new))
    fresh = [one.memory.id for one in new if not one.memory.pinned]
    if fresh:
        append_records(workspace, origin_of(workspace, speaker), record_draft(Event.PIN, *fresh))
    return fresh


def unpin(workspace: Workspace, known: MemorySnapshot, names: Iterable[str], speaker: Speaker) -> list[str]:
    """Unpin memories, and give those that were pinned. RepomemError for an agent that unpins a person's pin."""
    pins = {name: pin for name in names if (pin := known.states[name].memory.pinned)}
    for name, pin in pins.items():
        if pin.origin.source is Source.PERSON and not speaker.is_person:
            raise RepomemError(
                f"a person pinned {known.short_id(name)}, so only a person may unpin it",
                "let a person run repomem pin ID --off on a terminal",
            )
    if pins:
        append_records(workspace, origin_of(workspace, speaker), record_draft(Event.UNPIN, *pins))
    return list(pins)


def pinned_tokens(memory: Memory) -> int:
    """The tokens of a memory's line, with the line break, without its status and notes."""
    anchor = next(iter(memory.said.anchors), Anchor(""))
    item = BriefItem(kind=memory.said.kind.value, id=memory.id[:10], path=anchor.path, symbol=anchor.symbol)
    return count_tokens(memory_renderings(memory, item, label=f"pinned {item.kind}")[0].markdown) + 1
