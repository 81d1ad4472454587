"""The values that the catalog stores, and how lists of ids and word statistics are packed."""

import zlib
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from repomem.core.digests import short_digest
from repomem.core.errors import StoreDamaged, StoreError
from repomem.core.types.code import Role
from repomem.core.word_statistics import WordStatistics


class FileVersion(NamedTuple):
    """One content of one file. Tens of thousands are read at a time, hence a tuple."""

    id: int  # reserved before the chunks are stored
    path: str
    blob: str
    role: Role
    language: str
    left_out: str = ""  # why the file has no chunks; empty if it has some
    lines: int = 0
    bytes: int = 0
    chunks: int = 0


@dataclass(frozen=True, slots=True)
class View:
    """The live file versions of a worktree, with the word statistics of their chunks and of their files."""

    versions: tuple[int, ...]
    chunk_words: WordStatistics
    file_words: WordStatistics

    @property
    def id(self) -> str:
        """A digest of the version ids: worktrees with the same files share one view."""
        return short_digest(pack_ids(self.versions), 12)


@dataclass(frozen=True, slots=True)
class History:
    """The episodes reachable from a head, newest first, and their word statistics."""

    head: str
    episodes: tuple[int, ...]
    words: WordStatistics


@dataclass(frozen=True, slots=True)
class Worktree:
    """The state of a worktree when it was last indexed."""

    root: str
    view: str
    history: str
    fingerprint: str
    report: str = "{}"  # the files left out and why, as JSON
    facts: str = "[]"  # facts read from the repository's files, as JSON
    brief: str = ""  # the brief without a query, ready to print, as JSON
    profile: str = "[]"  # the lines of the repository's profile, as JSON
    decisions: str = "[]"  # the contents of its decision files, as JSON


@dataclass(frozen=True, slots=True)
class TableStamp:
    """The state of a LanceDB table after the last transaction; an intact table is at least as new."""

    version: int
    rows: int


def pack_ids(ids: Sequence[int]) -> bytes:
    """Ids as 32-bit integers."""
    try:
        return array("i", ids).tobytes()
    except OverflowError as error:
        raise StoreError("the index has no ids left", "run repomem index --rebuild") from error


def unpack_ids(data: bytes) -> tuple[int, ...]:
    """The inverse of `pack_ids`."""
    return unpack_numbers(data, "i")


def unpack_numbers(data: bytes, code: str) -> tuple[int, ...]:
    """The numbers of an array with this type code."""
    numbers: array[int] = array(code)
    try:
        numbers.frombytes(data)
    except ValueError as error:
        raise StoreDamaged("the catalog is damaged: a list of numbers is cut short", "run repomem index") from error
    return tuple(numbers)


def unpack_statistics(data: bytes) -> WordStatistics:
    """The inverse of `WordStatistics.to_bytes`."""
    try:
        return WordStatistics.from_bytes(data)
    except (zlib.error, ValueError) as error:
        raise StoreDamaged("the catalog is damaged: word statistics cannot be read", "run repomem index") from error
