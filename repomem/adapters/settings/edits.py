"""Edits of settings files that belong to other programs: what an edit is, how it is undone, and where a value is.

Owns no format: `json_text` and `block` locate an edit. Everything works on bytes, so that the rest stays
unchanged: comments, order, indentation, line breaks, a byte order mark.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from repomem.core.errors import ForeignError

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
MEND = "correct the file, or add the entry by hand"

KeyPath = tuple[str | int, ...]
"""The path of a value: keys of objects and indexes of arrays, from the top."""


@dataclass(frozen=True, slots=True)
class Edit:
    """At byte `start` of a file, `inserted` replaces `replaced`."""

    start: int
    replaced: bytes
    inserted: bytes


def applied(content: bytes, edits: Sequence[Edit]) -> bytes:
    """The content with the edits made; their spans do not overlap."""
    parts, end = [], 0
    for edit in sorted(edits, key=lambda each: each.start):
        parts += [content[end : edit.start], edit.inserted]
        end = edit.start + len(edit.replaced)
    return b"".join([*parts, content[end:]])


def taken_back(content: bytes, edits: Sequence[Edit]) -> bytes:
    """The input of `applied`, from its output."""
    backwards, shift = [], 0
    for edit in sorted(edits, key=lambda each: each.start):
        backwards.append(Edit(edit.start + shift, edit.inserted, edit.replaced))
        shift += len(edit.inserted) - len(edit.replaced)
    return applied(content, backwards)


def taken_back_by_text(content: bytes, edits: Sequence[Edit]) -> bytes:
    """The content, changed by others, without each edit whose text occurs in it exactly once."""
    for edit in edits:
        if edit.inserted and content.count(edit.inserted) == 1:
            content = content.replace(edit.inserted, edit.replaced)
    return content


def value_at(value: Any, path: KeyPath) -> Any:
    """The value at a path; None if there is none."""
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def text_of(content: bytes) -> str:
    """The content as text without byte order mark. Raises ForeignError if it is not UTF-8."""
    try:
        return content.removeprefix(BYTE_ORDER_MARK).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ForeignError("it is not UTF-8", "save it as UTF-8 and run the command again") from error


def line_break_of(content: bytes) -> bytes:
    """How the file ends its lines; a new one by a line feed."""
    first = content.find(b"\n")
    return b"\r\n" if first > 0 and content[first - 1 : first] == b"\r" else b"\n"
