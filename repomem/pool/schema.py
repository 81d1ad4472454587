"""The tables of the pool: outlines of files, and vectors; each row has its own checksum.

A table's name contains its kind, the rules by which it was made, and its writer: `KIND-STAMP-WRITER`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from repomem.core.text.lazy_pattern import lazy_pattern

ENTRIES: Final = "entries"
VECTORS: Final = "vectors"
CHECK_BYTES: Final = 8
MOST_ENTRY: Final = 1 << 20  # bytes of an entry: the largest file gives a third of it
_NAME: Final = lazy_pattern(rf"({ENTRIES}|{VECTORS})-([0-9a-z.]{{1,64}})-([0-9a-f]{{16}})")


@dataclass(frozen=True, slots=True)
class TableName:
    """The kind of a table (`ENTRIES` or `VECTORS`), its rules or model, and its writer."""

    kind: str
    stamp: str
    writer: str

    @classmethod
    def read(cls, name: str) -> Self | None:
        """A table's parsed name; None if it is not one of repomem's."""
        found = _NAME.fullmatch(name)
        return cls(*found.groups()) if found else None

    def __str__(self) -> str:
        return f"{self.kind}-{self.stamp}-{self.writer}"


def entry_schema() -> "pa.Schema":
    return pa.schema([pa.field(name, pa.binary(), nullable=False) for name in ("key", "entry", "check")])


def vector_schema(dimensions: int) -> "pa.Schema":
    return pa.schema(
        [
            pa.field("key", pa.int64(), nullable=False),
            pa.field("vector", pa.list_(pa.float16(), dimensions), nullable=False),
            pa.field("check", pa.binary(), nullable=False),
        ]
    )


def entry_table(entries: Mapping[bytes, bytes]) -> "pa.Table":
    checks = [_check(key, entry) for key, entry in entries.items()]
    return pa.table({"key": list(entries), "entry": list(entries.values()), "check": checks}, schema=entry_schema())


def vector_table(digests: Sequence[int], vectors: NDArray[np.float16]) -> "pa.Table":
    """Rows for vectors, (texts, dimensions), by the digest of their text."""
    rows = pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), vectors.shape[1])
    checks = [_check(_bytes(digest), each.tobytes()) for digest, each in zip(digests, vectors, strict=True)]
    return pa.table({"key": digests, "vector": rows, "check": checks}, schema=vector_schema(vectors.shape[1]))


def entries_from(table: "pa.Table") -> Iterator[tuple[bytes, bytes]]:
    """Key and entry of each row that is as it was written."""
    for key, entry, check in zip(*(table.column(name).to_pylist() for name in table.column_names), strict=True):
        if len(entry) <= MOST_ENTRY and check == _check(key, entry):
            yield key, entry


def vectors_from(table: "pa.Table") -> Iterator[tuple[int, NDArray[np.float16]]]:
    """Digest and vector of each row that is as it was written; the vectors are finite and of unit length, or zero."""
    for key, vector, check in zip(*(table.column(name).to_pylist() for name in table.column_names), strict=True):
        found = np.asarray(vector, np.float16)
        length = float(np.linalg.norm(found.astype(np.float32)))
        if check == _check(_bytes(key), found.tobytes()) and (length == 0.0 or abs(length - 1.0) < 0.05):
            yield key, found


def _check(key: bytes, content: bytes) -> bytes:
    return blake2b(key + content, digest_size=CHECK_BYTES).digest()


def _bytes(digest: int) -> bytes:
    return digest.to_bytes(8, "big", signed=True)
