"""Failed attempts of sessions, shown if relevant to a task, so that they are not repeated without a reason."""

from collections.abc import Iterator, Sequence

from repomem.adapters.git.ancestry import ancestors_among
from repomem.brief import order
from repomem.brief.items import CandidateItem, Rendering
from repomem.brief.lines import code
from repomem.core.escape import one_line, quoted
from repomem.core.records import Event, Record
from repomem.core.types.brief import BriefItem
from repomem.core.types.commits import short_hash
from repomem.core.ulid import unique_prefix
from repomem.core.words import words_of
from repomem.memories.likeness import likeness_of_texts
from repomem.memories.snapshot import MemorySnapshot
from repomem.ranking.memories import matching_memories
from repomem.ranking.memory_words import MemoryDocument
from repomem.ranking.query import Query
from repomem.sessions.command_notes import TRIED
from repomem.workspace.workspace import Workspace

MOST_ITEMS = 2
LONGEST = 240  # characters


def attempt_items(workspace: Workspace, known: MemorySnapshot, query: Query, head: str) -> Iterator[CandidateItem]:
    """The attempts of this history that are relevant to the question, best first."""
    attempts = _attempts(known.events)
    documents = [MemoryDocument(record.id, words_of(record.text)) for record in attempts.values()]
    likeness = likeness_of_texts(query, {name: record.text for name, record in attempts.items()})
    relevant = [attempts[one.id] for one in matching_memories(query, documents, likeness=likeness) if one.is_certain]
    here = ancestors_among(workspace.repository, head or None, {record.origin.head for record in relevant} - {""})
    seen = [record for record in relevant if not record.origin.head or record.origin.head in here]
    for at, record in enumerate(seen[:MOST_ITEMS]):
        rendering = _rendering(record, known)
        yield CandidateItem(*order.SESSION_ATTEMPT.nth(at), (rendering,), sources=frozenset([record.id]))


def _attempts(records: Sequence[Record]) -> dict[str, Record]:
    forgotten = {target for record in records if record.event is Event.FORGET for target in record.targets}
    return {
        record.id: record
        for record in records
        if record.event is Event.SESSION_NOTE
        and record.text.startswith(TRIED)
        and not forgotten & {record.id, record.origin.session}
    }


def _rendering(record: Record, known: MemorySnapshot) -> Rendering:
    text = one_line(record.text.removeprefix(TRIED), LONGEST)
    item = BriefItem(
        kind="tried",
        id=unique_prefix(record.id, known.ids),
        whole_id=record.id,
        title=text,
        commit=record.origin.head,
        date=record.origin.at[:10],
        source=record.origin.source.value,
        author=one_line(record.origin.author, 60),
        visible_on=record.origin.branch,
    )
    where = f" at {short_hash(record.origin.head)}" if record.origin.head else ""
    return Rendering(f"- tried in a session {code(item.id)} {quoted(text)} · {item.author} {item.date}{where}", item)
