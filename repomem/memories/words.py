"""The words that memories are searched by: made once, kept in the catalog, looked up by the memory's id."""

import os
from collections.abc import Mapping

from repomem.core.errors import StoreError
from repomem.core.records import Memory
from repomem.core.words import words_of
from repomem.memories.status import Standing
from repomem.ranking.memories import MemoryDocument
from repomem.workspace.workspace import Workspace


def documents_of(workspace: Workspace, shown: Mapping[str, Standing]) -> list[MemoryDocument]:
    """Memories as they are searched: all that they say, and where their code is now."""
    known = workspace.catalog.placings.words()
    fresh = {name: _words(one.memory) for name, one in shown.items() if name not in known}
    if fresh and os.access(workspace.folder, os.W_OK):
        _keep(workspace, fresh)
    return [_document(one, known.get(name) or fresh[name]) for name, one in shown.items()]


def _keep(workspace: Workspace, fresh: Mapping[str, str]) -> None:
    try:
        workspace.catalog.placings.keep_words(fresh)
    except StoreError:  # a full disk, or another process: they are made again next time
        return


def _words(memory: Memory) -> str:
    said = memory.said
    parts = (said.text, said.why, *said.rejected, *(f"{a.path} {a.symbol}" for a in said.anchors))
    return " ".join(filter(None, map(words_of, parts)))


def _document(one: Standing, words: str) -> MemoryDocument:
    placed = [each for each in one.placed if each.path]
    symbols = tuple(f"{each.path}:{each.symbol}" for each in placed if each.symbol)
    return MemoryDocument(one.memory.id, words, tuple(each.path for each in placed), symbols)
