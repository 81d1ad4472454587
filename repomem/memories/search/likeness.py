"""How similar memories and other texts are to a question: by their vectors, and by the nearest words of each."""

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from heapq import nsmallest
from typing import TYPE_CHECKING

from repomem.core.errors import ConfigError, EmbeddingError
from repomem.core.records import MemoryKind
from repomem.core.secrets.redact import redact
from repomem.core.types.text import CleanText
from repomem.memories.search.vectors import UNRELATED, MemoryVectors, memory_embedder, text_to_embed, vectors_of
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.ranking.memory_signals import Likeness, share_of_questions
from repomem.ranking.query import Query
from repomem.workspace.models import prose_embedder, sentence_encoder
from repomem.workspace.workspace import Workspace

if TYPE_CHECKING:
    from repomem.core.ports import Embedder

AT_ONCE = 32  # missing vectors of an expensive model that a question waits for
AT_ONCE_IF_QUICK = 1_000  # of the built-in encoder, which makes about a hundred a second
AT_ONCE_IN_HASTE = 64
AT_ONCE_FOR_MARKS = 8  # if needed only to mark memories that later ones may change
TURNS = 0.9  # share of plain facts from which on memories may be the turns of a conversation
READ = 200  # memories with the highest cosines are read: more cost time and find nothing else


class LikenessToMemories:
    """Computes how similar memories are to a question, by the configured model or the built-in encoder.

    Vectors and texts are read once for all questions. If more vectors are missing than time allows, the static model
    for sentences is used; index runs make the missing ones.
    """

    def __init__(self, workspace: Workspace, known: MemorySnapshot, shown: Collection[str]) -> None:
        self._workspace = workspace
        self._known = known
        self._shown = shown
        self._vectors: dict[str, MemoryVectors] = {}  # by model
        self._likeness: dict[CleanText, Likeness] = {}  # by question
        self._text_of = cache(lambda name: text_to_embed(known.said(name)))

    def __call__(self, query: Query) -> Likeness:
        """The likeness of all of them to a question."""
        asked = redact(query.subject.text)
        if asked not in self._likeness:
            self._likeness[asked] = self._to(asked)
        return self._likeness[asked]

    def _to(self, asked: CleanText) -> Likeness:
        try:
            model = memory_embedder(self._workspace)
            if model.is_cheap or model.model_id in self._vectors or self._are_few_missing(model, AT_ONCE_IF_QUICK):
                return self._by(model, asked)
        except (EmbeddingError, ConfigError) as error:
            notice = f"memories were found by the built-in model: {error.message}"
            if notice not in self._workspace.notices:
                self._workspace.notices.append(notice)
        return self._by(prose_embedder(), asked)

    def vectors(self, most: int = AT_ONCE_IF_QUICK) -> MemoryVectors | None:
        """The vectors of the built-in encoder; None with another model, or if more than `most` are missing."""
        with suppress(EmbeddingError, ConfigError):
            model = memory_embedder(self._workspace)
            if model is sentence_encoder() and (model.model_id in self._vectors or self._are_few_missing(model, most)):
                return self._vectors_by(model)
        return None

    def _vectors_by(self, model: "Embedder") -> MemoryVectors:
        if model.model_id not in self._vectors:
            self._vectors[model.model_id] = vectors_of(self._workspace, model, self._known, self._shown)
        return self._vectors[model.model_id]

    def _by(self, model: "Embedder", asked: CleanText) -> Likeness:
        vectors = self._vectors_by(model)
        found = vectors.likeness(model.embed_query(asked))
        nearest = [name for _, name in nsmallest(READ, ((-cosine, name) for name, cosine in found.cosines.items()))]
        if is_conversation(self._known, vectors):
            questions = {name: share_of_questions(self._known.said(name).text) for name in nearest}
            found = replace(found, questions=questions)
        else:
            found = replace(found, continuity=0.0, is_conversation=False)
        return _compared(found, asked, {name: self._text_of(name) for name in nearest})

    def _are_few_missing(self, model: "Embedder", most_of_quick: int) -> bool:
        """Whether a question may wait for the vectors that are missing."""
        if self._workspace.is_hurried:
            most = min(AT_ONCE_IN_HASTE, most_of_quick) if model.is_quick else -1
        else:
            most = most_of_quick if model.is_quick else AT_ONCE
        cached = self._workspace.catalog.memory_cache
        return most >= 0 and len(self._shown) - cached.count_vectors(model.model_id, self._shown) <= most


def is_conversation(known: MemorySnapshot, vectors: MemoryVectors) -> bool:
    """Whether memories are the turns of a conversation: facts, each clearly on the subject of the previous one.

    Decisions and rules do not count: recorded in one go, one part of a project after another, they too resemble their
    neighbours.
    """
    if not vectors.is_conversation:
        return False
    facts = known.outlines.where(kind=lambda kind: kind is MemoryKind.FACT)
    return sum(name in facts for name in vectors.names) >= TURNS * len(vectors.names)


def likeness_to_texts(texts: Mapping[str, str], model: "Embedder | None" = None) -> Callable[[Query], Likeness]:
    """Computes how similar texts, by id, are to a question, by the static sentence model or another; caches nothing."""
    if not texts:
        return lambda _: Likeness()
    import numpy as np

    model = model or prose_embedder()
    clean = {name: redact(text) for name, text in texts.items()}
    every = model.embed([*UNRELATED.values(), *clean.values()]).astype(np.float32)
    unrelated, matrix = np.split(every, [len(UNRELATED)])
    vectors = MemoryVectors(list(texts), matrix, unrelated)

    def likeness(query: Query) -> Likeness:
        asked = redact(query.subject.text)
        return _compared(vectors.likeness(model.embed_query(asked)), asked, clean)

    return likeness


def _compared(likeness: Likeness, asked: CleanText, texts: Mapping[str, CleanText]) -> Likeness:
    """The likeness with the closeness of texts, by id."""
    passages = [*UNRELATED.values(), *texts.values()]
    values = prose_embedder().closeness(asked, passages).tolist()
    unrelated, closeness = values[: len(UNRELATED)], values[len(UNRELATED) :]
    return replace(likeness, closeness=dict(zip(texts, closeness, strict=True)), unrelated_closeness=tuple(unrelated))
