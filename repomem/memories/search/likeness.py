"""How similar memories and other texts are to a question: by their vectors, and by the nearest words of each."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import cache
from heapq import nsmallest
from typing import TYPE_CHECKING

from repomem.core.errors import ConfigError, EmbeddingError
from repomem.core.ports import Passage
from repomem.core.secrets.redact import redact
from repomem.core.types.text import CleanText
from repomem.memories.search.vectors import UNRELATED, MemoryVectors, memory_embedder, text_to_embed, vectors_of
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.ranking.memory_signals import Likeness
from repomem.ranking.query import Query
from repomem.workspace.models import prose_embedder
from repomem.workspace.workspace import Workspace

if TYPE_CHECKING:
    from repomem.core.ports import Embedder

AT_ONCE = 32  # missing vectors of an expensive model that a question waits for
AT_ONCE_IF_QUICK = 1_000  # of the encoder that ships, which makes about a hundred a second
AT_ONCE_IN_HASTE = 64
COMPARED_BY_WORDS = 200  # memories with the highest cosines: more cost time and find nothing else


def likeness_to_memories(
    workspace: Workspace, known: MemorySnapshot, shown: Collection[str]
) -> Callable[[Query], Likeness]:
    """Tells how similar these memories are to a question, by the configured model or the encoder that ships.

    Several questions read the vectors and texts once. If more vectors are missing than time allows, the static model
    for sentences answers; index runs make the rest.
    """
    vectors: dict[str, MemoryVectors] = {}  # by model
    text_of = cache(lambda name: text_to_embed(known.said(name)))

    def by(model: "Embedder", asked: Passage) -> Likeness:
        if model.model_id not in vectors:
            vectors[model.model_id] = vectors_of(workspace, model, known, shown)
        found = vectors[model.model_id].likeness(model.embed_query(asked))
        nearest = nsmallest(COMPARED_BY_WORDS, ((-cosine, name) for name, cosine in found.cosines.items()))
        return _compared(found, asked, {name: text_of(name) for _, name in nearest})

    def likeness(query: Query) -> Likeness:
        asked = Passage(redact(query.subject.text))
        try:
            model = memory_embedder(workspace)
            if model.is_cheap or model.model_id in vectors or _are_few_missing(workspace, model, shown):
                return by(model, asked)
        except (EmbeddingError, ConfigError) as error:
            notice = f"memories were found by the built-in model: {error.message}"
            if notice not in workspace.notices:
                workspace.notices.append(notice)
        return by(prose_embedder(), asked)

    return likeness


def likeness_to_texts(texts: Mapping[str, str]) -> Callable[[Query], Likeness]:
    """Tells how similar texts, by id, are to a question by the model that ships for sentences; nothing is kept."""
    if not texts:
        return lambda _: Likeness()
    import numpy as np

    model = prose_embedder()
    clean = {name: redact(text) for name, text in texts.items()}
    every = model.embed([Passage(text) for text in (*UNRELATED.values(), *clean.values())]).astype(np.float32)
    unrelated, matrix = np.split(every, [len(UNRELATED)])
    vectors = MemoryVectors(list(texts), matrix, unrelated)

    def likeness(query: Query) -> Likeness:
        asked = Passage(redact(query.subject.text))
        return _compared(vectors.likeness(model.embed_query(asked)), asked, clean)

    return likeness


def _compared(likeness: Likeness, asked: Passage, texts: Mapping[str, CleanText]) -> Likeness:
    """The likeness with the closeness of texts, by id."""
    passages = [Passage(text) for text in (*UNRELATED.values(), *texts.values())]
    values = prose_embedder().closeness(asked, passages).tolist()
    unrelated, closeness = values[: len(UNRELATED)], values[len(UNRELATED) :]
    return replace(likeness, closeness=dict(zip(texts, closeness, strict=True)), unrelated_closeness=tuple(unrelated))


def _are_few_missing(workspace: Workspace, model: "Embedder", shown: Collection[str]) -> bool:
    """Whether a question may wait for the vectors that are missing."""
    if workspace.is_hurried:
        most = AT_ONCE_IN_HASTE if model.is_quick else -1
    else:
        most = AT_ONCE_IF_QUICK if model.is_quick else AT_ONCE
    return most >= 0 and len(shown) - workspace.catalog.placings.count_vectors(model.model_id, shown) <= most
