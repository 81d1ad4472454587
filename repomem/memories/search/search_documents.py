"""Memories as search documents; their words are computed once and cached in the catalog by id.

The words of a large ledger's memories are also stored as postings, in one file, so that a question reads only its own
words. A text never changes under its id, so a file that lacks the newest memories is still right about the others. It
is made from the catalog, and rebuilt when it lacks too many.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import repeat
from pathlib import Path

from repomem.core.errors import StoreError
from repomem.core.packed_file import read_packed
from repomem.core.records import Memory
from repomem.core.text.symbol_names import last_part
from repomem.core.text.words import words_of
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.memories.snapshots.stored_snapshot import FOLDER, are_many, store_packed
from repomem.ranking.memory_words import MemoryCorpus, Postings, Segment, joined_lines
from repomem.workspace.freshness import content_stamp
from repomem.workspace.ledger import stamp_here
from repomem.workspace.workspace import Workspace

FORMAT = 1
FILE = "words"


def documents_of(workspace: Workspace, known: MemorySnapshot, shown: Collection[str]) -> MemoryCorpus:
    """These memories: their words, and where their code is now."""
    import numpy as np

    names = sorted(shown)
    ids, stored = _read_words(workspace.folder) if are_many(len(names)) else ([], None)
    rest = sorted(set(names).difference(ids))
    words = _words_by_id(workspace, known, rest)
    if are_many(len(rest)) and not known.history.is_past:
        every = words | (dict(zip(ids, stored.texts, strict=True)) if stored else {})
        _store_words(workspace.folder, every, lambda: known.stamp == stamp_here(workspace))
    texts = [words[name] for name in rest]
    place = dict(zip(names, range(len(names)), strict=True))
    segments = [Segment(texts, Postings.counted(texts), np.array([place[name] for name in rest], np.int64))]
    if stored:
        segments.append(replace(stored, places=np.array(list(map(place.get, ids, repeat(-1))), np.int64)))
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
    names = (last_part(each.symbol) for each in said.given)
    return " ".join(filter(None, map(words_of, (said.text, said.why, *said.rejected, *names))))


def _read_words(folder: Path) -> tuple[Sequence[str], Segment | None]:
    """The ids and words of stored memories, without places; none if they are damaged or of another version."""
    import numpy as np

    with suppress(ValueError, KeyError, TypeError):
        sections = read_packed(folder / FOLDER / FILE)
        if sections and bytes(sections["format"]).decode() == _format():
            ids, terms = json.loads(bytes(sections["ids"]))
            numbers = {name: np.frombuffer(sections[name], np.int64) for name in ("starts", "lengths")}
            small = {name: np.frombuffer(sections[name], np.int32).astype(np.int64) for name in ("rows", "counts")}
            texts = _text(sections["texts"]).split("\n")
            postings = Postings(terms, **numbers, **small)
            return ids, Segment(texts, postings, np.array([], np.int64), _text(sections["joined"]))
    return [], None


def _store_words(folder: Path, words: Mapping[str, str], is_current: Callable[[], bool]) -> None:
    """Store the words of memories, where that is possible, unless the ledger has changed meanwhile."""
    import numpy as np

    ids = sorted(words)
    texts = [words[name] for name in ids]
    postings = Postings.counted(texts)
    sections = {
        "format": _format().encode(),
        "ids": json.dumps([ids, list(postings.terms)]).encode(),
        "starts": postings.starts.tobytes(),
        "lengths": postings.lengths.tobytes(),
        "rows": postings.rows.astype(np.int32).tobytes(),
        "counts": postings.counts.astype(np.int32).tobytes(),
        "texts": "\n".join(texts).encode("utf-8", "surrogatepass"),
        "joined": joined_lines(texts).encode("utf-8", "surrogatepass"),
    }
    store_packed(folder / FOLDER / FILE, sections, is_current)


def _format() -> str:
    return f"{FORMAT} {content_stamp()}"


def _text(data: memoryview) -> str:
    return bytes(data).decode("utf-8", "surrogatepass")
