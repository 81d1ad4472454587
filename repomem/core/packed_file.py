"""Named sections in one file with a checksum: a cache that is read whole, or not at all."""

import json
import zlib
from collections.abc import Mapping
from pathlib import Path

from repomem.core.files import replace_file

_MAGIC = b"repomem packed 1\n"
_NUMBER = 8  # bytes of the checksum, and of the length of the table


def write_packed(path: Path, sections: Mapping[str, bytes]) -> None:
    """Replace a file by these sections. A crash leaves the old file, or one that is not read. Raises OSError."""
    table = json.dumps({name: len(data) for name, data in sections.items()}).encode()
    body = b"".join((len(table).to_bytes(_NUMBER, "little"), table, *sections.values()))
    path.parent.mkdir(mode=0o700, exist_ok=True)
    replace_file(path, _MAGIC + zlib.crc32(body).to_bytes(_NUMBER, "little") + body, is_synced=False)


def read_packed(path: Path) -> dict[str, memoryview] | None:
    """The sections of a file; None if there is none, or it is damaged."""
    try:
        data = memoryview(path.read_bytes())
    except OSError:
        return None
    start = len(_MAGIC) + _NUMBER
    body = data[start:]
    is_whole = data[: len(_MAGIC)] == _MAGIC and int.from_bytes(data[len(_MAGIC) : start], "little") == zlib.crc32(body)
    return _sections(body) if is_whole else None


def _sections(body: memoryview) -> dict[str, memoryview]:
    at = _NUMBER + int.from_bytes(body[:_NUMBER], "little")
    found = {}
    for name, length in json.loads(bytes(body[_NUMBER:at])).items():
        found[name] = body[at : at + length]
        at += length
    return found
