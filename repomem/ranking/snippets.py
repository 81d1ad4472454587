"""From a chunk to the place in it that a question is about: the symbol, and the lines worth showing."""

import re
from collections.abc import Iterator, Sequence

from repomem.core.types import IndexedChunk, Site
from repomem.core.words import stem, stems_of, whole
from repomem.ranking.definitions import WantedWords
from repomem.ranking.query import Query

NAME_POINTS = 3.0  # a symbol that the question spells, against one that shares a word with it
MINOR_KINDS = frozenset(["constant", "variable", "field", "property", "key"])
MINOR_FACTOR = 0.4  # a constant shares words with what uses it; the task is about the latter
MOST_LINES = 12
COMMENT_FACTOR = 0.3  # of a line of a comment or docstring: a task is about what the code does
_COMMENT = re.compile(r"\s*(?://|/?\*|#|--|;;|%%|<!--)")
_DOCSTRING = re.compile(r'\s*[rR]?("""|\'\'\')')
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
    stems = stems_of(text)
    return sum(weight for word, weight in query.words.items() if stem(word) in stems)


def _factors(lines: Sequence[str]) -> Iterator[float]:
    """How much each line counts."""
    is_docstring = False
    for line in lines:
        opens = line.count('"""') + line.count("'''")
        yield COMMENT_FACTOR if is_docstring or opens or _COMMENT.match(line) else 1.0
        is_docstring ^= opens % 2 == 1


def snippet(wanted: WantedWords, chunk: IndexedChunk, site: Site | None = None) -> tuple[int, Sequence[str]]:
    """The first line's number and at most MOST_LINES lines of the chunk, or of the site in it, that answer most.

    Of a longer place the signature and the docstring are left out: the line above the snippet says what they say.
    """
    lines = chunk.text.split("\n")
    first = chunk.start_line
    if site:
        first = max(site.start_line, chunk.start_line)
        lines = lines[first - chunk.start_line : site.end_line - chunk.start_line + 1]
    if len(lines) <= MOST_LINES:
        return first, lines
    if site and first == site.start_line:
        told = _told_above(lines, site.signature)
        first, lines = first + told, lines[told:]
    points = [wanted.weight_in(line) * factor for line, factor in zip(lines, _factors(lines), strict=True)]
    windows = range(max(len(lines) - MOST_LINES, 0) + 1)
    best = max(windows, key=lambda start: (sum(points[start : start + MOST_LINES]), -start))
    answering = [at for at in range(best, min(best + MOST_LINES, len(lines))) if points[at] > 0]
    if not answering:
        return first, lines[:MOST_LINES]
    start, end = max(best, answering[0] - MARGIN), min(best + MOST_LINES, answering[-1] + MARGIN + 1)
    return first + start, lines[start:end]


def _told_above(lines: Sequence[str], signature: str) -> int:
    """How many lines the signature and the docstring below it take; none where nothing would be left."""
    told, said = 0, ""
    while told < len(lines) and len(said) < len(signature):
        said = " ".join(f"{said} {lines[told]}".split())
        told += 1
    if told < len(lines) and (opened := _DOCSTRING.match(lines[told])):
        is_one_line = lines[told].count(opened[1]) > 1
        ends = (at for at in range(told + (not is_one_line), len(lines)) if opened[1] in lines[at])
        told = next(ends, told - 1) + 1
    return told if told < len(lines) else 0
