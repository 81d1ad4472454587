"""Splits a file into chunks: whole lines, split at syntactic boundaries.

Three steps, each linear in the lines: the outline divides the file into runs (see `chunk_layout`), large runs are split
into pieces, and small neighbours are joined.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from repomem.adapters.languages.chunk_layout import (
    CLOSING,
    WHOLE_BYTES,
    Layout,
    Run,
    Source,
    indentation,
    usable_definitions,
)
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.code import Chunk, Definition, Outline

PACKED_BYTES = 1_200  # half of that: neighbours share a chunk only while each still shows in it
LIMIT_BYTES = 4_000  # for single lines, which nothing but a character boundary can cut
TAIL_BYTES = WHOLE_BYTES // 4  # keeps the last piece of a large run from being two lines long
SCRAP_BYTES = 80  # no chunk for `module A` or brackets alone


_GOES_ON = lazy_pattern(rb"\s*(?:[)\]}]|(?:end|el(?:se|s?if)|except|finally|catch|rescue|ensure|then|fi|done|esac)\b)")


def chunks_of(data: bytes, outline: Outline | None) -> tuple[Chunk, ...]:
    """The chunks of a file, in order: every line that is not blank is in exactly one.

    `data` is valid UTF-8. Without an outline, or without definitions in it, windows of lines that end at blank lines.
    A chunk has no line feed at its end. Only a line over `LIMIT_BYTES` is shared by several chunks, piece by piece.
    Spans that make no sense cost precision, never an error.
    """
    source = Source.of(data)
    definitions = usable_definitions(outline, len(source.lines)) if outline else []
    starts = [definition.start_line - 1 for definition in definitions]
    chunks: list[Chunk] = []
    for run in _packed(source, _pieces(source, Layout(source).runs_of(definitions))):
        inside = definitions[bisect_left(starts, run.first) : bisect_right(starts, run.last)]
        chunks.extend(_chunks_of_run(source, run, inside))
    return tuple(chunks)


def _pieces(source: Source, runs: list[Run]) -> Iterator[Run]:
    """The runs, with those over `WHOLE_BYTES` split into pieces; only a single line stays larger."""
    for run in runs:
        first = run.first
        while first < run.last and source.size(first, run.last) > WHOLE_BYTES:
            cut = _cut(source, first, run.last)
            start, end = source.trimmed(first, cut - 1)
            weight = source.size(start, end) if run.weight else 0
            yield Run(start, end, run.about, run.parent, weight)
            first, _ = source.trimmed(cut, run.last)
        weight = source.size(first, run.last) if run.weight else 0
        yield Run(first, run.last, run.about, run.parent, weight)


def _cut(source: Source, first: int, last: int) -> int:
    """The line at which the next piece starts: after a blank line, else the least indented, else the farthest."""
    origin = source.starts[first]
    reach = min(WHOLE_BYTES, source.size(first, last) - TAIL_BYTES)
    farthest = max(first + 1, bisect_right(source.starts, origin + reach + 1) - 1)
    nearest = min(farthest, max(first + 1, bisect_left(source.starts, origin + WHOLE_BYTES // 2)))
    best, best_rank = farthest, (True, True, 0)
    for line in range(farthest, nearest - 1, -1):
        text = source.lines[line]
        indent = indentation(text)
        if indent == len(text):
            continue
        rank = (not source.is_blank(line - 1), _GOES_ON.match(text) is not None, indent)
        if line == farthest or rank < best_rank:
            best, best_rank = line, rank
    return best


def _packed(source: Source, runs: Iterator[Run]) -> Iterator[Run]:
    """The runs, with small neighbours under one parent joined into a run about the largest definition in it."""
    pack: Run | None = None
    for run in runs:
        if pack and _belongs(source, pack, run):
            heavier = run if run.weight > pack.weight else pack
            parent = run.parent if _is_bare_head(source, pack) else pack.parent
            pack = Run(pack.first, run.last, heavier.about, parent, heavier.weight)
            continue
        if pack:
            yield pack
        pack = run
    if pack:
        yield pack


def _belongs(source: Source, pack: Run, run: Run) -> bool:
    """Whether a run joins the one before it: small runs of one parent, and fragments next to their block."""
    size = source.size(pack.first, run.last)
    if size <= PACKED_BYTES and pack.parent is run.parent:
        return True
    if size <= WHOLE_BYTES and _is_bare_head(source, pack) and pack.about and run.first < pack.about.end_line:
        return True
    if size > LIMIT_BYTES or source.size(run.first, run.last) > SCRAP_BYTES:
        return False
    return CLOSING.match(source.data, source.starts[run.first], source.starts[run.last + 1] - 1) is not None


def _is_bare_head(source: Source, run: Run) -> bool:
    is_head = run.weight > 0 and run.about is run.parent
    return is_head and source.size(run.first, run.last) <= SCRAP_BYTES


def _chunks_of_run(source: Source, run: Run, inside: list[Definition]) -> Iterator[Chunk]:
    start, end = source.starts[run.first], source.starts[run.last + 1] - 1
    if end - start <= LIMIT_BYTES:
        yield _chunk(source, run, start, end, inside)
        return
    edges = _character_edges(source.data, start, end)
    shares: list[list[Definition]] = [[] for _ in edges]
    for definition in inside:
        shares[min(max(bisect_right(edges, definition.start_byte) - 1, 0), len(edges) - 1)].append(definition)
    for left, right, share in zip(edges, [*edges[1:], end], shares, strict=True):
        if share or not source.data[left:right].isspace():
            yield _chunk(source, run, left, right, share)


def _character_edges(data: bytes, start: int, end: int) -> list[int]:
    """The starts of the pieces of one long line, never within a UTF-8 character."""
    edges = [start]
    while end - edges[-1] > LIMIT_BYTES:
        edge = edges[-1] + LIMIT_BYTES
        while data[edge] & 0xC0 == 0x80:  # a continuation byte
            edge -= 1
        edges.append(edge)
    return edges


def _chunk(source: Source, run: Run, start: int, end: int, inside: list[Definition]) -> Chunk:
    about = run.about
    return Chunk(
        start_line=run.first + 1,
        end_line=run.last + 1,
        start_byte=start,
        end_byte=end,
        text=source.data[start:end].decode(),
        symbol=about.qualified if about else "",
        kind=about.kind if about else "text",
        signature=about.signature if about else "",
        docstring=about.docstring if about else "",
        defines=tuple(definition.name for definition in inside),
    )
