"""Write a memory: redact -> find anchors -> look for similar memories -> write to the ledger -> report."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from repomem.adapters.ledger.ledger import Ledger
from repomem.core.errors import RepomemError
from repomem.core.records import Event, Memory, MemoryContent, MemoryKind, Origin, Record, Source, next_id
from repomem.core.ulid import new_ulid
from repomem.memories.amend import with_inherited_code
from repomem.memories.anchors.fingerprints import Fingerprints
from repomem.memories.anchors.indirect_code import indirect_anchors
from repomem.memories.new_memory import NewMemory, RememberResult, anchors_in_text, content_of, empty_scope
from repomem.memories.pinned import check_room
from repomem.memories.search.relevant import changed_by, vectors_before
from repomem.memories.search.replacements import proposed_replacement
from repomem.memories.search.search_documents import documents_of
from repomem.memories.snapshots.snapshot import MemorySnapshot, memories_now
from repomem.memories.status import SAID_AGAIN, Status, is_everywhere, is_only_proposed, is_trusted
from repomem.memories.wording import is_same, nearly_same
from repomem.ranking.similar_memories import similar_memories
from repomem.sessions.lifecycle import session_for
from repomem.workspace.ledger import (
    Speaker,
    append_records,
    everywhere,
    ledger_of,
    origin_of,
    record_draft,
    records,
    with_work_tree,
)
from repomem.workspace.repairs import repaired
from repomem.workspace.user.own_memories import own_ledger
from repomem.workspace.workspace import Workspace

RELATED_SHARE = 0.25
SHOWN_NEAR = 3


def remember(workspace: Workspace, new: NewMemory, speaker: Speaker) -> tuple[RememberResult, MemorySnapshot]:
    """Write a memory now; gives the result, and the memories as they were before."""
    return repaired(workspace, lambda: _remember(workspace, new, speaker))


def _remember(workspace: Workspace, new: NewMemory, speaker: Speaker) -> tuple[RememberResult, MemorySnapshot]:
    known = memories_now(workspace)
    has_sessions = any(record.event is Event.SESSION_START for record in known.events)
    written = known.records if has_sessions else known.events
    origin = with_work_tree(workspace, origin_of(workspace, speaker, session_for(workspace, written, speaker)))
    vectors = None if new.supersedes else vectors_before(workspace, known, new.text)
    result = remember_as(workspace, known, new, origin)
    if result.outcome != "duplicate" and not (result.proposed or new.supersedes):
        result = replace(result, proposed=changed_by(workspace, known, vectors, result.id, result.said))
    return result, known


def remember_as(workspace: Workspace, known: MemorySnapshot, new: NewMemory, origin: Origin) -> RememberResult:
    """Write a memory of any origin, unless it is known.

    Raises RepomemError for a text that cannot be stored, NotFound for an anchor or id that names nothing, StoreError
    where nothing can be written.
    """
    given, new = new, _with_inherited(known, new)
    if new.is_mine and new.on:
        raise RepomemError(
            "a memory for every repository cannot be attached to code in this one", "leave out --on or --mine"
        )
    prints = Fingerprints(workspace)
    said = content_of(workspace, new, origin, prints)
    if not (new.on or new.is_mine):
        said = replace(said, anchors=anchors_in_text(workspace, said) or new.edited)
    behind = indirect_anchors(workspace, prints, said.kind, f"{said.text} {said.why}", said.anchors)
    said = replace(said, anchors=(*said.anchors, *behind))
    new = replace(new, importance=given.importance)  # what was inherited is no option that a duplicate lacks
    return store_memory(workspace, known, new, said, everywhere(origin) if new.is_mine else origin)


def store_memory(
    workspace: Workspace, known: MemorySnapshot, new: NewMemory, said: MemoryContent, origin: Origin
) -> RememberResult:
    """Compare with the known memories, write to the ledger, and report."""
    superseded = tuple(known.resolve_id(name) for name in new.supersedes)
    here = {name: known.states[name].memory for name in known.outlines.where(is_shown=bool).here}
    replaced = [known.states[name] for name in superseded]
    said = with_inherited_code(workspace, said, replaced)
    draft = Memory(new_ulid(), said, origin)
    contested = _contested_by(known, superseded, draft)
    is_pinned = new.is_pinned or any(one.memory.pinned and one.memory.id not in contested for one in replaced)
    if is_pinned:
        check_room(known, [draft], without=superseded)
    comparable = {name: here[name] for name in known.mine.intersection(here)} if new.is_mine else here
    is_kind_given = new.kind is not None and not new.key  # that of a transcript's sentence is inferred
    if same := _same_memory(comparable, said, origin, is_kind_given=is_kind_given):
        unapplied = _unapplied_options(known, here[same], new, said)
        if not unapplied or same not in superseded:
            return replace(_repeated(workspace, known, same, superseded, new, origin), unapplied=unapplied)
        old = here[same].said  # the same text: its reason still belongs to it
        said = replace(said, why=said.why or old.why, rejected=said.rejected or old.rejected)
    documents = documents_of(workspace, known, [name for name in here if name not in superseded])
    near = similar_memories(f"{said.text} {said.why}", documents)
    wanted = Record("", Event.REMEMBER, origin, other=new.key, said=said, is_private=new.is_private)
    ledger = own_ledger() if new.is_mine else ledger_of(workspace)
    record = _append(ledger, known, wanted, superseded, is_pinned=is_pinned)
    written = replace(draft, id=record.id)
    related = tuple((one.id, here[one.id].said.text) for one in near[:SHOWN_NEAR] if one.share >= RELATED_SHARE)
    return RememberResult(
        outcome="related" if related else "added",
        id=record.id,
        said=said,
        origin=origin,
        supersedes=tuple(name for name in superseded if name not in contested),
        contests=contested,
        proposed=tuple(
            replace(one, is_replaced=one.is_replaced and _yields(here[one.id], written, known))
            for one in ([] if superseded else proposed_replacement(said, lambda: near, here, documents))
        ),
        near=related,
        empty_scope=() if new.is_mine else empty_scope(workspace, said.scope),
        is_everywhere=_applies_everywhere(written),
        is_private=new.is_private,
        is_pinned=is_pinned,
    )


def _with_inherited(known: MemorySnapshot, new: NewMemory) -> NewMemory:
    """An amendment inherits the privacy of what it replaces and, unless another kind is given, kind and importance."""
    superseded = [known.resolve_id(name) for name in new.supersedes]
    if not superseded:
        return new
    replaced = [known.said(name) for name in superseded]
    alike = next((each for each in replaced if new.kind in {None, each.kind}), None)
    is_own = not known.mine.isdisjoint(superseded)
    return replace(
        new,
        kind=alike.kind if alike else new.kind,
        importance=new.importance or (alike.importance if alike else None),
        is_mine=new.is_mine or (is_own and not new.on),
        is_private=new.is_private or is_own or _is_any_private(known, superseded),
    )


def _yields(one: Memory, later: Memory, known: MemorySnapshot) -> bool:
    """Whether a later value hides this one: an untrusted value never hides a trusted one."""
    return is_trusted(later, known.history) or not is_trusted(one, known.history)


def _append(
    ledger: Ledger, known: MemorySnapshot, wanted: Record, superseded: Sequence[str], *, is_pinned: bool
) -> Record:
    """The stored record: `wanted` with an id, or the same memory that another process has just written."""
    seen = set(known.ids)
    twins: list[Record] = []

    def make(before: list[Record]) -> list[Record]:
        late = [r for r in before if r.id not in seen and r.said and r.origin.head == wanted.origin.head]
        twins.extend(r for r in late if r.said and wanted.said and is_same(r.said, wanted.said))
        if twins:
            return []
        new = replace(wanted, id=next_id(before))
        drafts = [record_draft(Event.SUPERSEDE, *superseded, other=new.id)] * bool(superseded)
        drafts += [record_draft(Event.PIN, new.id)] * is_pinned
        return [new, *records([new], wanted.origin, drafts)]

    made = ledger.append(make)
    return made[0] if made else twins[0]


def _same_memory(known: Mapping[str, Memory], said: MemoryContent, origin: Origin, *, is_kind_given: bool) -> str:
    """The id of a known memory with this content, else of one that it says again; empty if there is none.

    An inferred kind is no difference.
    """
    names = sorted(known)
    same = next((name for name in names if is_same(known[name].said, said)), "")
    if not (same or is_kind_given):
        same = next((name for name in names if is_same(replace(known[name].said, kind=said.kind), said)), "")
    return same or next((name for name in names if _is_said_again(known[name], said, origin)), "")


def _contested_by(known: MemorySnapshot, superseded: Iterable[str], successor: Memory) -> tuple[str, ...]:
    """Of the memories to supersede, those that the successor only proposes to replace."""
    return tuple(name for name in superseded if is_only_proposed(known.states[name].memory, successor, known.history))


def _repeated(
    workspace: Workspace, known: MemorySnapshot, same: str, superseded: Sequence[str], new: NewMemory, origin: Origin
) -> RememberResult:
    """A duplicate is not stored again; a person's duplicate confirms the memory."""
    state = known.states[same]
    memory, others = state.memory, [old for old in superseded if old != same]
    events = [record_draft(Event.SUPERSEDE, old, other=memory.id) for old in others]
    if not memory.confirmed and _is_said_again(memory, memory.said, origin):
        events.append(record_draft(Event.CONFIRM, memory.id, text=SAID_AGAIN))
    is_unconfirmed = state.status is Status.PROVISIONAL or not is_trusted(memory, known.history)
    if is_unconfirmed and origin.source is Source.PERSON:
        events.append(record_draft(Event.CONFIRM, memory.id))
    if new.is_pinned and not memory.pinned:
        events.append(record_draft(Event.PIN, memory.id))
    if events:
        append_records(workspace, origin, *events)
    is_confirmed = any(event is Event.CONFIRM for event, *_ in events)
    contested = () if is_confirmed else _contested_by(known, others, memory)
    replaced = tuple(name for name in others if name not in contested)
    return RememberResult(
        "duplicate",
        memory.id,
        memory.said,
        memory.origin,
        replaced,
        contested,
        is_everywhere=_applies_everywhere(memory),
        is_pinned=new.is_pinned,
    )


def _unapplied_options(known: MemorySnapshot, memory: Memory, new: NewMemory, said: MemoryContent) -> tuple[str, ...]:
    """The options of `new` that a known memory with the same text lacks."""
    old = memory.said
    places = {(each.path, each.symbol) for each in old.anchors}
    lacking = {
        "--on": bool(new.on) and any((each.path, each.symbol) not in places for each in said.given),
        "--why": bool(said.why) and said.why != old.why,
        "--rejected": not set(said.rejected) <= set(old.rejected),
        "--importance": new.importance not in {None, old.importance},
        "--private": new.is_private and not (memory.id in known.mine or _is_any_private(known, [memory.id])),
    }
    return tuple(option for option, is_lacking in lacking.items() if is_lacking)


def _is_any_private(known: MemorySnapshot, names: Sequence[str]) -> bool:
    """Whether one of these memories is never synced."""
    return any(record.is_private and record.id in names for record in known.records)


def _applies_everywhere(memory: Memory) -> bool:
    """Whether it applies on every branch, or in every repository."""
    return is_everywhere(memory) or not (memory.origin.head or memory.origin.branch)


def _is_said_again(memory: Memory, said: MemoryContent, origin: Origin) -> bool:
    """Whether a person, in a transcript, repeats a rule of an earlier session in nearly the same words."""
    then = memory.origin
    is_transcript = {then.source, origin.source} == {Source.TRANSCRIPT} and then.author == origin.author
    is_by_person = origin.author != (origin.tool or "agent")
    is_rule = memory.said.kind is said.kind is MemoryKind.RULE and memory.said.scope == said.scope
    is_other_session = bool(then.session and origin.session) and then.session != origin.session
    return is_transcript and is_by_person and is_rule and is_other_session and nearly_same(memory.said.text, said.text)
