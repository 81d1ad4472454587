"""Selects the symbol and the lines of a chunk that a question is about."""

import re
from collections.abc import Iterator, Sequence

from repomem.core.types.indexed import IndexedChunk, Symbol
from repomem.core.words import stem, stems_of, whole
from repomem.ranking.definitions import WantedWords
from repomem.ranking.query import Query

NAME_POINTS = 3.0  # for a symbol that the question spells; sharing a word counts 1
MINOR_KINDS = frozenset(["constant", "variable", "field", "property", "key"])
MINOR_FACTOR = 0.4  # a constant shares words with its users, which the task is about
MOST_LINES = 12
COMMENT_FACTOR = 0.3  # for comment and docstring lines: tasks are about code
_COMMENT = re.compile(r"\s*(?://|/?\*|#|--|;;|%%|<!--)")
_DOCSTRING = re.compile(r'\s*[rR]?("""|\'\'\')')
MARGIN = 2  # lines shown before and after the matching lines


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


def _factors(lines: Sequence[str]) -> Iterator[float]:
    """The factor of each line."""
    is_docstring = False
    for line in lines:
        opens = line.count('"""') + line.count("'''")
        yield COMMENT_FACTOR if is_docstring or opens or _COMMENT.match(line) else 1.0
        is_docstring ^= opens % 2 == 1


def snippet(wanted: WantedWords, chunk: IndexedChunk, site: Symbol | None = None) -> tuple[int, Sequence[str]]:
    """The first line's number and at most MOST_LINES lines of the chunk, or of the site in it, that match best.

    Longer code is shown without signature and docstring: the brief has them above the snippet.
    """
    lines = chunk.text.split("\n")
    first = chunk.start_line
    if site:
        first = max(site.start_line, chunk.start_line)
        lines = lines[first - chunk.start_line : site.end_line - chunk.start_line + 1]
    if len(lines) <= MOST_LINES:
        return first, lines
    if site and first == site.start_line:
        header = _header_length(lines, site.signature)
        first, lines = first + header, lines[header:]
    points = [wanted.weight_in(line) * factor for line, factor in zip(lines, _factors(lines), strict=True)]
    windows = range(max(len(lines) - MOST_LINES, 0) + 1)
    best = max(windows, key=lambda start: (sum(points[start : start + MOST_LINES]), -start))
    matching = [at for at in range(best, min(best + MOST_LINES, len(lines))) if points[at] > 0]
    if not matching:
        return first, lines[:MOST_LINES]
    start, end = max(best, matching[0] - MARGIN), min(best + MOST_LINES, matching[-1] + MARGIN + 1)
    return first + start, lines[start:end]


def _header_length(lines: Sequence[str], signature: str) -> int:
    """The number of lines of signature and docstring; 0 if no others would be left."""
    count, text = 0, ""
    while count < len(lines) and len(text) < len(signature):
        text = " ".join(f"{text} {lines[count]}".split())
        count += 1
    if count < len(lines) and (opened := _DOCSTRING.match(lines[count])):
        is_one_line = lines[count].count(opened[1]) > 1
        ends = (at for at in range(count + (not is_one_line), len(lines)) if opened[1] in lines[at])
        count = next(ends, count - 1) + 1
    return count if count < len(lines) else 0
