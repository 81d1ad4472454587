"""Where definitions end: sections of headings, and what a broken tree leaves open. Pure."""

import re
from bisect import bisect_left
from typing import NamedTuple

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.code import CALLABLES, TYPES

MAX_LEVEL = 6  # of headings, in Markdown as in HTML
_CLOSING_HASHES = lazy_pattern(r"\s+#+$")  # `## Title ##`, which Markdown allows
_MARGIN = lazy_pattern(rb"[ \t]*")
_BRACE = lazy_pattern(  # outside of comments and literals; or the start of a branch, whose braces may match another's
    rb"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'|(?P<open>\{)|(?P<close>\})"
    rb"|^[ \t]*#[ \t]*(?P<branch>el)",
    re.DOTALL | re.MULTILINE,
)


class Found(NamedTuple):
    """A definition or scope from a match, before its enclosing definition is known."""

    start: int
    end: int
    kind: str
    name: str
    parents: tuple[str, ...]  # the enclosing definitions in the name itself
    body: int  # where the body starts, -1 if unknown
    doc: str
    level: int  # of a heading, 1 the highest; 0 for everything else
    declared: int  # where it starts without export, decorators and attributes


def sections_whole(found: list[Found], end: int) -> list[Found]:
    """Extend each heading to the next one of the same or a higher level, or to the end of the file."""
    if not any(each.level for each in found):
        return found
    next_start = [end] * (MAX_LEVEL + 1)  # by level, read from the end of the file
    sections: list[Found] = []
    for each in reversed(found):
        reach = min(next_start[1 : each.level + 1], default=each.end)
        next_start[each.level] = each.start
        body = each.end if each.body < 0 else each.body
        sections.append(each._replace(end=reach, body=body, name=_CLOSING_HASHES.sub("", each.name)))
    return sections[::-1]


def without_trailing_comments(found: list[Found], data: bytes, line_comments: tuple[str, ...]) -> list[Found]:
    """End each definition before the blank lines and comments at its end that are no deeper than itself.

    Where indentation or the next heading ends a block, as in YAML, its node reaches to the next one.
    """
    marks = tuple(mark.encode() for mark in line_comments)
    cut: list[Found] = []
    for each in found:
        end, margin = each.end, -1
        while (at := data.rfind(b"\n", each.start, end)) >= 0:
            text = data[at + 1 : end].lstrip()
            if text and not text.startswith(marks):
                break
            margin = len(_margin_of(each, data)) if margin < 0 else margin
            if text and end - at - 1 - len(text) > margin:
                break
            end = at
        cut.append(each if end == each.end else each._replace(end=end + 1))  # with its last line end
    return cut


def _margin_of(found: Found, data: bytes) -> bytes:
    """The indentation of a definition's first line."""
    margin = _MARGIN.match(data, data.rfind(b"\n", 0, found.start) + 1)
    return margin[0] if margin else b""


def without_functions_around_types(found: list[Found]) -> list[Found]:
    """Leave out each function with a type's body before its own: a broken tree mistook the type for its result type."""
    types = sorted(each.start for each in found if each.kind in TYPES and each.body >= 0)

    def has_type_before_body(one: Found) -> bool:
        at = bisect_left(types, one.start)
        return one.kind in CALLABLES and at < len(types) and types[at] < one.body

    return [each for each in found if not has_type_before_body(each)]


def functions_apart(found: list[Found], data: bytes) -> list[Found]:
    """End each function that contains another at its first closing brace in column 1.

    Branches of `#if` that open a block each leave a function open in the tree, to the end of the file.
    """
    apart: list[Found] = []
    last = -1  # the last function at the margin; macros may be defined in it
    for at, each in enumerate(found):
        apart.append(each)
        if each.kind != "function" or data[each.start - 1 : each.start] not in (b"\n", b""):
            continue
        outer = apart[last] if last >= 0 else each
        if outer.start < each.start < outer.end:
            end = data.find(b"\n}", max(outer.body, outer.start), each.start)
            apart[last] = outer._replace(end=end + 2 if end >= 0 else each.start)
        last = at
    return apart


def functions_whole(found: list[Found], data: bytes) -> list[Found]:
    """Extend each function to the brace that closes its body, if no other definition starts before.

    A macro that the grammar cannot parse may end a function in the tree at the brace of one of its blocks.
    """
    whole: list[Found] = []
    for at, each in enumerate(found):
        end = -1
        if each.kind in CALLABLES and data[each.body : each.body + 1] == b"{" and each.body >= 0:
            limit = next((other.start for other in found[at + 1 :] if other.start >= each.end), len(data))
            end = _balanced_end(data, each.body, limit)
        whole.append(each._replace(end=end) if end > each.end else each)
    return whole


def _balanced_end(data: bytes, start: int, limit: int) -> int:
    """The end of the block that a brace opens; -1 if its braces cannot be counted up to the limit."""
    depth = 0
    for brace in _BRACE.finditer(data, start, limit):
        if brace["branch"]:
            return -1
        depth += bool(brace["open"]) - bool(brace["close"])
        if brace["close"] and not depth:
            return brace.end()
    return -1


def types_closed(found: list[Found], data: bytes) -> list[Found]:
    """End each type, and with it its members, at the first closing brace in the column of its head.

    A member with unbalanced braces or a syntax error may leave its type open in the tree, to the end of the file.
    """
    closed: list[Found] = []
    reach = 0  # the end of the last type that was left open
    for each in found:
        end = _closing_of(each, data) if each.kind in TYPES and each.body >= 0 else each.end
        end = min(end, reach) if each.start < reach else end
        closed.append(each if end == each.end else each._replace(end=end))
        reach = end if each.kind in TYPES and end < each.end else reach
    return closed


def _closing_of(found: Found, data: bytes) -> int:
    """Where a type ends by its layout; its own end if that is on the same line, or if its layout does not show it."""
    closing = re.compile(rb"^%s(\})[^;{}\n]*;" % _margin_of(found, data), re.MULTILINE)
    brace = closing.search(data, found.body, found.end)
    if brace is None or data.find(b"\n", brace.end(), found.end) < 0:
        return found.end
    return brace.end(1)
