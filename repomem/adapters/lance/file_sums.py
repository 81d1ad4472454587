"""Checksums of a table's files: LanceDB never changes a file, so a byte that differs is damage.

Rows have checksums too, but a search reads indexes and vectors whose rows it does not return. The sums are in a file
next to the table, a line for each of its files: a checksum of the line, the size, checksums of the blocks, the path.
"""

import os
import random
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from zlib import crc32

from repomem.core.files import append_to

SUFFIXES: Final = (".lance", ".manifest")  # rows, vectors, indexes; and which of them a version has
BLOCK: Final = 1 << 20  # bytes
SAMPLE: Final = 4 << 20  # bytes that are checked when a table is opened: all of a small one, in 5 ms
MOST_OPENED: Final = 200  # files that are opened for it


@dataclass(frozen=True, slots=True)
class _Block:
    path: Path
    start: int
    size: int  # of the whole file
    sum: int


def add_sums(table: Path, files: Iterable[Path]) -> None:
    """Record the checksums of new files of a table. Files that LanceDB deleted meanwhile are left out."""
    lines = b"".join(_line(table, path) for path in files if path.suffix in SUFFIXES)
    if lines:
        with suppress(OSError):  # these files are not checked
            append_to(_sums_file(table), lines)


def forget_deleted(table: Path) -> None:
    """Drop the checksums of files that are gone, and of a table that is."""
    path = _sums_file(table)
    with suppress(OSError):
        kept = [line for line in path.read_bytes().splitlines(keepends=True) if _exists(table, line)]
        path.write_bytes(b"".join(kept)) if kept else path.unlink()


def damaged_file(table: Path, most: int | None = None) -> str:
    """The path of a file that is not as it was written, empty if none is; with `most`, of so many bytes at random."""
    blocks = list(_blocks(table))
    if most is not None:
        blocks = list(_sample(blocks, most))
    return next((str(each.path.relative_to(table)) for each in blocks if not _is_sound(each)), "")


def _sample(blocks: list[_Block], most: int) -> Iterator[_Block]:
    """Random blocks, until they have so many bytes."""
    for block in random.sample(blocks, min(len(blocks), MOST_OPENED)):
        yield block
        most -= min(block.size - block.start, BLOCK)
        if most <= 0:
            return


def _is_sound(block: _Block) -> bool:
    try:
        with block.path.open("rb") as file:
            if os.fstat(file.fileno()).st_size != block.size:
                return False
            file.seek(block.start)
            return crc32(file.read(BLOCK)) == block.sum
    except OSError:  # deleted by a cleanup, or reported by the reader that needs it
        return True


def _blocks(table: Path) -> Iterator[_Block]:
    try:
        data = _sums_file(table).read_bytes()
    except OSError:
        return
    # the last line of a path counts: a recreated table has files of the same name
    lines = {parsed[2]: parsed for line in data.splitlines() if (parsed := _parsed(line))}
    for size, sums, name in lines.values():
        for number, found in enumerate(sums):
            yield _Block(table / name, number * BLOCK, size, found)


def _line(table: Path, path: Path) -> bytes:
    sums = []
    try:
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                sums.append(crc32(block))
            size = file.tell()
    except OSError:
        return b""
    text = f"{size} {','.join(map(str, sums))} {path.relative_to(table).as_posix()}".encode()
    return b"%08x %s\n" % (crc32(text), text)


def _parsed(line: bytes) -> tuple[int, list[int], str] | None:
    """Size, checksums of blocks and path in a line; None if the line itself is damaged."""
    checksum, _, text = line.partition(b" ")
    if checksum != b"%08x" % crc32(text):
        return None
    size, sums, name = text.decode().split(" ", 2)
    return int(size), [int(each) for each in sums.split(",") if each], name


def _exists(table: Path, line: bytes) -> bool:
    parsed = _parsed(line.rstrip(b"\n"))
    return parsed is not None and (table / parsed[2]).is_file()


def _sums_file(table: Path) -> Path:
    return table.with_suffix(".sums")
