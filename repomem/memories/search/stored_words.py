"""The words of a large ledger's memories as postings, in one file, so that a question reads only its own words.

A text never changes under its id, so a file that lacks the newest memories is still right about the others. It is made
from the catalog, and rebuilt when it lacks too many.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from repomem.core.packed_file import read_packed
from repomem.memories.snapshots.stored_snapshot import FOLDER, keep_packed
from repomem.ranking.memory_words import Postings, joined_lines
from repomem.workspace.freshness import content_stamp

FORMAT = 1
FILE = "words"


@dataclass(frozen=True, slots=True, eq=False)
class StoredWords:
    """Memories by id, in order, with the words of each."""

    ids: Sequence[str]
    texts: Sequence[str]
    joined: str  # see `joined_lines`
    postings: Postings


def read_words(folder: Path) -> StoredWords | None:
    """The stored words; None if there are none, or they are damaged or of another version."""
    import numpy as np

    with suppress(ValueError, KeyError, TypeError):
        sections = read_packed(folder / FOLDER / FILE)
        if sections and bytes(sections["format"]).decode() == _format():
            ids, terms = json.loads(bytes(sections["ids"]))
            numbers = {name: np.frombuffer(sections[name], np.int64) for name in ("starts", "lengths")}
            small = {name: np.frombuffer(sections[name], np.int32).astype(np.int64) for name in ("rows", "counts")}
            texts = _text(sections["texts"]).split("\n")
            return StoredWords(ids, texts, _text(sections["joined"]), Postings(terms, **numbers, **small))
    return None


def keep_words(folder: Path, words: Mapping[str, str], is_current: Callable[[], bool]) -> None:
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
    keep_packed(folder / FOLDER / FILE, sections, is_current)


def _format() -> str:
    return f"{FORMAT} {content_stamp()}"


def _text(data: memoryview) -> str:
    return bytes(data).decode("utf-8", "surrogatepass")
