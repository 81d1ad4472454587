"""Write a memory, or take one out: redact, look for what is like it, keep it, and say what became of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from repomem.core.errors import NotFound, RepomemError
from repomem.core.escape import one_line, visible
from repomem.core.records import Anchor, Event, Kind, Origin, Record, Said, Source, next_id
from repomem.core.secrets.redact import redact
from repomem.core.types import CleanText
from repomem.core.ulid import new_ulid
from repomem.core.words import whole
from repomem.memories.anchors.place import anchor_at
from repomem.memories.at_head import Remembered
from repomem.memories.status import Seen, Standing, Status
from repomem.memories.wording import importance_of, is_same, kind_of
from repomem.memories.words import documents_of
from repomem.ranking.memories import (
    MemoryClaim,
    MemoryDocument,
    MemorySimilarity,
    claims_about_same_code,
    similar_memories,
)
from repomem.workspace.ledger import Speaker, ledger_of, origin_of, plain_told, tell
from repomem.workspace.workspace import Workspace

LONGEST_TEXT = 4_000  # characters: a memory is a sentence or a few; a longer one is a document, and belongs in a file
LONGEST_SCOPE = 200
SUPERSEDES_SHARE = 0.6  # of a text's likeness to itself: what is so alike speaks of the same thing
SUPERSEDES_MARGIN = 1.5  # over the next: an amendment stands out (EVIDENCE T12: 2.07 against 2.02 for strangers)
SAME_CODE_SHARE = 0.3  # of the words of two memories on the same code, its name left out (benchmarks/memory)
RELATED_SHARE = 0.25
SHOWN_NEAR = 3


@dataclass(frozen=True, slots=True)
class Statement:
    """What is to be remembered, as it was given."""

    text: str
    kind: Kind | None = None  # None: from its words
    why: str = ""
    rejected: tuple[str, ...] = ()
    importance: int | None = None  # None: from rules
    scope: tuple[str, ...] = ()
    on: tuple[str, ...] = ()  # PATH or PATH:SYMBOL
    supersedes: tuple[str, ...] = ()  # ids or their starts
    is_private: bool = False  # no sync takes it along
    key: str = ""  # names where it was read, so that it is read once only; empty where somebody says it now


@dataclass(frozen=True, slots=True)
class Proposal:
    """A memory that the new one seems to take the place of; nothing is done about it until somebody says so."""

    id: str
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of it. `outcome` is added, duplicate or related: added, with something like it."""

    outcome: str
    id: str
    said: Said
    supersedes: tuple[str, ...] = ()
    proposed: tuple[Proposal, ...] = ()
    near: tuple[tuple[str, str], ...] = ()  # id and text
    branch: str = ""  # where it is seen; empty: everywhere


def remember(
    workspace: Workspace, known: Remembered, statement: Statement, origin: Origin, found: Sequence[Anchor] = ()
) -> Outcome:
    """Keep a memory, unless it is known. `found` are anchors seen in the text, used where none was given.

    Raises RepomemError for a text that cannot be kept, NotFound for an anchor or id that names nothing, StoreError
    where nothing can be written.
    """
    said = said_of(workspace, statement, origin, found)
    superseded = tuple(resolve_id(known, name) for name in statement.supersedes)
    here = {name: one for name, one in known.standings.items() if one.seen is Seen.HERE and one.is_shown}
    same = next((name for name in sorted(here) if is_same(here[name].memory.said, said)), "")
    if same:
        return _duplicate(workspace, here[same], origin, superseded)
    documents = documents_of(workspace, {name: one for name, one in here.items() if name not in superseded})
    near = similar_memories(f"{said.text} {said.why}", documents)
    new = Record("", Event.REMEMBER, origin, other=statement.key, said=said, is_private=statement.is_private)
    record = _added(workspace, known, new, superseded)
    proposed = () if superseded else _proposed(said, near, here, documents)
    related = tuple((one.id, here[one.id].memory.said.text) for one in near[:SHOWN_NEAR])
    is_known = any(one.share >= RELATED_SHARE for one in near)
    branch = "" if _is_everywhere(origin, said) else origin.branch
    return Outcome(
        "related" if is_known else "added", record.id, said, superseded, proposed, related if is_known else (), branch
    )


def said_of(workspace: Workspace, statement: Statement, origin: Origin, found: Sequence[Anchor]) -> Said:
    """What the statement says, clean and whole."""
    text = _clean(statement.text, "the text")
    if not text:
        raise RepomemError("there is nothing to remember", 'give it as text: repomem remember "we sort by path"')
    kind = statement.kind or kind_of(" ".join(text.split()))  # white space makes no other memory of it
    anchors = tuple(_anchor(workspace, each) for each in statement.on)
    return Said(
        kind=kind,
        text=text,
        why=_clean(statement.why, "the reason"),
        rejected=tuple(_clean(each, "what was rejected") for each in statement.rejected if each.strip()),
        importance=statement.importance or importance_of(kind, text, origin.source),
        scope=tuple(_scope(each) for each in statement.scope),
        anchors=anchors or tuple(found),
    )


def resolve_id(known: Remembered, wanted: str) -> str:
    """The id of the memory that a prefix means. NotFound where it means none, or several."""
    prefix = wanted.strip().upper()
    matching = [name for name in known.standings if name.startswith(prefix)] if prefix else []
    if not matching:
        raise NotFound(f"no memory is called {one_line(visible(wanted), 40)}", "repomem log --memories lists them")
    if len(matching) > 1:
        raise NotFound(f"{prefix} is the start of {len(matching)} memories", f"give more of it: {matching[0][:12]}…")
    return matching[0]


def supersede(workspace: Workspace, speaker: Speaker, old: str, new: str) -> None:
    """Let one memory take the place of another."""
    tell(workspace, origin_of(workspace, speaker), plain_told(Event.SUPERSEDE, old, other=new))


def _clean(text: str, what: str) -> CleanText:
    shown = visible(text).strip()
    if len(shown) > LONGEST_TEXT:
        raise RepomemError(
            f"{what} is longer than {LONGEST_TEXT:,} characters", "say it in a few sentences, or keep it in a file"
        )
    return redact(shown)


def _scope(glob: str) -> str:
    shown = visible(glob).strip().removeprefix("./")
    if not shown or len(shown) > LONGEST_SCOPE:
        raise RepomemError(f"{one_line(glob, 40)!r} is no path glob", "for example: --scope 'src/api/**'")
    return shown


def _anchor(workspace: Workspace, on: str) -> Anchor:
    path, _, symbol = on.partition(":")
    return anchor_at(workspace, path.strip().removeprefix("./"), symbol.strip())


def _is_everywhere(origin: Origin, said: Said) -> bool:
    is_persons = origin.source is Source.PERSON
    return (is_persons and not said.anchors and not said.scope) or not origin.branch


def _duplicate(workspace: Workspace, same: Standing, origin: Origin, superseded: tuple[str, ...]) -> Outcome:
    """What is known is not kept twice; that a person says it too confirms it."""
    memory = same.memory
    told = [plain_told(Event.SUPERSEDE, old, other=memory.id) for old in superseded if old != memory.id]
    if same.status is Status.PROVISIONAL and origin.source.value == "person":
        told.append(plain_told(Event.CONFIRM, memory.id))
    if told:
        tell(workspace, origin, *told)
    return Outcome("duplicate", memory.id, memory.said, superseded)


def _added(workspace: Workspace, known: Remembered, wanted: Record, superseded: Sequence[str]) -> Record:
    """The record that holds it now: `wanted` with an id, or that of another process which has just said the same."""
    seen = {record.id for record in known.records}
    twins: list[Record] = []

    def make(before: list[Record]) -> list[Record]:
        late = [r for r in before if r.id not in seen and r.said and r.origin.head == wanted.origin.head]
        twins.extend(r for r in late if r.said and wanted.said and is_same(r.said, wanted.said))
        if twins:
            return []
        new = replace(wanted, id=next_id(before))
        over = Record(new_ulid(new.id), Event.SUPERSEDE, wanted.origin, tuple(superseded), new.id)
        return [new, over] if superseded else [new]

    made = ledger_of(workspace).append(make)
    return made[0] if made else twins[0]


def _proposed(
    said: Said, near: Sequence[MemorySimilarity], here: Mapping[str, Standing], documents: Sequence[MemoryDocument]
) -> tuple[Proposal, ...]:
    """The one memory that is about the same thing, as far as that can be told: a wrong one is worse than none."""
    others = {name: one for name, one in here.items() if one.memory.said.kind is not Kind.THREAD}
    claims = {name: _claim(one.memory.said) for name, one in others.items()}
    same = claims_about_same_code(_claim(said), claims, documents)
    if same is None:
        return _standing_out(near, here)
    if not same or same[0].share < SAME_CODE_SHARE:
        return ()
    why = f"it speaks of the same code, and {same[0].share:.0%} of what they say is the same"
    return (Proposal(same[0].id, others[same[0].id].memory.said.text, why),)


def _claim(said: Said) -> MemoryClaim:
    names = dict.fromkeys(whole(each.symbol.rpartition(".")[2]) for each in said.anchors if each.symbol)
    return MemoryClaim(said.text, tuple(names))


def _standing_out(near: Sequence[MemorySimilarity], here: Mapping[str, Standing]) -> tuple[Proposal, ...]:
    """The memory that is more like the new one than any other, where neither names code that is known."""
    if not near:
        return ()
    best, rest = near[0], [one.share for one in near[1:2]]
    other = here[best.id].memory.said
    is_alone = best.share >= SUPERSEDES_MARGIN * max(rest, default=0.0)
    if other.kind is Kind.THREAD or best.share < SUPERSEDES_SHARE or not is_alone:
        return ()
    return (Proposal(best.id, other.text, f"{best.share:.0%} alike, and nothing else is near"),)
