"""Divides a file into runs of lines by its outline, as the first step of chunking.

A run is a small definition, the head of a large one, or the lines between. Lines end only at line feeds and are counted
from 0; a blank line contains only ASCII white space.
"""

from dataclasses import dataclass, field
from itertools import accumulate

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.code import Definition, Outline

WHOLE_BYTES = 2_400  # about 600 tokens: as much as an embedding can represent
MEMBER_BYTES = 200  # a longer field or property (a table, an accessor) is read on its own
OPENING_LINES = 8  # an `impl` with its conditions; longer ones are separate code
MEMBER_KINDS = frozenset({"field", "property", "constant", "variable"})  # the head of a class with its documentation
_LEAD = lazy_pattern(rb"\s*(?://|/\*|\*|@|--|;|%|<!--|#(?!include|define|undef|if|el|endif|import|pragma)|\[)")
CLOSING = lazy_pattern(rb"[\s)\]},;]*(?:(?:end\b|#\s*endif\b[^\n]*)[\s)\]},;]*)*\Z")
_BLOCKS = (
    # the end of a doc block's last line, and its first line: the lines between have no marker
    (b"*/", lazy_pattern(rb"\s*/\*")),
    (b'"""', lazy_pattern(rb'\s*@\w+ .*"""\s*\Z')),
)


@dataclass(frozen=True, slots=True)
class Source:
    """A file's bytes and the offsets of its lines, with the end of the file as the last offset."""

    data: bytes
    lines: list[bytes]
    starts: list[int]

    @classmethod
    def of(cls, data: bytes) -> "Source":
        lines = data.split(b"\n")
        return cls(data, lines, list(accumulate((len(line) + 1 for line in lines), initial=0)))

    def size(self, first: int, last: int) -> int:
        """Bytes from the start of `first` to the end of `last`, without the final line feed."""
        return self.starts[last + 1] - self.starts[first] - 1

    def is_blank(self, line: int) -> bool:
        return not self.lines[line].strip()

    def trimmed(self, first: int, last: int) -> tuple[int, int]:
        """The lines without blank lines at both ends; first > last if none is left."""
        while first <= last and self.is_blank(first):
            first += 1
        while first <= last and self.is_blank(last):
            last -= 1
        return first, last


@dataclass(frozen=True, slots=True)
class Run:
    """Lines that belong together. `weight` is the number of bytes of `about` in them; 0 between definitions."""

    first: int
    last: int
    about: Definition | None
    parent: Definition | None
    weight: int


@dataclass(frozen=True, slots=True)
class _Open:
    """A definition too large for one run; `first` is its first line with the comments above it."""

    first: int
    start: int
    last: int
    definition: Definition


def usable_definitions(outline: Outline, lines: int) -> list[Definition]:
    """The definitions with a span in this file, outer ones before inner ones."""
    usable = [d for d in outline.definitions if 1 <= d.start_line <= min(d.end_line, lines)]
    return sorted(usable, key=lambda d: (d.start_line, -d.end_line))


@dataclass(slots=True)
class Layout:
    """One walk over the definitions that turns a file into runs; lines before `position` are laid out."""

    source: Source
    position: int = 0
    enclosing: list[_Open] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)

    def runs_of(self, definitions: list[Definition]) -> list[Run]:
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
        """Close definitions that end before `last`; overlapping spans are cut, and shared lines go to the later one."""
        while self.enclosing and self.enclosing[-1].last < last:
            self._fill(min(self.enclosing[-1].last, first - 1))
            self.enclosing.pop()

    def _fill(self, last: int) -> None:
        """Add runs for the lines up to `last` outside inner definitions: a head, or lines between."""
        first, end = self.source.trimmed(self.position, last)
        if first <= end:
            about = self.enclosing[-1].definition if self.enclosing else None
            weight = self.source.size(first, end) if self._is_in_head() else 0
            self.runs.append(Run(first, end, about, about, weight))
        self.position = max(self.position, last + 1)

    def _is_in_head(self) -> bool:
        return bool(self.enclosing) and self.position == self.enclosing[-1].first

    def _enter(self, definition: Definition, first: int, last: int) -> None:
        size = self.source.size(first, last)
        outer = self.enclosing[-1] if self.enclosing else None
        if outer and _is_part_of_head(definition, size, starts_with_outer=first <= outer.start):
            return
        lead = self._lead(first)
        if size <= WHOLE_BYTES < self.source.size(lead, last):  # a comment longer than its code is a separate chunk
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
            self.runs.append(Run(first, last, definition, parent, self.source.size(first, last)))

    def _lead(self, first: int) -> int:
        """The first of the lines directly above a definition that belong to it: comments, decorators, openings."""
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
    """The first of the lines directly above `first` that open its block, such as `impl … {` and `try:`."""
    start = first
    if first > floor and indentation(lines[first - 1]) < indentation(lines[first]):
        while start > max(floor, first - OPENING_LINES) and not CLOSING.match(lines[start - 1]):
            start -= 1
    return start


def indentation(line: bytes) -> int:
    return len(line) - len(line.lstrip())


def _block_start(lines: list[bytes], floor: int, last: int) -> int | None:
    """The first line of the doc block that ends at `last`; None without one."""
    text = lines[last].rstrip()
    for ending, opening in _BLOCKS:
        if text.endswith(ending):
            return next((line for line in range(last, floor - 1, -1) if opening.match(lines[line])), None)
    return None


def _is_part_of_head(definition: Definition, size: int, *, starts_with_outer: bool) -> bool:
    """Whether a definition is shown with its enclosing one: short fields, and definitions in its first line."""
    if definition.kind in MEMBER_KINDS and size <= MEMBER_BYTES:
        return True
    return starts_with_outer and size <= WHOLE_BYTES
