"""Reads JSON of other programs; a value of an unexpected type counts as missing."""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime

from repomem.core.text.escape import visible
from repomem.core.times import FORMAT

LONGEST_LINE = 16 << 20  # bytes: a longer line holds an image or a pasted file
MILLISECONDS = 10**11  # as seconds, this is the year 5138
_NOTHING: Mapping[str, object] = {}


def records(lines: Iterable[bytes | str]) -> Iterator[Mapping[str, object]]:
    """Parse one object per line; skip other lines."""
    for line in lines:
        if len(line) <= LONGEST_LINE and (record := parsed(line)):
            yield record


def parsed(value: object) -> Mapping[str, object]:
    """An object, given as such or as JSON text, or an empty one."""
    if not isinstance(value, str | bytes):
        return mapping(value)
    try:
        return mapping(json.loads(value.decode(errors="replace") if isinstance(value, bytes) else value))
    except (ValueError, RecursionError):
        return _NOTHING


def joined(lines: Iterable[bytes | str]) -> bytes:
    """The lines as one text."""
    return b"\n".join(line.encode(errors="surrogatepass") if isinstance(line, str) else line for line in lines)


def mapping(value: object) -> Mapping[str, object]:
    """An object, or an empty one."""
    return value if isinstance(value, dict) else _NOTHING


def items(value: object) -> list[object]:
    """A list, or an empty one."""
    return value if isinstance(value, list) else []


def string(value: object) -> str:
    """A string, or an empty one."""
    return value if isinstance(value, str) else ""


def inner(value: object, *names: str) -> object:
    """The value at a path of names."""
    for name in names:
        value = mapping(value).get(name)
    return value


def text_at(value: object, *names: str) -> str:
    """The first non-empty string under these names of an object."""
    record = mapping(value)
    return next((found for name in names if (found := string(record.get(name)))), "")


def words_of(content: object) -> str:
    """The text of a message's content: a string, or a list of strings and blocks with `text`."""
    if isinstance(content, str):
        return content
    blocks = (block if isinstance(block, str) else text_at(block, "text") for block in items(content))
    return "\n".join(block for block in blocks if block)


def plain(text: str) -> str:
    """Remove colours and other invisible characters; end lines with a newline."""
    return visible(text.replace("\r\n", "\n").replace("\r", "\n"))


def time_of(value: object) -> str:
    """A time as YYYY-MM-DDTHH:MM:SSZ, or nothing; numbers are seconds or milliseconds since 1970."""
    try:
        if isinstance(value, str):
            time = datetime.fromisoformat(value)
            utc = time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
        elif isinstance(value, int | float) and value > 0:
            utc = datetime.fromtimestamp(value / 1000 if value > MILLISECONDS else value, UTC)
        else:
            return ""
        return utc.strftime(FORMAT)
    except (ValueError, OverflowError, OSError):
        return ""
