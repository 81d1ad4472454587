"""The vectors of memories: computed once by the configured model, and cached in the catalog by memory and model."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from repomem.core.errors import ConfigError, EmbeddingError, StoreError
from repomem.core.ports import Passage
from repomem.core.records import Memory
from repomem.core.secrets.redact import redact
from repomem.core.types.text import CleanText
from repomem.memories.status import MemoryState
from repomem.ranking.memories import Likeness
from repomem.ranking.query import Query
from repomem.workspace.workspace import Workspace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from repomem.core.ports import Embedder

FULL_CONTINUITY = 0.05  # neighbours' cosine above that of any two: from here on they are taken for one conversation
UNRELATED = {  # short texts on many subjects: what cosine a model gives to things that have nothing in common
    f"unrelated {number}": CleanText(text)
    for number, text in enumerate(
        (
            "The train to the coast leaves at half past nine",
            "She planted tomatoes and beans behind the house",
            "The choir rehearses on Thursday evenings",
            "Bake the bread for forty minutes until the crust is brown",
            "The museum closes early in winter",
            "Our neighbour's dog is afraid of thunder",
            "He lost his umbrella at the dentist",
            "Icons in the sidebar are drawn as vector graphics",
            "The parser keeps comments next to the node they precede",
            "Log files are rotated every night",
            "The build server compiles with warnings as errors",
            "Passwords are checked against a list of leaked ones",
            "Dates are printed in the reader's time zone",
            "The queue drops messages that are older than a day",
            "Invoices are numbered without gaps",
            "Tests create their own database schema",
            "The mobile app asks for permission to use the camera",
            "Prices are rounded to two digits",
            "The compiler inlines small functions",
            "Every team keeps a page about who is on duty",
        )
    )
}
FEWEST = 30  # memories; of fewer, continuity is chance


@dataclass(frozen=True)
class MemoryVectors:
    """The vectors of memories, (memories, dimensions), of unit length, in the order of their ids."""

    names: Sequence[str]
    matrix: "NDArray[np.float32]"
    unrelated: "NDArray[np.float32]"  # the vectors of `UNRELATED`

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """The row of each memory."""
        return {name: at for at, name in enumerate(self.names)}

    def likeness(self, question: "NDArray[np.float32]") -> Likeness:
        """How similar the memories are to a question."""
        cosines = dict(zip(self.names, (self.matrix @ question).tolist(), strict=True))
        return Likeness(cosines, tuple((self.unrelated @ question).tolist()), self._continuity)

    def similarity(self, one: str, other: str) -> float:
        """The cosine between two memories; 0 if one has no vector."""
        if one not in self.rows or other not in self.rows:
            return 0.0
        return float(self.matrix[self.rows[one]] @ self.matrix[self.rows[other]])

    @cached_property
    def _continuity(self) -> float:
        """0 to 1: how much memories that were recorded in turn resemble each other more than any two do."""
        count = len(self.names)
        if count < FEWEST:
            return 0.0
        total = self.matrix.sum(axis=0)
        any_two = (float(total @ total) - count) / (count * (count - 1))
        in_turn = float((self.matrix[1:] * self.matrix[:-1]).sum()) / (count - 1)
        return min(max((in_turn - any_two) / FULL_CONTINUITY, 0.0), 1.0)


def vectors_of(workspace: Workspace, shown: Mapping[str, MemoryState]) -> MemoryVectors | None:
    """The vectors of memories; None if the model cannot give them now, or is too slow for the caller."""
    import numpy as np

    try:
        model = workspace.memory_embedder
        cached = workspace.catalog.placings.vectors(model.model_id)
        texts = {**UNRELATED, **{name: _text(shown[name].memory) for name in sorted(shown)}}
        fresh = {name: text for name, text in texts.items() if name not in cached}
        if fresh and workspace.is_hurried and not model.is_cheap:
            return None
        if fresh:
            cached |= _computed(workspace, model, fresh)
        every = np.frombuffer(b"".join(cached[name] for name in texts), np.float16).reshape(len(texts), -1)
    except (EmbeddingError, ConfigError) as error:
        _notice(workspace, error.message)
        return None
    unrelated, matrix = np.split(every.astype(np.float32), [len(UNRELATED)])
    return MemoryVectors(sorted(shown), matrix, unrelated)


def likeness_of(workspace: Workspace, vectors: MemoryVectors | None, query: Query) -> Likeness:
    """How similar memories are to a question; nothing without vectors."""
    if vectors is None:
        return Likeness()
    model = workspace.memory_embedder
    if workspace.is_hurried and not model.is_cheap:
        return Likeness()
    try:
        return vectors.likeness(model.embed_query(Passage(redact(query.text))))
    except EmbeddingError as error:
        _notice(workspace, error.message)
        return Likeness()


def likeness_of_texts(query: Query, texts: Mapping[str, str]) -> Likeness:
    """How similar texts, by id, are to a question by the model that ships for sentences; nothing is kept."""
    if not texts:
        return Likeness()
    import numpy as np

    from repomem.workspace.models import prose_embedder

    model = prose_embedder()
    every = model.embed([Passage(redact(text)) for text in (*UNRELATED.values(), *texts.values())]).astype(np.float32)
    unrelated, matrix = np.split(every, [len(UNRELATED)])
    return MemoryVectors(list(texts), matrix, unrelated).likeness(model.embed_query(Passage(redact(query.text))))


def _computed(workspace: Workspace, model: "Embedder", texts: Mapping[str, CleanText]) -> dict[str, bytes]:
    """New vectors, which are cached where that is possible."""
    matrix = model.embed([Passage(text) for text in texts.values()])
    made = {name: row.astype("float16").tobytes() for name, row in zip(texts, matrix, strict=True)}
    if os.access(workspace.folder, os.W_OK):
        try:
            workspace.catalog.placings.keep_vectors(model.model_id, made)
        except StoreError:  # a full disk or a lock: they are computed again next time
            return made
    return made


def _text(memory: Memory) -> CleanText:
    return redact(" ".join(filter(None, (memory.said.text, memory.said.why))))


def _notice(workspace: Workspace, message: str) -> None:
    notice = f"memories were found by words only: {message}"
    if notice not in workspace.notices:
        workspace.notices.append(notice)
