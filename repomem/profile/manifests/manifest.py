"""The text of one manifest or policy file, and facts with line numbers from it. The readers parse the formats."""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from repomem.core.text.escape import one_line
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.brief import Fact

MAX_FACT_CHARS = 160  # one line of a brief
SEPARATOR = "; "
_ENTERS_FOLDER = lazy_pattern(r"(?:^|[;&] ?)(?:cd|pushd) ")
PLACEHOLDER = lazy_pattern(r"v?0+(?:\.0+)*(?:$|[-+])|\D*$|.*\s")  # 0.0.0, 0.0.0-development, a text


@dataclass(frozen=True, slots=True)
class Manifest:
    """A file that describes its repository; its lines end with a newline alone."""

    path: str
    text: str
    paths: Collection[str] = ()  # every live file of the repository

    @property
    def lines(self) -> list[str]:
        """The lines as git counts them: only a newline ends one."""
        return self.text.split("\n")

    def fact(self, slot: str, text: str, line: int, end_line: int = 0) -> Fact:
        """The fact, on one line of at most MAX_FACT_CHARS characters; without `end_line` it spans `line` alone."""
        return Fact(slot, one_line(text, MAX_FACT_CHARS), self.path, line, max(line, end_line))


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A piece of text and its lines; without `end_line`, just `line`."""

    text: str
    line: int
    end_line: int = 0


Reader = Callable[[Manifest], Iterable[Fact]]


class LineIndex:
    """Line numbers for offsets in one text; built once, since counting for each offset is quadratic."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]

    def at(self, offset: int) -> int:
        """The number of the line, from 1, with the character at `offset`."""
        return bisect_right(self._starts, offset)


def real_version(version: str) -> str:
    """A version; empty if it is a placeholder that a release tool replaces."""
    return "" if PLACEHOLDER.match(version.strip()) else version


def joined(manifest: Manifest, slot: str, excerpts: Sequence[Excerpt]) -> list[Fact]:
    """One fact from the distinct excerpts that fit on a line; empty without any.

    Of several, each command that enters a folder does so in a shell of its own, so that the line can be run as it is.
    """
    are_several = len({piece.text for piece in excerpts}) > 1
    kept: dict[str, Excerpt] = {}
    for piece in excerpts:
        text = one_line(_in_subshell(piece.text) if are_several else piece.text, MAX_FACT_CHARS)
        if text and (not kept or len(SEPARATOR.join([*kept, text])) <= MAX_FACT_CHARS):
            kept.setdefault(text, piece)
    if not kept:
        return []
    first = min(piece.line for piece in kept.values())
    last = max(max(piece.line, piece.end_line) for piece in kept.values())
    return [manifest.fact(slot, SEPARATOR.join(kept), first, last)]


def _in_subshell(command: str) -> str:
    """A command that enters a folder in parentheses, without what it runs; any other as it is."""
    call, arrow, runs = command.partition(" → ")
    return f"({call}){arrow}{runs}" if _ENTERS_FOLDER.search(call) else command
