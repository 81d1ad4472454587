"""Removes the values at given paths from JSON settings, with their commas; everything else stays."""

import copy
from collections.abc import Iterator, Sequence
from typing import Any

from tree_sitter import Node

from repomem.adapters.settings.edits import MEND, Edit, KeyPath, applied, value_at
from repomem.adapters.settings.json_text import JsonSettings, checked_kind, members, read_json
from repomem.core.errors import ForeignError


def without_paths(content: bytes, paths: Sequence[KeyPath]) -> bytes:
    """The settings without the values at `paths`, which are in file order."""
    if not paths:
        return content
    expected = read_json(content).value
    for path in reversed(paths):
        settings = read_json(content)
        content = applied(content, list(_removal(settings, path)))
        expected = _value_without(expected, path)
    if read_json(content).value != expected:
        raise ForeignError("the entry cannot be removed without other changes", MEND)
    return content


def without_empty(content: bytes, paths: Sequence[KeyPath]) -> bytes:
    """The settings without the empty objects and arrays at these paths; comments count as content."""
    for path in sorted(paths, key=len, reverse=True):
        settings = read_json(content)
        if value_at(settings.value, path) in ({}, []) and not _has_comments(settings, path):
            content = without_paths(content, [path])
    return content


def _value_without(value: Any, path: KeyPath) -> Any:
    value = copy.deepcopy(value)
    del value_at(value, path[:-1])[path[-1]]
    return value


def _removal(settings: JsonSettings, path: KeyPath) -> Iterator[Edit]:
    container, place = _found(settings, path)
    children = container.named_children
    node, start, end = children[place], container.start_byte + 1, container.end_byte - 1
    if place + 1 < len(children):
        spans = [(node.start_byte, _before_next(settings, node, children[place + 1]))]
    elif place:
        spans = _last_spans(settings, children[place - 1], node, end)
    else:
        spans = _only_spans(settings, node, start, end)
    for begin, stop in spans:
        yield Edit(begin, settings.content[begin:stop], b"")


def _found(settings: JsonSettings, path: KeyPath) -> tuple[Node, int]:
    """The container of the value at a path, and its index there."""
    node = settings.root
    for step in path[:-1]:
        if node is not None:
            node = _child(settings, node, step, path)
    if node is None:
        raise ForeignError("there is nothing to remove", "")
    step = path[-1]
    if isinstance(step, int):
        checked_kind(node, "array", path[:-1])
        return node, step
    return node, list(members(settings, node, path[:-1])).index(step)


def _has_comments(settings: JsonSettings, path: KeyPath) -> bool:
    container, place = _found(settings, path)
    node = container.named_children[place]
    return any(node.start_byte <= begin < node.end_byte for begin, _ in settings.comments)


def _child(settings: JsonSettings, node: Node, step: str | int, path: KeyPath) -> Node:
    if isinstance(step, str):
        return members(settings, node, path)[step]
    checked_kind(node, "array", path)
    return node.named_children[step]


def _before_next(settings: JsonSettings, node: Node, following: Node) -> int:
    """Up to the next child, or just past the comma if a comment follows."""
    comma = _comma(settings, node.end_byte, following.start_byte)
    is_blank = not settings.content[comma + 1 : following.start_byte].strip()
    return following.start_byte if is_blank else comma + 1


def _last_spans(settings: JsonSettings, before: Node, node: Node, end: int) -> list[tuple[int, int]]:
    """The last child with the comma before it; with the one behind it where there is one: the other takes its role."""
    comma = _comma(settings, before.end_byte, node.start_byte)
    last = settings.last_comma(node.end_byte, end)
    start = _end_of_gap(settings, comma + 1, node)
    if last >= 0:
        return [(start, node.end_byte), (last, last + 1)]
    return [(comma, comma + 1), (start, node.end_byte)]


def _end_of_gap(settings: JsonSettings, start: int, node: Node) -> int:
    """Start of the white space before a last child; text after the child must not end up in a line comment."""
    gap = settings.content[start : node.start_byte]
    end = start + len(gap.rstrip())
    is_in_comment = any(
        stop == end and settings.content[begin : begin + 2] == b"//" for begin, stop in settings.comments
    )
    follows = settings.content[node.end_byte :].lstrip(b" \t")
    return node.start_byte if is_in_comment and not follows.startswith((b"\n", b"\r\n")) else end


def _only_spans(settings: JsonSettings, node: Node, start: int, end: int) -> list[tuple[int, int]]:
    """Everything between the brackets or, with comments, just the child and its comma."""
    if not any(start <= begin < end for begin, _ in settings.comments):
        return [(start, end)]
    last = settings.last_comma(node.end_byte, end)
    return [(node.start_byte, node.end_byte), *([(last, last + 1)] if last >= 0 else [])]


def _comma(settings: JsonSettings, start: int, end: int) -> int:
    """The comma between two children; those in comments between them do not count."""
    while start < end:
        comment = next((stop for begin, stop in settings.comments if begin <= start < stop), None)
        if comment is None and settings.content[start : start + 1] == b",":
            return start
        start = comment or start + 1
    raise ForeignError("it is not valid JSON", MEND)
