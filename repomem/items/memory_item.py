"""One memory as an item of a brief: its kind, its code, its label, and why it may not hold."""

from repomem.brief.memories import status_note
from repomem.core.records import MemoryKind, Source
from repomem.core.text.escape import code, inert, one_line
from repomem.core.types.brief import BriefItem
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.memories.status import INTACT, AnchorLocation, MemoryState, Status, is_everywhere
from repomem.ranking.memories import MemoryMatch


def item_of(known: MemorySnapshot, one: MemoryState, relevance: MemoryMatch | None = None) -> BriefItem:
    """A memory as an item of the JSON contract, without its text."""
    placed = first_place(one)
    where = "everywhere" if is_everywhere(one.memory) else one.memory.origin.branch
    return BriefItem(
        kind=_kind(known, one).value,
        id=known.short_id(one.memory.id),
        whole_id=one.memory.id,
        path=placed.path if placed else "",
        symbol=placed.symbol if placed else "",
        start_line=placed.start_line if placed else 0,
        end_line=placed.end_line if placed else 0,
        status=one.status.value,
        status_commit=one.commit,
        visible_on=where,
        score=relevance.score if relevance else 0.0,
        why=relevance.why if relevance else (),
    )


def _kind(known: MemorySnapshot, one: MemoryState) -> MemoryKind:
    """The kind that it is shown as: a rule of an untrusted writer is only a fact."""
    kind = one.memory.said.kind
    return MemoryKind.FACT if kind is MemoryKind.RULE and known.is_of_untrusted_writer(one.memory.id) else kind


def first_place(one: MemoryState) -> AnchorLocation | None:
    """The first anchor whose code still exists, of a drifted memory the first that has changed."""
    there = [each for each in one.places if each.path]
    return next((each for each in there if each.status is Status.DRIFTED), there[0] if there else None)


def label_of(one: MemoryState, kind: str) -> str:
    """The start of its line: the kind, after its status if it may not hold.

    The work that perhaps closed a thread changed its code: that is no doubt about the thread.
    """
    return kind if one.status in INTACT or one.perhaps_done else f"{one.status.value} {kind}"


def notes_of(known: MemorySnapshot, one: MemoryState) -> tuple[str, ...]:
    """Why it may not hold, and what an agent proposes instead."""
    if one.contested_by and one.status is Status.DRIFTED:
        return status_note(one.status.value, one.commit, one.why), _note(known, one)
    return (_note(known, one),)


def _note(known: MemorySnapshot, one: MemoryState) -> str:
    if one.contested_by:
        return _proposal(known, one.contested_by)
    if one.earlier:
        return f"earlier values: {', '.join(one.earlier)}"
    if one.perhaps_done:
        return f"perhaps done in {one.perhaps_done}: `repomem done {known.short_id(one.memory.id)}` closes it"
    if one.status is Status.PROVISIONAL and one.memory.origin.source is Source.TRANSCRIPT:
        return ", ".join(filter(None, ("from a session transcript", one.why)))
    if one.status is Status.MOVED or (one.status is Status.PROVISIONAL and not one.why):
        return ""  # the line begins with the status, if it may not hold
    return status_note(one.status.value, one.commit, one.why)


def _proposal(known: MemorySnapshot, name: str) -> str:
    """Who proposes which memory instead."""
    other = known.states[name].memory
    who = "an untrusted writer" if known.is_of_untrusted_writer(other.id) else "an agent"
    if other.origin.source is Source.FILE:  # an edit of exported rules, under that person's name
        who = inert(one_line(other.origin.author, 60))
    return f"{who} proposes instead {code(known.short_id(other.id))}: {one_line(other.said.text, 120)}"
