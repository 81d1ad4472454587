"""What goes to a worker process and what comes back. Apart from the parsing, so that the parent loads no grammar."""

from collections.abc import Mapping
from dataclasses import dataclass

from repomem.core.types import IndexedChunk, Role


@dataclass(frozen=True, slots=True)
class FileTask:
    """A file to parse; `leave_out` are the roles that are not indexed.

    `entry` is what the pool says of it, empty where it says nothing; `wants_entry` asks for one that the pool may have.
    """

    path: str
    data: bytes
    attributes: Mapping[str, str]
    leave_out: frozenset[Role]
    entry: bytes = b""
    wants_entry: bool = False


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """What a file holds; `left_out` is the reason why it has no chunks, or empty. Chunks have version 0.

    `entry` is for the pool, where it was asked for. `is_refused`: the pool's entry was not what the file bears out.
    """

    role: Role
    language: str
    left_out: str = ""
    lines: int = 0
    chunks: tuple[IndexedChunk, ...] = ()
    entry: bytes = b""
    is_taken: bool = False  # the chunks are those of the pool's entry
    is_refused: bool = False
