"""Messages to and from a parse worker. Apart from the parsing, so that the parent loads no grammar."""

from collections.abc import Mapping
from dataclasses import dataclass

from repomem.core.types.code import Role
from repomem.core.types.indexed import IndexedChunk


@dataclass(frozen=True, slots=True)
class FileTask:
    """A file to parse; roles in `leave_out` are not indexed.

    `entry` is its outline from shared storage, or empty; `wants_entry` asks for one to upload.
    """

    path: str
    data: bytes
    attributes: Mapping[str, str]
    leave_out: frozenset[Role]
    entry: bytes = b""
    wants_entry: bool = False


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """A parsed file; `left_out` is the reason why it has no chunks, or empty. Chunks have version 0.

    `entry` is its outline for shared storage, if asked for. `is_refused`: the shared outline contradicted the file.
    """

    role: Role
    language: str
    left_out: str
    lines: int = 0
    chunks: tuple[IndexedChunk, ...] = ()
    entry: bytes = b""
    is_taken: bool = False  # the chunks come from the shared outline
    is_refused: bool = False
