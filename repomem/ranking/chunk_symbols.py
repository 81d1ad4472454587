"""Selects the symbol of a chunk that a question is about."""

from repomem.core.types.indexed import IndexedChunk, Symbol
from repomem.core.words import stem, stems_of, whole
from repomem.ranking.query import Query

NAME_POINTS = 3.0  # for a symbol that the question spells; sharing a word counts 1
MINOR_KINDS = frozenset(["constant", "variable", "field", "property", "key"])
MINOR_FACTOR = 0.4  # a constant shares words with its users, which the task is about


def best_site(query: Query, chunk: IndexedChunk) -> Symbol | None:
    """The definition in the chunk that matches best, else the chunk's own; None without one."""
    points = [(_site_points(query, site), -at, site) for at, site in enumerate(chunk.sites)]
    best = max(points, key=lambda point: point[:2], default=None)
    if best and best[0] > 0:
        return best[2]
    own = [site for site in chunk.sites if site.qualified == chunk.symbol]
    return own[0] if own else None


def _site_points(query: Query, site: Symbol) -> float:
    name = site.qualified.rpartition(".")[2]
    spelled = NAME_POINTS if whole(name) in query.names else 0.0
    points = spelled + _line_points(query, site.qualified) + 0.1 * _line_points(query, site.signature)
    return points * MINOR_FACTOR if site.kind in MINOR_KINDS else points


def _line_points(query: Query, text: str) -> float:
    stems = stems_of(text)
    return sum(weight for word, weight in query.words.items() if stem(word) in stems)
