"""Decisions that people wrote down in commits and files: which of them hold here, and which bear on a task.

They are only ever quoted: who wrote them spoke to other people, and nobody confirmed that they hold.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from repomem.brief.decisions import mined_forms
from repomem.brief.items import Offer, Section
from repomem.core.mined_decisions import DECIDING, REVERTS, Mined, Trailer
from repomem.core.records import Kind, Source
from repomem.core.types import SHORT_HASH
from repomem.core.words import words_of
from repomem.items.memories import Task
from repomem.ranking.memories import MemoryDocument, matching_memories
from repomem.workspace.snapshot import Snapshot

SHOWN = 3
PER_AUTHOR = 2  # of commits: one who writes many trailers must not fill a brief
RANK = 27.0  # after what was said for memory, before the guides' own words
SHORTEST_HASH = 7  # digits by which a message may name a commit: git's own short form


def mined_decisions(snapshot: Snapshot) -> list[Mined]:
    """What files of decisions say, by path, then what the commits of this history do, newest first.

    Of commits that were reverted, and of what no longer holds, there is nothing.
    """
    return [*_of_files(snapshot), *_of_commits(snapshot)]


def mined_offers(snapshot: Snapshot, task: Task) -> Iterator[Offer]:
    """Those that bear on the task, or on the map the newest: few of them, and fewer of one author."""
    of_author: Counter[str] = Counter()
    shown = 0
    for one in _ordered(mined_decisions(snapshot), task):
        author = one.author if one.source is Source.COMMIT else ""
        if shown == SHOWN or (author and of_author[author] == PER_AUTHOR):
            continue
        of_author[author] += 1
        sources = frozenset([one.path or one.commit[:SHORT_HASH]])
        yield Offer(Section.HOLDS, RANK + shown / 100, tuple(mined_forms(one)), sources=sources)
        shown += 1


def _ordered(known: Sequence[Mined], task: Task) -> list[Mined]:
    """Best first."""
    if task.query is None:
        decided = [one for one in known if not one.is_rejected]
        return sorted(decided, key=lambda one: (one.date, one.id), reverse=True)
    by_name = {str(at): one for at, one in enumerate(known)}
    documents = [_document(name, one) for name, one in by_name.items()]
    return [by_name[one.id] for one in matching_memories(task.query, documents, task.files, task.symbols)]


def _document(name: str, one: Mined) -> MemoryDocument:
    return MemoryDocument(name, " ".join(filter(None, map(words_of, (one.title, one.text, *one.rejected)))))


def _of_files(snapshot: Snapshot) -> list[Mined]:
    return [_from_kept(values) for values in json.loads(snapshot.worktree.decisions)]


def _from_kept(values: Mapping[str, object]) -> Mined:
    one = Mined(**values)  # type: ignore[arg-type]  # what `asdict` wrote
    return replace(one, kind=Kind(one.kind), source=Source(one.source), rejected=tuple(one.rejected))


def _of_commits(snapshot: Snapshot) -> Iterator[Mined]:
    """The trailers of each commit that stands, the same text once."""
    told: set[tuple[str, str]] = set()
    for group in _standing(snapshot):
        for one in _grouped(group):
            if (one.kind, one.text) not in told:
                told.add((one.kind, one.text))
                yield one


def _standing(snapshot: Snapshot) -> Iterator[list[Trailer]]:
    """The trailers of each commit of this history that no later one takes back, newest first."""
    by_episode: dict[int, list[Trailer]] = {}
    for number, trailer in snapshot.workspace.catalog.trailers.by_episode():
        by_episode.setdefault(number, []).append(trailer)
    undone: set[str] = set()
    for number in snapshot.history.episodes if by_episode else ():
        group = by_episode.get(number, [])
        if not group or {group[0].commit[:SHORTEST_HASH], group[0].subject} & undone:
            continue
        undone |= {_named(each.value) for each in group if each.name == REVERTS}
        yield [each for each in group if each.name != REVERTS]


def _named(value: str) -> str:
    """What a revert takes back: the start of a hash, or a subject."""
    is_hash = len(value) >= SHORTEST_HASH and all(sign in "0123456789abcdef" for sign in value)
    return value[:SHORTEST_HASH] if is_hash else value


def _grouped(group: Sequence[Trailer]) -> Iterator[Mined]:
    """The decisions and rules of one commit; what it rejects goes with its only decision, else by itself."""
    said = [_mined(each) for each in group]
    decided = [one for one in said if one.kind is Kind.DECISION]
    rejected = tuple(one.text for one in said if one.is_rejected)
    if len(decided) != 1:
        yield from said
        return
    for one in said:
        if not one.is_rejected:
            yield replace(one, rejected=rejected) if one is decided[0] else one


def _mined(trailer: Trailer) -> Mined:
    return Mined(
        id=trailer.commit[:SHORT_HASH],
        kind=DECIDING[trailer.name],
        text=trailer.value,
        source=Source.COMMIT,
        title=trailer.subject,
        author=trailer.author,
        date=trailer.date,
        commit=trailer.commit,
    )
