"""One manifest or policy file as text, and the facts that are cut from it at a line.

Nothing here knows a format: the readers beside this module do.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from repomem.core.types.brief import Fact

MAX_FACT_CHARS = 160  # one line of a brief
SEPARATOR = "; "


@dataclass(frozen=True, slots=True)
class Manifest:
    """A file that says something about its repository; its lines end with a bare newline."""

    path: str
    text: str

    @property
    def lines(self) -> list[str]:
        """Lines as git counts them: only a newline ends one."""
        return self.text.split("\n")

    def fact(self, slot: str, text: str, line: int, end_line: int = 0) -> Fact:
        """Give the fact on one line of at most 160 characters; without `end_line` it spans `line` alone."""
        return Fact(slot, one_line(text), self.path, line, max(line, end_line))


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A piece of text and its lines; without `end_line`, just `line`."""

    text: str
    line: int
    end_line: int = 0


Reader = Callable[[Manifest], Iterable[Fact]]


class LineIndex:
    """Line numbers for offsets in one text; built once, since counting afresh is quadratic."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]

    def at(self, offset: int) -> int:
        """Give the line, from 1, that holds the character at `offset`."""
        return bisect_right(self._starts, offset)


def one_line(text: str, limit: int = MAX_FACT_CHARS) -> str:
    """Give `text` with its white space folded, cut to `limit` characters with an ellipsis."""
    folded = " ".join(text.split())
    return folded if len(folded) <= limit else folded[: limit - 1].rstrip() + "…"


def joined(manifest: Manifest, slot: str, said: Sequence[Excerpt]) -> list[Fact]:
    """Give one fact from several pieces, or none: distinct pieces are added while they fit on a line."""
    kept: dict[str, Excerpt] = {}
    for piece in said:
        text = one_line(piece.text)
        if text and (not kept or len(SEPARATOR.join([*kept, text])) <= MAX_FACT_CHARS):
            kept.setdefault(text, piece)
    if not kept:
        return []
    first = min(piece.line for piece in kept.values())
    last = max(max(piece.line, piece.end_line) for piece in kept.values())
    return [manifest.fact(slot, SEPARATOR.join(kept), first, last)]
