"""Code search: question -> candidates and evidence -> ranking -> hits."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from repomem.core.threads import beside
from repomem.core.types import Hit
from repomem.history.episodes import HistoryMatches, match_history
from repomem.ranking.gather import BY_VECTOR, BY_WORDS, Evidence, gather
from repomem.ranking.query import Query
from repomem.ranking.rank import hits
from repomem.ranking.signals import SEARCH, Weights
from repomem.recall.question_vector import QuestionVector, question_vector
from repomem.workspace.snapshot import BegunSearch, LiveCode, Scope, Snapshot

if TYPE_CHECKING:
    from repomem.adapters.lance.tables import Store


def begin_search(snapshot: Snapshot, query: Query, scope: Scope) -> LiveCode:
    """The code in scope, with the candidate searches for the question begun in threads: history is read meanwhile."""
    corpus = snapshot.corpus(scope)
    versions, vector = snapshot.code(corpus).versions, question_vector(snapshot.workspace, query.text)
    words = corpus.chunk_words.telling(query.search_words)
    store = snapshot.workspace.store  # opened here, not in a thread: its check reads the catalog
    by_words = beside(lambda: store.search_words("chunks", words, versions, BY_WORDS))
    by_vector = beside(lambda: _nearest(store, vector, versions))
    return LiveCode(snapshot.workspace, versions, BegunSearch(by_words, by_vector))


def _nearest(store: "Store", vector: QuestionVector | None, versions: Sequence[int] | None) -> list[tuple[int, float]]:
    return store.search_vector(vector.table, vector.numbers, versions, BY_VECTOR) if vector else []


def evidence_for(
    snapshot: Snapshot, query: Query, scope: Scope, past: HistoryMatches, code: LiveCode | None = None
) -> Evidence:
    """What words, vectors, paths and earlier commits say about the files in scope; `code` may be searched already."""
    corpus = snapshot.corpus(scope)
    vector = question_vector(snapshot.workspace, query.text)
    numbers = vector.numbers if vector else None
    return gather(query, corpus, code or snapshot.code(corpus), numbers, past.votes, past.recency)


def search(snapshot: Snapshot, text: str, scope: Scope, limit: int, weights: Weights = SEARCH) -> Sequence[Hit]:
    """The `limit` best chunks for a question, best first."""
    query = Query(text)
    code = begin_search(snapshot, query, scope)
    evidence = evidence_for(snapshot, query, scope, match_history(snapshot, query, is_shown=False), code)
    return hits(query, evidence, weights, snapshot.code(snapshot.corpus(scope)), limit)
