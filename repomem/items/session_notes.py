"""Notes of sessions that are clearly about a task: failed attempts, and sentences that may state something lasting."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from repomem.adapters.git.ancestry import ancestors_among
from repomem.brief import order
from repomem.brief.items import CandidateItem, Rendering
from repomem.core.records import Record
from repomem.core.text.escape import code, one_line, quoted
from repomem.core.text.words import words_of
from repomem.core.types.brief import BriefItem
from repomem.core.types.commits import short_hash
from repomem.memories.search.likeness import likeness_to_texts
from repomem.memories.snapshots.closed_threads import FEWEST_WORDS, content_stems
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.ranking.memories import matching_by_sentence
from repomem.ranking.memory_words import MemoryDocument
from repomem.ranking.query import Query
from repomem.sessions.command_notes import SAID, TRIED, notes_by_session
from repomem.workspace.workspace import Workspace

LONGEST = 240  # characters
SETTLED = 0.75  # share of a memory's words that a note must have to say the same


@dataclass(frozen=True, slots=True)
class _NoteKind:
    """How the notes of one prefix are shown."""

    prefix: str
    item: str  # the kind of its item
    label: str
    row: order.OrderRow
    most: int  # items


ATTEMPTS = _NoteKind(TRIED, "tried", "tried in a session", order.SESSION_ATTEMPT, 2)
SENTENCES = _NoteKind(SAID, "said", "unconfirmed, said in a session", order.SAID, 3)


def note_items(workspace: Workspace, known: MemorySnapshot, query: Query, head: str) -> Iterator[CandidateItem]:
    """The notes of this history that are clearly about the question, best first: sentences, then attempts."""
    notes = _notes(known.events)
    for kind in (SENTENCES, ATTEMPTS):
        relevant = _relevant(notes, query, kind.prefix)
        here = ancestors_among(workspace.repository, head, {record.origin.head for record in relevant})
        seen = [record for record in relevant if not record.origin.head or record.origin.head in here]
        if kind is SENTENCES:  # a failed attempt quotes the decision that was retracted
            seen = _without_settled(seen, known)
        for at, record in enumerate(seen[: kind.most]):
            rendering = _rendering(record, known, kind)
            yield CandidateItem(*kind.row.nth(at), (rendering,), sources=frozenset([record.id]))


def _relevant(notes: Sequence[Record], query: Query, prefix: str) -> list[Record]:
    """The notes of a prefix that are clearly about the question, best first."""
    own = {note.id: note for note in notes if note.text.startswith(prefix)}
    texts = {name: note.text.removeprefix(prefix) for name, note in own.items()}
    documents = [MemoryDocument(name, words_of(text)) for name, text in texts.items()]
    matches = matching_by_sentence(query, documents, likeness_to_texts(texts))
    return [own[one.id] for one in matches if one.is_certain]


def _notes(records: Sequence[Record]) -> list[Record]:
    """The notes that were neither forgotten nor turned into memories."""
    notes = [note for some in notes_by_session(records).values() for note in some]
    promoted = {target for note in notes if note.other for target in note.targets}
    return [note for note in notes if note.id not in promoted]


def _without_settled(notes: Sequence[Record], known: MemorySnapshot) -> list[Record]:
    """The notes without those that repeat a later memory, or a hidden one such as a closed thread."""
    if not notes:
        return []
    first = min(note.id for note in notes)
    hidden = set(known.outlines.where(is_shown=lambda is_shown: not is_shown))
    settling = [name for name in known.outlines if name > first or name in hidden]
    said = {name: words for name in settling if len(words := content_stems(known.said(name).text)) >= FEWEST_WORDS}

    def is_settled(note: Record) -> bool:
        own = content_stems(note.text)
        settled = (name for name, words in said.items() if len(words & own) >= SETTLED * len(words))
        return any(name in hidden or name > note.id for name in settled)

    return [note for note in notes if not is_settled(note)]


def _rendering(record: Record, known: MemorySnapshot, kind: _NoteKind) -> Rendering:
    text = one_line(record.text.removeprefix(kind.prefix), LONGEST)
    item = BriefItem(
        kind=kind.item,
        id=known.short_id(record.id),
        whole_id=record.id,
        title=text,
        commit=record.origin.head,
        date=record.origin.at[:10],
        source=record.origin.source.value,
        author=one_line(record.origin.author, 60),
        visible_on=record.origin.branch,
    )
    where = f" at {short_hash(record.origin.head)}" if record.origin.head else ""
    return Rendering(f"- {kind.label} {code(item.id)} {quoted(text)} · {item.author} {item.date}{where}", item)
