"""From a chunk to the place in it that a question is about: the symbol, and the lines worth showing."""

import re
from collections.abc import Iterator, Sequence

from repomem.core.types import IndexedChunk, Site
from repomem.core.words import STEM, stem, whole, words_of
from repomem.retrieve.query import Query

NAME_POINTS = 3.0  # a symbol that the question spells, against one that shares a word with it
MINOR_KINDS = frozenset(["constant", "variable", "field", "property", "key"])
MINOR_FACTOR = 0.4  # a constant shares words with what uses it; the task is about the latter
MOST_LINES = 12
COMMENT_FACTOR = 0.3  # of a line of a comment or docstring: a task is about what the code does
_COMMENT = re.compile(r"\s*(?://|/?\*|#|--|;;|%%|<!--)")
MARGIN = 2  # lines shown before the first line that answers


def best_site(query: Query, chunk: IndexedChunk) -> Site | None:
    """The definition in the chunk that the question fits best; the chunk's own where none fits; None without one."""
    points = [(_site_points(query, site), -at, site) for at, site in enumerate(chunk.sites)]
    best = max(points, key=lambda point: point[:2], default=None)
    if best and best[0] > 0:
        return best[2]
    own = [site for site in chunk.sites if site.qualified == chunk.symbol]
    return own[0] if own else None


def _site_points(query: Query, site: Site) -> float:
    name = site.qualified.rpartition(".")[2]
    spelled = NAME_POINTS if whole(name) in query.names else 0.0
    points = spelled + _line_points(query, site.qualified) + 0.1 * _line_points(query, site.signature)
    return points * MINOR_FACTOR if site.kind in MINOR_KINDS else points


def _line_points(query: Query, text: str) -> float:
    stems = {stem(word) for word in words_of(text).split() if not word.startswith(STEM)}
    return sum(weight for word, weight in query.words.items() if stem(word) in stems)


def _factors(lines: Sequence[str]) -> Iterator[float]:
    """How much each line counts."""
    is_docstring = False
    for line in lines:
        opens = line.count('"""') + line.count("'''")
        yield COMMENT_FACTOR if is_docstring or opens or _COMMENT.match(line) else 1.0
        is_docstring ^= opens % 2 == 1


def snippet(query: Query, chunk: IndexedChunk, site: Site | None = None) -> tuple[int, Sequence[str]]:
    """The first line's number and at most MOST_LINES lines of the chunk, or of the site in it, that answer most."""
    lines = chunk.text.split("\n")
    if site:
        lines = lines[max(site.start_line - chunk.start_line, 0) : site.end_line - chunk.start_line + 1]
    first = max(site.start_line, chunk.start_line) if site else chunk.start_line
    points = [_line_points(query, line) * factor for line, factor in zip(lines, _factors(lines), strict=True)]
    if len(lines) <= MOST_LINES:
        return first, lines
    windows = range(len(lines) - MOST_LINES + 1)
    best = max(windows, key=lambda start: (sum(points[start : start + MOST_LINES]), -start))
    answering = [at for at in range(best, best + MOST_LINES) if points[at] > 0]
    if not answering:
        return first, lines[:MOST_LINES]
    start, end = max(best, answering[0] - MARGIN), min(best + MOST_LINES, answering[-1] + MARGIN + 1)
    return first + start, lines[start:end]
