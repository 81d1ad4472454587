"""Code and commits as the index stores them, redacted, and hits in them."""

from dataclasses import dataclass
from typing import NamedTuple

from repomem.core.types.code import Import, Role, Use
from repomem.core.types.commits import Episode
from repomem.core.types.text import CleanText

VECTORS = "vectors-"  # begins the name of a table of vectors


class Symbol(NamedTuple):
    """Where a symbol is defined within a file: what a line of a brief needs of a Definition.

    This and IndexedChunk are tuples, for they come from the workers by the hundred thousand, and a dataclass takes
    three times as long to cross a process border.
    """

    qualified: str
    kind: str
    start_line: int
    end_line: int
    signature: str


class IndexedChunk(NamedTuple):
    """A chunk as the store keeps it: redacted, and belonging to a file version."""

    version: int
    ordinal: int  # its place among the chunks of its file, from 0
    start_line: int
    end_line: int
    symbol: str
    kind: str
    signature: str
    docstring: str
    sites: tuple[Symbol, ...]  # the definitions that start in these lines, in order
    text: CleanText
    words: str = ""  # space-joined, see core.words; not read back where a chunk is only shown
    uses: str = ""  # packed, see core.packed_uses; nor is this


class FileUses(NamedTuple):
    """What a file version imports, with the definitions and uses of the names that were asked for."""

    version: int
    sites: tuple[Symbol, ...]
    imports: tuple[Import, ...]
    uses: tuple[Use, ...]


@dataclass(frozen=True, slots=True)
class IndexedEpisode:
    """An episode as the store keeps it: redacted, numbered."""

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
    words: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A search result, and why it matches."""

    file: IndexedFile
    chunk: IndexedChunk
    score: float  # 1 is the best that the signals could say of one file; comparable within one answer only
    why: tuple[str, ...]  # the signals that speak for it, strongest first
