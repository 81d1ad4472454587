"""Code search alone: question -> gather -> rank -> hits."""

from collections.abc import Mapping, Sequence

from repomem.core.ports import Passage
from repomem.core.redact import redact
from repomem.core.types import Hit
from repomem.core.words import words_of
from repomem.operations.episodes import past_of
from repomem.operations.reading import Scope, Snapshot
from repomem.retrieve.gather import Evidence, gather
from repomem.retrieve.query import Query
from repomem.retrieve.rank import hits
from repomem.retrieve.signals import SEARCH, Weights


def evidence_for(snapshot: Snapshot, query: Query, scope: Scope, voted: Mapping[int, float]) -> Evidence:
    """What words, vectors, paths and earlier commits (`voted`, by version) say of the files in scope."""
    corpus = snapshot.corpus(scope)
    vector = snapshot.workspace.embedder.embed_query(Passage(redact(query.text), set(words_of(query.text).split())))
    return gather(query, corpus, snapshot.code(corpus), vector, voted)


def search(snapshot: Snapshot, text: str, scope: Scope, limit: int, weights: Weights = SEARCH) -> Sequence[Hit]:
    """The `limit` best chunks for a question, best first."""
    query = Query(text)
    evidence = evidence_for(snapshot, query, scope, past_of(snapshot, query).votes)
    return hits(query, evidence, weights, snapshot.code(snapshot.corpus(scope)), limit)
