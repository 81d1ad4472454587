"""Adds to JSON settings: members to objects, elements to arrays, in the style of the file around them.

Existing values stay; missing values are added, and new elements are appended to arrays.
"""

import copy
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tree_sitter import Node

from repomem.adapters.settings.edits import BYTE_ORDER_MARK, MEND, Edit, KeyPath, applied, line_break_of
from repomem.adapters.settings.json_text import JsonSettings, checked_kind, members, read_json, shown
from repomem.core.errors import ForeignError

INDENT = b"  "  # if the file shows none


@dataclass(frozen=True, slots=True)
class Merge:
    """The edits, and the added paths: containers and scalars, the outer ones first."""

    edits: tuple[Edit, ...]
    made: tuple[KeyPath, ...]


def merged_json(content: bytes, wanted: Mapping[str, Any]) -> Merge:
    """The edits that add `wanted` to the settings. Raises ForeignError for a conflicting or ambiguous value."""
    settings = read_json(content)
    if settings.root is None:
        edits = [_whole(settings, wanted)]
    else:
        edits = list(_into_object(settings, settings.root, wanted, ()))
    if read_json(applied(content, edits)).value != _expected(settings.value, wanted):
        raise ForeignError("it cannot be edited without changing more than the entry", MEND)
    return Merge(tuple(edits), tuple(_made(settings.value, wanted, ())))


def _expected(value: Any, wanted: Any) -> Any:
    """The expected value after the edit."""
    if isinstance(wanted, Mapping) and isinstance(value, dict | None):
        there = value or {}
        return {**there, **{key: _expected(there.get(key), each) for key, each in wanted.items()}}
    if isinstance(wanted, list) and isinstance(value, list | None):
        return [*(value or ()), *wanted]
    return copy.deepcopy(wanted) if value is None else value


def _made(value: Any, wanted: Any, path: KeyPath) -> Iterator[KeyPath]:
    """The paths in `wanted` that `value` lacks; new elements of arrays are not inspected."""
    if value is None and path:
        yield path
    if isinstance(wanted, Mapping):
        there = value if isinstance(value, dict) else {}
        for key, each in wanted.items():
            yield from _made(there.get(key), each, (*path, key))


def _into_object(settings: JsonSettings, node: Node, wanted: Mapping[str, Any], path: KeyPath) -> Iterator[Edit]:
    there = members(settings, node, path)
    for key, value in wanted.items():
        if key in there:
            yield from _into(settings, there[key], value, (*path, key))
    missing: Items = [(key, value) for key, value in wanted.items() if key not in there]
    if missing:
        yield _insertion(settings, node, missing)


def _into(settings: JsonSettings, node: Node, wanted: Any, path: KeyPath) -> Iterator[Edit]:
    if isinstance(wanted, Mapping):
        yield from _into_object(settings, node, wanted, path)
    elif isinstance(wanted, list):
        checked_kind(node, "array", path)
        yield _insertion(settings, node, [(None, value) for value in wanted])
    elif isinstance(wanted, int) and settings.value_of(node) != wanted:
        raise ForeignError(f"{shown(path)} is not {wanted}, the only value that repomem supports", MEND)


def _whole(settings: JsonSettings, wanted: Mapping[str, Any]) -> Edit:
    """The content of a file without a value, with its comments kept above."""
    content, line_break = settings.content, line_break_of(settings.content)
    mark = len(BYTE_ORDER_MARK) if content.startswith(BYTE_ORDER_MARK) else 0
    start = settings.comments[-1][1] if settings.comments else mark
    text = _rendered(wanted, INDENT, b"", line_break) + line_break
    return Edit(start, content[start:], line_break + text if settings.comments else text)


Items = list[tuple[str | None, Any]]
"""What is inserted: members with their keys, or elements without."""


def _insertion(settings: JsonSettings, container: Node, items: Items) -> Edit:
    children = container.named_children
    if not children:
        return _into_empty(settings, container, items)
    if b"\n" in settings.content[container.start_byte : children[-1].start_byte]:
        return _on_lines(settings, container, children[-1], items)
    return _on_one_line(settings, container, children[-1], items)


def _on_one_line(settings: JsonSettings, container: Node, last: Node, items: Items) -> Edit:
    comma = settings.last_comma(last.end_byte, container.end_byte)
    text = b", ".join(_compact(item) for item in items)
    return Edit(last.end_byte, b"", b", " + text) if comma < 0 else Edit(comma + 1, b"", b" " + text + b",")


def _on_lines(settings: JsonSettings, container: Node, last: Node, items: Items) -> Edit:
    """After the last child and the comments on its line; the comma goes where the file has it."""
    comma = settings.last_comma(last.end_byte, container.end_byte)
    start = last.end_byte if comma < 0 else comma + 1
    kept = settings.content[start : _end_of_remarks(settings, start, container.end_byte)]
    opening = settings.content[: last.start_byte].rpartition(b"\n")[2]
    indent = _indent_of(settings, container) + _unit(settings) if opening.strip() else opening
    text = _lines(settings, indent, items)
    return Edit(start, kept, b"," + kept + text if comma < 0 else kept + text + b",")


def _into_empty(settings: JsonSettings, container: Node, items: Items) -> Edit:
    start, end = container.start_byte + 1, container.end_byte - 1
    remarks = [stop for begin, stop in settings.comments if start <= begin < end]
    if not remarks and b"\n" not in settings.content.strip():
        return Edit(start, settings.content[start:end], b", ".join(_compact(item) for item in items))
    start = max([start, *remarks])
    outer = _indent_of(settings, container)
    text = _lines(settings, outer + _unit(settings), items) + line_break_of(settings.content) + outer
    return Edit(start, settings.content[start:end], text)


def _end_of_remarks(settings: JsonSettings, start: int, limit: int) -> int:
    """Where the comments end that follow on the same line."""
    end = start
    for begin, stop in settings.comments:
        between = settings.content[end:begin]
        if end <= begin < limit and not between.strip() and b"\n" not in between:
            end = stop
    return end


def _lines(settings: JsonSettings, indent: bytes, items: Items) -> bytes:
    """The items, each on its own line."""
    line_break, unit = line_break_of(settings.content), _unit(settings)
    texts = (_key(key) + _rendered(value, unit, indent, line_break) for key, value in items)
    return b",".join(line_break + indent + text for text in texts)


def _compact(item: tuple[str | None, Any]) -> bytes:
    key, value = item
    return _key(key) + json.dumps(value, ensure_ascii=False).encode()


def _key(key: str | None) -> bytes:
    return b"" if key is None else json.dumps(key, ensure_ascii=False).encode() + b": "


def _rendered(value: Any, unit: bytes, indent: bytes, line_break: bytes) -> bytes:
    text = json.dumps(value, ensure_ascii=False, indent=unit.decode()).encode()
    return text.replace(b"\n", line_break + indent)  # no text in it has one: JSON escapes them


def _indent_of(settings: JsonSettings, container: Node) -> bytes:
    """The white space that opens the line in which a container opens."""
    line = settings.content[: container.start_byte].rpartition(b"\n")[2].removeprefix(BYTE_ORDER_MARK)
    return line[: len(line) - len(line.lstrip(b" \t"))]


def _unit(settings: JsonSettings) -> bytes:
    """By how much the file indents, as its first member shows."""
    children = settings.root.named_children if settings.root is not None else []
    opening = settings.content[: children[0].start_byte].rpartition(b"\n")[2] if children else b""
    return opening if opening and not opening.strip() else INDENT
