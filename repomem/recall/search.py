"""Code search alone: question -> gather -> rank -> hits."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from repomem.core.threads import beside
from repomem.core.types import Hit
from repomem.history.episodes import Past, past_of
from repomem.ranking.gather import BY_VECTOR, BY_WORDS, Evidence, gather
from repomem.ranking.query import Query
from repomem.ranking.rank import hits
from repomem.ranking.signals import SEARCH, Weights
from repomem.recall.question_vector import QuestionVector, question_vector
from repomem.workspace.snapshot import Candidates, LiveCode, Scope, Snapshot

if TYPE_CHECKING:
    from repomem.adapters.lance.tables import Store


def begin_search(snapshot: Snapshot, text: str, scope: Scope) -> None:
    """Begin what a search waits for, the candidates: `evidence_for` picks them up once the past was read."""
    corpus = snapshot.corpus(scope)
    versions, vector = snapshot.code(corpus).versions, question_vector(snapshot.workspace, text)
    words = corpus.chunk_words.telling(Query(text).search_words)
    store = snapshot.workspace.store  # opened here: its check reads the catalog
    begun = Candidates(
        beside(lambda: store.search_words("chunks", words, versions, BY_WORDS)),
        beside(lambda: _near(store, vector, versions)),
    )
    snapshot.workspace.held.of("candidates", (snapshot.worktree, text, scope), lambda: begun)


def evidence_for(snapshot: Snapshot, query: Query, scope: Scope, past: Past) -> Evidence:
    """What words, vectors, paths and earlier commits say of the files in scope."""
    corpus = snapshot.corpus(scope)
    begun = snapshot.workspace.held.taken("candidates", (snapshot.worktree, query.text, scope))
    candidates = begun if isinstance(begun, Candidates) else None
    code = LiveCode(snapshot.workspace, snapshot.code(corpus).versions, candidates)
    vector = question_vector(snapshot.workspace, query.text)
    return gather(query, corpus, code, vector.numbers if vector else None, past.votes, past.lately)


def _near(store: "Store", vector: QuestionVector | None, versions: Sequence[int] | None) -> list[tuple[int, float]]:
    return store.search_vector(vector.table, vector.numbers, versions, BY_VECTOR) if vector else []


def search(snapshot: Snapshot, text: str, scope: Scope, limit: int, weights: Weights = SEARCH) -> Sequence[Hit]:
    """The `limit` best chunks for a question, best first."""
    query = Query(text)
    begin_search(snapshot, text, scope)
    evidence = evidence_for(snapshot, query, scope, past_of(snapshot, query, is_told=False))
    return hits(query, evidence, weights, snapshot.code(snapshot.corpus(scope)), limit)
