"""What sessions tried and gave up: told where it bears on a task, so that nobody tries it again without a reason."""

from collections.abc import Iterator, Sequence

from repomem.adapters.git.ancestry import ancestors_among
from repomem.brief.items import Form, Offer, Section
from repomem.brief.lines import code
from repomem.core.escape import one_line, quoted
from repomem.core.records import Event, Record
from repomem.core.types import SHORT_HASH, BriefItem
from repomem.core.ulid import unique_prefix
from repomem.core.words import words_of
from repomem.memories.consolidate.recurring_facts import TRIED
from repomem.memories.snapshot import MemorySnapshot
from repomem.ranking.memories import MemoryDocument, matching_memories
from repomem.ranking.query import Query
from repomem.workspace.workspace import Workspace

MOST_OFFERS = 2
LONGEST = 240  # characters
RANK = 24.3  # beside what was tried on branches


def tried_offers(workspace: Workspace, known: MemorySnapshot, query: Query, head: str) -> Iterator[Offer]:
    """The attempts of this history that bear on the question, best first."""
    found = _attempts(known.records)
    documents = [MemoryDocument(record.id, words_of(record.text)) for record in found.values()]
    bears = [found[one.id] for one in matching_memories(query, documents)]
    here = ancestors_among(workspace.repository, head or None, {record.origin.head for record in bears} - {""})
    seen = [record for record in bears if not record.origin.head or record.origin.head in here]
    for at, record in enumerate(seen[:MOST_OFFERS]):
        yield Offer(Section.HAPPENED, RANK + at / 100, (_form(record, known),), sources=frozenset([record.id]))


def _attempts(records: Sequence[Record]) -> dict[str, Record]:
    forgotten = {target for record in records if record.event is Event.FORGET for target in record.targets}
    return {
        record.id: record
        for record in records
        if record.event is Event.SESSION_NOTE
        and record.text.startswith(TRIED)
        and not forgotten & {record.id, record.origin.session}
    }


def _form(record: Record, known: MemorySnapshot) -> Form:
    text = one_line(record.text.removeprefix(TRIED), LONGEST)
    item = BriefItem(
        kind="tried",
        id=unique_prefix(record.id, known.ids),
        title=text,
        commit=record.origin.head,
        date=record.origin.at[:10],
        source=record.origin.source.value,
        author=one_line(record.origin.author, 60),
        visible_on=record.origin.branch,
    )
    where = f" at {record.origin.head[:SHORT_HASH]}" if record.origin.head else ""
    said = f"- tried in a session {code(item.id)} {quoted(text)} · {item.author} {item.date}{where}"
    return Form(said, item)
