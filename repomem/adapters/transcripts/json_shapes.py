"""JSON of other programs, read with nothing taken for granted: what has another shape than expected is not there."""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime

from repomem.core.escape import visible

LONGEST_LINE = 16 << 20  # bytes: above it stands an image or a file that somebody pasted
MILLISECONDS = 10**11  # a time since 1970 above it is none in seconds before the year 5138
_NOTHING: Mapping[str, object] = {}


def records(lines: Iterable[bytes | str]) -> Iterator[Mapping[str, object]]:
    """The objects that stand one to a line; a torn line and whatever is no object are stepped over."""
    for line in lines:
        if len(line) <= LONGEST_LINE and (record := parsed(line)):
            yield record


def parsed(text: bytes | str) -> Mapping[str, object]:
    """The object that a text holds; empty where it holds none."""
    try:
        return mapping(json.loads(text.decode(errors="replace") if isinstance(text, bytes) else text))
    except (ValueError, RecursionError):
        return _NOTHING


def mapping(value: object) -> Mapping[str, object]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else _NOTHING


def items(value: object) -> list[object]:
    """The value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def string(value: object) -> str:
    """The value where it is text, else none."""
    return value if isinstance(value, str) else ""


def inner(value: object, *names: str) -> object:
    """What stands under the names, one within the other."""
    for name in names:
        value = mapping(value).get(name)
    return value


def first_string(record: Mapping[str, object], *names: str) -> str:
    """The text under the first of the names that has one."""
    return next((found for name in names if (found := string(record.get(name)))), "")


def words_of(content: object) -> str:
    """The text of a message's content: a string, or a list of strings and of blocks with a `text`."""
    if isinstance(content, str):
        return content
    blocks = (block if isinstance(block, str) else string(inner(block, "text")) for block in items(content))
    return "\n".join(block for block in blocks if block)


def plain(text: str) -> str:
    """The text without colours and whatever else cannot be seen, its lines ended in one way."""
    return visible(text.replace("\r\n", "\n").replace("\r", "\n"))


def time_of(value: object) -> str:
    """A time as YYYY-MM-DDTHH:MM:SSZ; empty where the value is none. Numbers are seconds or milliseconds since 1970."""
    try:
        if isinstance(value, str):
            told = datetime.fromisoformat(value)
            utc = told.astimezone(UTC) if told.tzinfo else told.replace(tzinfo=UTC)
        elif isinstance(value, int | float) and value > 0:
            utc = datetime.fromtimestamp(value / 1000 if value > MILLISECONDS else value, UTC)
        else:
            return ""
        return utc.strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return ""
