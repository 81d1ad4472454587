"""Memories as search documents; their words are computed once and cached in the catalog by id."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from itertools import repeat

from repomem.core.errors import StoreError
from repomem.core.records import Memory
from repomem.core.words import words_of
from repomem.memories.search.stored_words import keep_words, read_words
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.memories.snapshots.stored_snapshot import are_many
from repomem.ranking.memory_words import MemoryCorpus, Postings, Segment
from repomem.workspace.ledger import stamp_here
from repomem.workspace.workspace import Workspace


def documents_of(workspace: Workspace, known: MemorySnapshot, shown: Collection[str]) -> MemoryCorpus:
    """These memories: their words, and where their code is now."""
    import numpy as np

    names = sorted(shown)
    stored = read_words(workspace.folder) if are_many(len(names)) else None
    rest = sorted(set(names).difference(stored.ids)) if stored else names
    words = _words_by_id(workspace, known, rest)
    if are_many(len(rest)) and not known.history.is_past:
        every = words | (dict(zip(stored.ids, stored.texts, strict=True)) if stored else {})
        keep_words(workspace.folder, every, lambda: known.stamp == stamp_here(workspace))
    texts = [words[name] for name in rest]
    place = dict(zip(names, range(len(names)), strict=True))
    segments = [Segment(texts, Postings.counted(texts), np.array([place[name] for name in rest], np.int64))]
    if stored:
        places = np.array(list(map(place.get, stored.ids, repeat(-1))), np.int64)
        segments.append(Segment(stored.texts, stored.postings, places, stored.joined))
    own = known.outlines.only(names)
    code = zip(own.field("paths"), own.field("symbols", lambda symbols: tuple(filter(None, symbols))), strict=True)
    return MemoryCorpus(names, segments, list(code), list(zip(own.field("session"), own.field("at"), strict=True)))


def _words_by_id(workspace: Workspace, known: MemorySnapshot, names: Sequence[str]) -> dict[str, str]:
    """The words of memories, from the catalog or made now."""
    cached = workspace.catalog.memory_cache.words(names)
    fresh = {name: _words(known.states[name].memory) for name in names if name not in cached}
    if fresh and workspace.is_writable:
        with suppress(StoreError):  # a full disk or a lock: they are computed again next time
            workspace.catalog.memory_cache.keep_words(fresh, lambda: known.stamp == stamp_here(workspace))
    return cached | fresh


def _words(memory: Memory) -> str:
    """The words of its text; those of its code's path are not content."""
    said = memory.said
    names = (each.symbol.rpartition(".")[2] for each in said.given)
    return " ".join(filter(None, map(words_of, (said.text, said.why, *said.rejected, *names))))
