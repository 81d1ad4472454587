"""What goes to a worker process and what comes back. Apart from the parsing, so that the parent loads no grammar."""

from collections.abc import Mapping
from dataclasses import dataclass

from repomem.core.types import IndexedChunk, Role


@dataclass(frozen=True, slots=True)
class FileTask:
    """A file to parse; `leave_out` are the roles that are not indexed."""

    path: str
    data: bytes
    attributes: Mapping[str, str]
    leave_out: frozenset[Role]


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """What a file holds; `left_out` is the reason why it has no chunks, or empty. Chunks have version 0."""

    role: Role
    language: str
    left_out: str = ""
    lines: int = 0
    chunks: tuple[IndexedChunk, ...] = ()
