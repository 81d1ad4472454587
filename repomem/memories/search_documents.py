"""Memories as search documents; their words are computed once and cached in the catalog by id."""

import os
from collections.abc import Mapping

from repomem.core.errors import StoreError
from repomem.core.records import Memory
from repomem.core.words import words_of
from repomem.memories.status import MemoryState
from repomem.ranking.memory_words import MemoryDocument
from repomem.workspace.workspace import Workspace


def documents_of(workspace: Workspace, shown: Mapping[str, MemoryState]) -> list[MemoryDocument]:
    """One document per memory: its words, and where its code is now."""
    cached = workspace.catalog.placings.words()
    fresh = {name: _words(one.memory) for name, one in shown.items() if name not in cached}
    if fresh and os.access(workspace.folder, os.W_OK):
        _cache(workspace, fresh)
    return [_document(one, cached.get(name) or fresh[name]) for name, one in shown.items()]


def _cache(workspace: Workspace, fresh: Mapping[str, str]) -> None:
    try:
        workspace.catalog.placings.keep_words(fresh)
    except StoreError:  # a full disk or a lock: they are computed again next time
        return


def _words(memory: Memory) -> str:
    """The words of what it says; those of its code's path are no content."""
    said = memory.said
    names = (each.symbol.rpartition(".")[2] for each in said.anchors)
    return " ".join(filter(None, map(words_of, (said.text, said.why, *said.rejected, *names))))


def _document(one: MemoryState, words: str) -> MemoryDocument:
    placed = [each for each in one.locations if each.path]
    symbols = tuple(f"{each.path}:{each.symbol}" for each in placed if each.symbol)
    origin = one.memory.origin
    return MemoryDocument(one.memory.id, words, tuple(each.path for each in placed), symbols, origin.session, origin.at)
