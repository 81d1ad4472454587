"""Decisions from commit trailers and decision files: which of them apply here, and which a brief shows.

They are only quoted: their authors wrote for other people, and nothing confirms that they are still true.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from repomem.brief import order
from repomem.brief.items import CandidateItem, Rendering
from repomem.core.mined_decisions import DECIDING, REVERTS, MinedDecision, Trailer
from repomem.core.records import MemoryKind, Source
from repomem.core.text.escape import code, one_line, quoted, visible_path
from repomem.core.text.words import words_of
from repomem.core.types.brief import BriefItem
from repomem.core.types.commits import SHORTEST_HASH, short_hash
from repomem.items.task_context import TaskContext
from repomem.memories.search.likeness import likeness_to_texts
from repomem.ranking.memories import matching_memories
from repomem.ranking.memory_words import MemoryDocument
from repomem.workspace.snapshot import Snapshot

SHOWN = 3
PER_AUTHOR = 2  # of commits: an author of many trailers must not fill a brief
TEXT_LENGTH = 300  # characters of a decision; its file or commit has the rest
SHORT_TEXT = 140
REJECTED_LENGTH = 80
REJECTED_SHOWN = 3


def written_decisions(snapshot: Snapshot) -> list[MinedDecision]:
    """Those of decision files, by path, then those of this history's commits, newest first.

    Reverted commits and decisions that no longer hold are left out.
    """
    return [*map(_from_stored, json.loads(snapshot.worktree.decisions)), *_of_commits(snapshot)]


def decision_items(snapshot: Snapshot, task: TaskContext) -> Iterator[CandidateItem]:
    """The ones relevant to the task, or for the map the newest: few of them, and fewer of one author."""
    of_author: Counter[str] = Counter()
    shown = 0
    for one in _ordered(written_decisions(snapshot), task):
        author = one.author if one.source is Source.COMMIT else ""
        if shown == SHOWN or (author and of_author[author] == PER_AUTHOR):
            continue
        of_author[author] += 1
        sources = frozenset([one.path or short_hash(one.commit)])
        yield CandidateItem(*order.WRITTEN_DECISION.nth(shown), tuple(decision_renderings(one)), sources=sources)
        shown += 1


def _ordered(known: Sequence[MinedDecision], task: TaskContext) -> list[MinedDecision]:
    """Best first."""
    if task.query is None:
        decided = [one for one in known if not one.is_rejected]
        return sorted(decided, key=lambda one: (one.date, one.id), reverse=True)
    by_name = {str(at): one for at, one in enumerate(known)}
    documents = [_document(name, one) for name, one in by_name.items()]
    likeness = likeness_to_texts({name: f"{one.title} {one.text}" for name, one in by_name.items()})(task.query)
    matches = matching_memories(task.query, documents, task.code, likeness)
    return [by_name[one.id] for one in matches if one.is_certain]


def _document(name: str, one: MinedDecision) -> MemoryDocument:
    return MemoryDocument(name, " ".join(filter(None, map(words_of, (one.title, one.text, *one.rejected)))))


def _from_stored(values: Mapping[str, object]) -> MinedDecision:
    one = MinedDecision(**values)  # type: ignore[arg-type]  # what `asdict` wrote
    return replace(one, kind=MemoryKind(one.kind), source=Source(one.source), rejected=tuple(one.rejected))


def _of_commits(snapshot: Snapshot) -> Iterable[MinedDecision]:
    """The decisions of each commit that was not reverted, the same text once."""
    first: dict[tuple[str, str], MinedDecision] = {}
    for one in chain.from_iterable(map(_grouped, _trailers_not_reverted(snapshot))):
        first.setdefault((one.kind, one.text), one)
    return first.values()


def _trailers_not_reverted(snapshot: Snapshot) -> Iterator[list[Trailer]]:
    """The trailers of each commit of this history that no later one reverts, newest first."""
    by_episode: dict[int, list[Trailer]] = {}
    for number, trailer in snapshot.workspace.catalog.trailers.by_episode():
        by_episode.setdefault(number, []).append(trailer)
    reverted: set[str] = set()
    for number in snapshot.history.episodes if by_episode else ():
        group = by_episode.get(number, [])
        if not group or {group[0].commit[:SHORTEST_HASH], group[0].subject} & reverted:
            continue
        reverted |= {_reverted_name(each.value) for each in group if each.name == REVERTS}
        yield [each for each in group if each.name != REVERTS]


def _reverted_name(value: str) -> str:
    """The target of a revert: the start of a hash, or a subject."""
    is_hash = len(value) >= SHORTEST_HASH and all(sign in "0123456789abcdef" for sign in value)
    return value[:SHORTEST_HASH] if is_hash else value


def _grouped(group: Sequence[Trailer]) -> Iterator[MinedDecision]:
    """The decisions and rules of one commit; rejected alternatives belong to its only decision, else to none."""
    known = [_mined(each) for each in group]
    decided = [one for one in known if one.kind is MemoryKind.DECISION]
    rejected = tuple(one.text for one in known if one.is_rejected)
    if len(decided) != 1:
        yield from known
        return
    for one in known:
        if not one.is_rejected:
            yield replace(one, rejected=rejected) if one is decided[0] else one


def _mined(trailer: Trailer) -> MinedDecision:
    return MinedDecision(
        id=short_hash(trailer.commit),
        kind=DECIDING[trailer.name],
        text=trailer.value,
        source=Source.COMMIT,
        title=trailer.subject,
        author=trailer.author,
        date=trailer.date,
        commit=trailer.commit,
    )


def decision_renderings(one: MinedDecision) -> list[Rendering]:
    """The decision with its rejected alternatives; without them; and cut short."""
    rejected = "; ".join(one_line(each, REJECTED_LENGTH) for each in one.rejected[:REJECTED_SHOWN])
    text = one_line(one.text, TEXT_LENGTH)
    item = _brief_item(one, text, rejected)
    label = "rejected" if one.is_rejected else one.kind.value
    where = code(one.id) if one.path else f"{short_hash(one.commit)} {one.date}"
    more = f"; rejected: {quoted(rejected)}" if rejected else ""
    bare = item if one.is_rejected else replace(item, text="")
    forms = [
        Rendering(f"- {label} {quoted(text)}{more} {where}", item),
        Rendering(f"- {label} {quoted(text)} {where}", bare),
        Rendering(f"- {label} {quoted(one_line(one.text, SHORT_TEXT))} {where}", bare),
    ]
    return list(dict.fromkeys(forms))


def _brief_item(one: MinedDecision, title: str, rejected: str) -> BriefItem:
    text = f"rejected: {title if one.is_rejected else rejected}" if one.is_rejected or rejected else ""
    return BriefItem(
        kind=one.kind.value,
        id=one.id,
        title=title,
        text=text,
        path=visible_path(one.path),
        start_line=one.start_line,
        end_line=one.end_line,
        commit=one.commit,
        date=one.date,
        source=one.source.value,
        author=one_line(one.author, 60),
    )
