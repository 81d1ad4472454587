"""Checksums of rows: LanceDB has none, and would return a byte that flipped on the disk.

A row has one for each set of columns that are read together, so that these can be checked alone.
"""

from collections.abc import Mapping, Sequence
from typing import Final
from zlib import crc32

import pyarrow as pa

Sums = Mapping[str, Sequence[str]]
"""The columns that hold checksums: each with the columns that it is of."""
BETWEEN: Final = b"\0"  # cells; columns are stored apart on the disk, so damage moves no bytes from one to the next


def sum_fields(sums: Sums) -> "list[pa.Field]":
    """The columns of these checksums: four bytes, which detect damage of up to four bytes, else all but one in 2³²."""
    return [pa.field(name, pa.uint32(), nullable=False) for name in sums]


def with_sums(table: "pa.Table", sums: Sums) -> "pa.Table":
    """The table with its checksums after the other columns."""
    for field, columns in zip(sum_fields(sums), sums.values(), strict=True):
        table = table.append_column(field, pa.array(_sums_of(table, columns), field.type))
    return table


def sums_within(sums: Sums, columns: Sequence[str]) -> list[str]:
    """The checksums whose columns are all among these."""
    return [name for name, summed in sums.items() if set(summed) <= set(columns)]


def unsound_rows(table: "pa.Table | pa.RecordBatch", sums: Sums) -> int:
    """How many rows do not match those checksums that the table has."""
    unsound: set[int] = set()
    for name, columns in sums.items():
        if name in table.schema.names:
            pairs = zip(table.column(name).to_pylist(), _sums_of(table, columns), strict=True)
            unsound |= {at for at, (written, found) in enumerate(pairs) if written != found}
    return len(unsound)


def _sums_of(table: "pa.Table | pa.RecordBatch", columns: Sequence[str]) -> list[int]:
    cells = [_cells(table.column(name)) for name in columns]
    return [crc32(BETWEEN.join(row)) for row in zip(*cells, strict=True)]


def _cells(column: "pa.Array | pa.ChunkedArray") -> list[bytes]:
    """Each cell as bytes, not decoded, so that invalid UTF-8 shows as a wrong checksum, not as an error.

    Avoids array methods that load `pyarrow.compute`, such as `cast` and `flatten`: a search does not need it otherwise.
    """
    if column.null_count:
        raise pa.ArrowInvalid("a row lacks a value")
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    if pa.types.is_string(column.type):
        return [cell for chunk in chunks for cell in chunk.view(pa.binary()).to_pylist()]
    data = b"".join(map(_numbers, chunks))
    width = len(data) // max(len(column), 1)
    return [data[start : start + width] for start in range(0, len(data), max(width, 1))]


def _numbers(chunk: "pa.Array") -> bytes:
    if pa.types.is_fixed_size_list(chunk.type):
        size = chunk.type.list_size
        chunk = chunk.values.slice(chunk.offset * size, len(chunk) * size)
    return bytes(chunk.to_numpy().tobytes())
