"""A file as chunks: runs of whole lines, cut where the syntax allows it.

Three steps, each linear in the lines: the outline lays the file out as runs (a definition that fits, the head of one
that does not, the lines between), runs that are too large are cut into pieces, and small neighbours are packed.
Lines end at line feeds alone and are counted from 0 in here; a blank line holds nothing but ASCII white space.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from repomem.core.types.code import Chunk, Definition, Outline

WHOLE_BYTES = 2_400  # about 600 tokens: what a reader takes in at once and an embedding can represent
PACKED_BYTES = 1_200  # half of that: neighbours share a chunk only while each still shows in it
LIMIT_BYTES = 4_000  # for single lines, which nothing but a character boundary can cut
TAIL_BYTES = WHOLE_BYTES // 4  # the last piece of a large run is no leftover of two lines
MEMBER_BYTES = 200  # a longer field or property (a table, an accessor) is read on its own
SCRAP_BYTES = 80  # `module A` or brackets alone are not worth a chunk
OPENING_LINES = 8  # an `impl` with its conditions; more is code of its own

MEMBER_KINDS = frozenset({"field", "property", "constant", "variable"})  # what a class says about itself in its head

_LEAD = re.compile(rb"\s*(?://|/\*|\*|@|--|;|%|<!--|#(?!include|define|undef|if|el|endif|import|pragma)|\[)")
_CLOSING = re.compile(rb"[\s)\]},;]*(?:(?:end\b|#\s*endif\b[^\n]*)[\s)\]},;]*)*\Z")
_GOES_ON = re.compile(rb"\s*(?:[)\]}]|(?:end|el(?:se|s?if)|except|finally|catch|rescue|ensure|then|fi|done|esac)\b)")
_BLOCKS = (
    # how the last line of a doc block ends, and how its first one looks: the lines between bear no mark
    (b"*/", re.compile(rb"\s*/\*")),
    (b'"""', re.compile(rb'\s*@\w+ .*"""\s*\Z')),
)


@dataclass(frozen=True, slots=True)
class _Source:
    """A file's bytes and where its lines start; `starts` has one entry more than there are lines."""

    data: bytes
    lines: list[bytes]
    starts: list[int]

    @classmethod
    def of(cls, data: bytes) -> "_Source":
        lines = data.split(b"\n")
        return cls(data, lines, list(accumulate((len(line) + 1 for line in lines), initial=0)))

    def size(self, first: int, last: int) -> int:
        """Bytes from the start of `first` to the end of `last`, without the final line feed."""
        return self.starts[last + 1] - self.starts[first] - 1

    def is_blank(self, line: int) -> bool:
        return not self.lines[line].strip()

    def trimmed(self, first: int, last: int) -> tuple[int, int]:
        """The lines without the blank ones at both ends; first > last where nothing is left."""
        while first <= last and self.is_blank(first):
            first += 1
        while first <= last and self.is_blank(last):
            last -= 1
        return first, last


@dataclass(frozen=True, slots=True)
class _Run:
    """Lines that belong together. `weight` is how many bytes of them are `about` itself: 0 for lines in between."""

    first: int
    last: int
    about: Definition | None
    parent: Definition | None
    weight: int


@dataclass(frozen=True, slots=True)
class _Open:
    """A definition too large to stay whole; `first` is its first line with the comments above it."""

    first: int
    start: int
    last: int
    definition: Definition


def chunks_of(data: bytes, outline: Outline | None) -> tuple[Chunk, ...]:
    """The chunks of a file, in order: every line that is not blank is in exactly one.

    `data` is valid UTF-8. Without an outline, or without definitions in it, windows of lines that end at blank lines.
    A chunk has no line feed at its end. Only a line over `LIMIT_BYTES` is shared by several chunks, piece by piece.
    Spans that make no sense cost precision, never an error.
    """
    source = _Source.of(data)
    definitions = _usable(outline, len(source.lines)) if outline else []
    starts = [definition.start_line - 1 for definition in definitions]
    chunks: list[Chunk] = []
    for run in _packed(source, _pieces(source, _Layout(source).runs_of(definitions))):
        inside = definitions[bisect_left(starts, run.first) : bisect_right(starts, run.last)]
        chunks.extend(_chunks_of_run(source, run, inside))
    return tuple(chunks)


def _usable(outline: Outline, lines: int) -> list[Definition]:
    """The definitions with a span in this file, outer ones before inner ones."""
    usable = [d for d in outline.definitions if 1 <= d.start_line <= min(d.end_line, lines)]
    return sorted(usable, key=lambda d: (d.start_line, -d.end_line))


@dataclass(slots=True)
class _Layout:
    """One walk over the definitions that turns a file into runs; lines before `position` are laid out."""

    source: _Source
    position: int = 0
    enclosing: list[_Open] = field(default_factory=list)
    runs: list[_Run] = field(default_factory=list)

    def runs_of(self, definitions: list[Definition]) -> list[_Run]:
        end = len(self.source.lines) - 1
        for definition in definitions:
            first, last = definition.start_line - 1, min(definition.end_line - 1, end)
            if last >= self.position:
                self._leave_before(first, last)
                self._enter(definition, max(first, self.position), last)
        self._leave_before(end + 1, end + 1)
        self._fill(end)
        return self.runs

    def _leave_before(self, first: int, last: int) -> None:
        """Close what ends before `last`; spans that cross are cut, and the shared lines go to the later one."""
        while self.enclosing and self.enclosing[-1].last < last:
            self._fill(min(self.enclosing[-1].last, first - 1))
            self.enclosing.pop()

    def _fill(self, last: int) -> None:
        """Lay out the lines up to `last` outside inner definitions: a head, or what is in between."""
        first, end = self.source.trimmed(self.position, last)
        if first <= end:
            about = self.enclosing[-1].definition if self.enclosing else None
            weight = self.source.size(first, end) if self._is_in_head() else 0
            self.runs.append(_Run(first, end, about, about, weight))
        self.position = max(self.position, last + 1)

    def _is_in_head(self) -> bool:
        return bool(self.enclosing) and self.position == self.enclosing[-1].first

    def _enter(self, definition: Definition, first: int, last: int) -> None:
        size = self.source.size(first, last)
        outer = self.enclosing[-1] if self.enclosing else None
        if outer and _is_part_of_head(definition, size, starts_with_outer=first <= outer.start):
            return
        lead = self._lead(first)
        if size <= WHOLE_BYTES < self.source.size(lead, last):  # a comment longer than its code is a chunk of its own
            self._add(definition, lead, first - 1, outer)
            lead = first
        if size <= WHOLE_BYTES:
            self._add(definition, lead, last, outer)
        else:
            self._fill(lead - 1)
            self.enclosing.append(_Open(lead, first, last, definition))

    def _add(self, definition: Definition, first: int, last: int, outer: _Open | None) -> None:
        self._fill(first - 1)
        self.position = last + 1
        first, last = self.source.trimmed(first, last)
        if first <= last:
            parent = outer.definition if outer else None
            self.runs.append(_Run(first, last, definition, parent, self.source.size(first, last)))

    def _lead(self, first: int) -> int:
        """Where the lines directly above a definition begin that are about it: comments, decorators, openings."""
        if self._is_in_head():  # the lines above belong to the definition around it, comments apart
            return _comments_start(self.source.lines, max(self.position, self.enclosing[-1].start + 1), first)
        start = _comments_start(self.source.lines, self.position, first)
        return _opening_start(self.source.lines, self.position, start)


def _comments_start(lines: list[bytes], floor: int, first: int) -> int:
    line = first
    while line > floor:
        block = _block_start(lines, floor, line - 1)
        if block is not None:
            line = block
        elif _LEAD.match(lines[line - 1]):
            line -= 1
        else:
            break
    return line


def _opening_start(lines: list[bytes], floor: int, first: int) -> int:
    """The first of the lines directly above that open the block of `first`, such as `impl … {` and `try:`."""
    start = first
    if first > floor and _indentation(lines[first - 1]) < _indentation(lines[first]):
        while start > max(floor, first - OPENING_LINES) and not _CLOSING.match(lines[start - 1]):
            start -= 1
    return start


def _indentation(line: bytes) -> int:
    return len(line) - len(line.lstrip())


def _block_start(lines: list[bytes], floor: int, last: int) -> int | None:
    """Where the doc block begins whose last line is `last`; None where no block ends there."""
    text = lines[last].rstrip()
    for ending, opening in _BLOCKS:
        if text.endswith(ending):
            return next((line for line in range(last, floor - 1, -1) if opening.match(lines[line])), None)
    return None


def _is_part_of_head(definition: Definition, size: int, *, starts_with_outer: bool) -> bool:
    """Whether a definition is shown with the enclosing one: its short fields, and what is in its first line."""
    if definition.kind in MEMBER_KINDS and size <= MEMBER_BYTES:
        return True
    return starts_with_outer and size <= WHOLE_BYTES


def _pieces(source: _Source, runs: list[_Run]) -> Iterator[_Run]:
    """The runs, those over `WHOLE_BYTES` cut into pieces; only a single line stays larger."""
    for run in runs:
        first = run.first
        while first < run.last and source.size(first, run.last) > WHOLE_BYTES:
            cut = _cut(source, first, run.last)
            start, end = source.trimmed(first, cut - 1)
            weight = source.size(start, end) if run.weight else 0
            yield _Run(start, end, run.about, run.parent, weight)
            first, _ = source.trimmed(cut, run.last)
        weight = source.size(first, run.last) if run.weight else 0
        yield _Run(first, run.last, run.about, run.parent, weight)


def _cut(source: _Source, first: int, last: int) -> int:
    """The line at which the next piece starts: after a blank line, else the least indented, else the farthest."""
    origin = source.starts[first]
    reach = min(WHOLE_BYTES, source.size(first, last) - TAIL_BYTES)
    farthest = max(first + 1, bisect_right(source.starts, origin + reach + 1) - 1)
    nearest = min(farthest, max(first + 1, bisect_left(source.starts, origin + WHOLE_BYTES // 2)))
    best, best_rank = farthest, (True, True, 0)
    for line in range(farthest, nearest - 1, -1):
        text = source.lines[line]
        indent = _indentation(text)
        if indent == len(text):
            continue
        rank = (not source.is_blank(line - 1), _GOES_ON.match(text) is not None, indent)
        if line == farthest or rank < best_rank:
            best, best_rank = line, rank
    return best


def _packed(source: _Source, runs: Iterator[_Run]) -> Iterator[_Run]:
    """Small neighbours under one parent become one run, about the largest definition in it."""
    pack: _Run | None = None
    for run in runs:
        if pack and _belongs(source, pack, run):
            heavier = run if run.weight > pack.weight else pack
            parent = run.parent if _is_bare_head(source, pack) else pack.parent
            pack = _Run(pack.first, run.last, heavier.about, parent, heavier.weight)
            continue
        if pack:
            yield pack
        pack = run
    if pack:
        yield pack


def _belongs(source: _Source, pack: _Run, run: _Run) -> bool:
    """Whether a run goes into the pack before it: small ones of one parent, and scraps to where they open or close."""
    size = source.size(pack.first, run.last)
    if size <= PACKED_BYTES and pack.parent is run.parent:
        return True
    if size <= WHOLE_BYTES and _is_bare_head(source, pack) and pack.about and run.first < pack.about.end_line:
        return True
    if size > LIMIT_BYTES or source.size(run.first, run.last) > SCRAP_BYTES:
        return False
    return _CLOSING.match(source.data, source.starts[run.first], source.starts[run.last + 1] - 1) is not None


def _is_bare_head(source: _Source, run: _Run) -> bool:
    is_head = run.weight > 0 and run.about is run.parent
    return is_head and source.size(run.first, run.last) <= SCRAP_BYTES


def _chunks_of_run(source: _Source, run: _Run, inside: list[Definition]) -> Iterator[Chunk]:
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
    """Where the pieces of one long line start, none in the middle of a UTF-8 character."""
    edges = [start]
    while end - edges[-1] > LIMIT_BYTES:
        edge = edges[-1] + LIMIT_BYTES
        while data[edge] & 0xC0 == 0x80:  # a continuation byte
            edge -= 1
        edges.append(edge)
    return edges


def _chunk(source: _Source, run: _Run, start: int, end: int, inside: list[Definition]) -> Chunk:
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
