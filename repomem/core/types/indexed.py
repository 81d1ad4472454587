"""Redacted code and commits as the index stores them, and search hits."""

from dataclasses import dataclass
from typing import NamedTuple

from repomem.core.types.code import Import, Role, Use
from repomem.core.types.commits import Episode
from repomem.core.types.text import CleanText

VECTORS = "vectors-"  # prefix of the names of vector tables


class Symbol(NamedTuple):
    """The definition of a symbol in a file, with the fields that a brief needs.

    This and IndexedChunk are tuples because workers send hundreds of thousands, and pickling a dataclass takes three
    times as long.
    """

    qualified: str
    kind: str
    start_line: int
    end_line: int
    signature: str


class IndexedChunk(NamedTuple):
    """A stored chunk of a file version, redacted."""

    version: int
    ordinal: int  # its index among the chunks of its file, from 0
    start_line: int
    end_line: int
    symbol: str
    kind: str
    signature: str
    docstring: str
    sites: tuple[Symbol, ...]  # the definitions that start in these lines, in order
    text: CleanText
    words: str = ""  # space-joined, see core.text.words; empty when read only for display
    uses: str = ""  # see core.encoded_uses; empty when read only for display

    @property
    def other_definitions(self) -> int:
        """How many definitions start in these lines beside that of `symbol`, without those inside another."""
        outer: list[Symbol] = []
        for site in self.sites:
            if not outer or site.start_line > outer[-1].end_line:
                outer.append(site)
        return sum(site.qualified != self.symbol and not site.qualified.startswith(f"{self.symbol}.") for site in outer)


class FileUses(NamedTuple):
    """The imports of a file version, and its definitions and uses of the requested names."""

    version: int
    sites: tuple[Symbol, ...]
    imports: tuple[Import, ...]
    uses: tuple[Use, ...]


@dataclass(frozen=True, slots=True)
class IndexedEpisode:
    """A stored episode, redacted, with its id."""

    id: int
    episode: Episode
    words: str


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """The fields of a live file that ranking needs."""

    version: int
    path: str
    role: Role
    language: str
    chunks: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A search result, and why it matches."""

    file: IndexedFile
    chunk: IndexedChunk
    score: float  # 1 is the maximum; comparable only within one answer
    why: tuple[str, ...]  # its signals, strongest first
