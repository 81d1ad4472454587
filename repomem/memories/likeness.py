"""How similar memories and other texts are to a question: by their vectors, and by the nearest words of each."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from repomem.core.errors import ConfigError, EmbeddingError
from repomem.core.ports import Passage
from repomem.core.secrets.redact import redact
from repomem.core.types.text import CleanText
from repomem.memories.snapshot import MemorySnapshot
from repomem.memories.vectors import UNRELATED, MemoryVectors, memory_embedder, text_to_embed, vectors_of
from repomem.ranking.memory_signals import Likeness
from repomem.ranking.query import Query
from repomem.workspace.models import prose_embedder
from repomem.workspace.workspace import Workspace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from repomem.core.ports import Embedder

AT_ONCE = 32  # missing vectors of an expensive model that a question waits for
COMPARED_BY_WORDS = 200  # memories with the highest cosines: more cost time and find nothing else


def likeness_of(workspace: Workspace, known: MemorySnapshot, shown: Collection[str], query: Query) -> Likeness:
    """How similar these memories are to a question, by the configured model, or by the one that ships for sentences.

    An expensive model is used only if few vectors are missing and time allows; index runs make the rest.
    """
    try:
        model = memory_embedder(workspace)
        if model.is_cheap or (not workspace.is_hurried and _are_few_missing(workspace, model, shown)):
            return _likeness(vectors_of(workspace, model, known, shown), model, known, query)
    except (EmbeddingError, ConfigError) as error:
        notice = f"memories were found by the built-in model: {error.message}"
        if notice not in workspace.notices:
            workspace.notices.append(notice)
    model = prose_embedder()
    return _likeness(vectors_of(workspace, model, known, shown), model, known, query)


def _likeness(vectors: MemoryVectors, model: "Embedder", known: MemorySnapshot, query: Query) -> Likeness:
    found = vectors.likeness(_question(model, query))
    nearest = sorted(found.cosines, key=lambda name: (-found.cosines[name], name))[:COMPARED_BY_WORDS]
    return _compared(found, query, {name: text_to_embed(known.states[name].memory) for name in nearest})


def _compared(likeness: Likeness, query: Query, texts: Mapping[str, CleanText]) -> Likeness:
    """The likeness with the closeness of texts, by id."""
    passages = [Passage(text) for text in (*UNRELATED.values(), *texts.values())]
    values = prose_embedder().closeness(Passage(redact(query.text)), passages).tolist()
    unrelated, closeness = values[: len(UNRELATED)], values[len(UNRELATED) :]
    return replace(likeness, closeness=dict(zip(texts, closeness, strict=True)), unrelated_closeness=tuple(unrelated))


def _are_few_missing(workspace: Workspace, model: "Embedder", shown: Collection[str]) -> bool:
    return len(shown) - len(workspace.catalog.placings.vectors(model.model_id, shown)) <= AT_ONCE


def _question(model: "Embedder", query: Query) -> "NDArray[np.float32]":
    return model.embed_query(Passage(redact(query.text)))


def likeness_of_texts(query: Query, texts: Mapping[str, str]) -> Likeness:
    """How similar texts, by id, are to a question by the model that ships for sentences; nothing is kept."""
    if not texts:
        return Likeness()
    import numpy as np

    model = prose_embedder()
    clean = {name: redact(text) for name, text in texts.items()}
    every = model.embed([Passage(text) for text in (*UNRELATED.values(), *clean.values())]).astype(np.float32)
    unrelated, matrix = np.split(every, [len(UNRELATED)])
    return _compared(MemoryVectors(list(texts), matrix, unrelated).likeness(_question(model, query)), query, clean)
