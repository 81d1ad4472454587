"""Code search: question -> candidates and evidence -> ranking -> hits."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from repomem.core.config_sections import BUILT_IN
from repomem.core.errors import ConfigError, EmbeddingError
from repomem.core.processes.threads import in_thread
from repomem.core.secrets.redact import redact
from repomem.core.types.brief import Gate
from repomem.core.types.indexed import Hit
from repomem.history.episodes import HistoryMatches, match_history
from repomem.ranking.definitions import named_for
from repomem.ranking.gather import BY_VECTOR, BY_WORDS, Candidates, Evidence, gather
from repomem.ranking.query import Query
from repomem.ranking.rank import RankedFile, hits
from repomem.ranking.signals import SEARCH
from repomem.workspace.cache import CacheKey
from repomem.workspace.snapshot import Scope, Snapshot
from repomem.workspace.vector_space import VectorSpace
from repomem.workspace.workspace import Workspace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from repomem.core.ports import Embedder


@dataclass(frozen=True, slots=True)
class QuestionVector:
    """The embedding of a question, and the table of vectors that it may be compared with."""

    table: str
    numbers: "NDArray[np.float32]"


QUESTION_VECTOR = CacheKey[QuestionVector | None]("question vector")


@dataclass(frozen=True, slots=True)
class Ranking:
    """A question with its evidence, the ranked files, and whether they are relevant at all."""

    query: Query
    evidence: Evidence
    past: HistoryMatches
    ranked: Sequence[RankedFile]
    gate: Gate


def search(snapshot: Snapshot, text: str, scope: Scope, limit: int) -> list[Hit]:
    """The `limit` best chunks for a question, best first."""
    query = Query(text)
    begun = begin_search(snapshot, query, scope)
    evidence = evidence_for(snapshot, query, scope, match_history(snapshot, query, is_shown=False), begun)
    found = hits(query, evidence, SEARCH, snapshot.code(snapshot.corpus(scope)), limit)
    return [replace(hit, chunk=named_for(query, hit.chunk)) for hit in found]


def begin_search(snapshot: Snapshot, query: Query, scope: Scope) -> Candidates:
    """The candidate searches for a question, begun in threads: history is read meanwhile."""
    corpus = snapshot.corpus(scope)
    versions, vector = snapshot.code(corpus).versions, question_vector(snapshot.workspace, query.text)
    words = corpus.chunk_words.distinctive(query.search_words)
    store = snapshot.workspace.store  # opened here, not in a thread: its check reads the catalog
    by_words = in_thread(lambda: store.search_words("chunks", words, versions, BY_WORDS))
    by_vector = in_thread(
        lambda: store.search_vector(vector.table, vector.numbers, versions, BY_VECTOR) if vector else []
    )
    return Candidates(by_words.result, by_vector.result)


def evidence_for(
    snapshot: Snapshot, query: Query, scope: Scope, past: HistoryMatches, begun: Candidates | None = None
) -> Evidence:
    """What words, vectors, paths and earlier commits say about the files in scope; `begun` is of `begin_search`."""
    corpus, candidates = snapshot.corpus(scope), begun or begin_search(snapshot, query, scope)
    return gather(query, corpus, snapshot.code(corpus), candidates, past.votes, past.recency)


def is_likeness_known(workspace: Workspace) -> bool:
    """Whether the gate may use vector similarity: its thresholds were measured with the built-in model."""
    space = workspace.space
    return space is not None and space.spec == BUILT_IN


def question_vector(workspace: Workspace, text: str) -> QuestionVector | None:
    """The embedding of a question; None without a model, if the model fails, or if it is too slow for the caller."""
    space = workspace.space
    if space is None:
        return None
    return workspace.cache.get(QUESTION_VECTOR, (space, text), lambda: _embedded(workspace, space, text))


def _embedded(workspace: Workspace, space: VectorSpace, text: str) -> QuestionVector | None:
    try:
        model = workspace.embedder_of(space.spec)
        if workspace.is_hurried and not model.is_cheap:
            return None
        vector = _vector_from(model, space, text)
    except (EmbeddingError, ConfigError) as error:
        notice = f"searched by words only: {error.message}; run repomem index"
        if notice not in workspace.notices:
            workspace.notices.append(notice)
        return None
    return QuestionVector(space.table, vector) if vector.any() else None


def _vector_from(model: "Embedder", space: VectorSpace, text: str) -> "NDArray[np.float32]":
    if model.model_id != space.model:
        raise EmbeddingError(f"{space.spec} is not the model that the index was made with")
    vector = model.embed_query(redact(text))
    if len(vector) != space.dimensions:
        raise EmbeddingError(f"{space.spec} gives {len(vector)} dimensions, but the index has {space.dimensions}")
    return vector
