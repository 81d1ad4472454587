"""The lines of a transcript file: whole up to 64 MB, of a larger one its start and its end.

A piece alone would not do: results and dead branches are told far behind what they belong to. The start names the
session and its goal, the end has the latest work.
"""

import os
import stat
from pathlib import Path
from typing import BinaryIO

WHOLE = 64 << 20  # bytes of a transcript that are read whole: many days of work
HEAD = 1 << 20  # bytes of a larger one that are read from its start
LONGEST_LINE = 16 << 20  # bytes: above it stands an image or a file that somebody pasted
_BLOCK = 1 << 20
_NO_LINKS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # a pipe would not open else


def file_lines(path: Path, most: int = WHOLE) -> list[bytes]:
    """The lines of a regular file, the last one whether it is whole or torn; none where it cannot be read."""
    try:
        with opened(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size <= most:
                return _between(file, 0, size)
            head = min(HEAD, most // 2)
            return [*_between(file, 0, head)[:-1], *_between(file, size - (most - head), size)[1:]]
    except OSError:
        return []


def opened(path: Path) -> BinaryIO:
    """A regular file, opened without following a link; OSError for everything else."""
    descriptor = os.open(path, _NO_LINKS)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"{path} is not a regular file")
    return os.fdopen(descriptor, "rb")


def _between(file: BinaryIO, first: int, end: int) -> list[bytes]:
    """The lines between two offsets; of one that is longer than any that a host writes only its place is left."""
    file.seek(first)
    lines: list[bytes] = []
    held, is_too_long = bytearray(), False
    left = end - first
    while left > 0 and (block := file.read(min(_BLOCK, left))):
        left -= len(block)
        *whole, rest = block.split(b"\n")
        for part in whole:
            held += part
            lines.append(b"" if is_too_long or len(held) > LONGEST_LINE else bytes(held))
            held.clear()
            is_too_long = False
        held += rest
        if len(held) > LONGEST_LINE:
            held.clear()
            is_too_long = True
    return [*lines, bytes(held)]
