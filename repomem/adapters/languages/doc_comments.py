"""The documentation of a definition: its docstring, or the comment and attributes directly above it.

Reads the bytes upwards line by line, since asking a node for its sibling walks down from the root each time.
"""

import re
from functools import cache
from typing import NamedTuple

from repomem.adapters.languages.grammar import LANGUAGES, Grammar
from repomem.core.text.lazy_pattern import lazy_pattern

MAX_DOCSTRING = 300  # characters: the contract of `Definition`
DOCSTRING_BYTES = 1500  # how much of a docstring is read for its first paragraph
MAX_LINES_ABOVE = 80  # how far attributes are followed upwards
MAX_COMMENT_LINES = 1_000  # how far a comment is: it must be read from its start, and some explain a type at length

_OPENING_QUOTE = lazy_pattern(rb"[rRuU]{0,2}(\"\"\"|'''|\"|')")
_ATTRIBUTE_ENDS = frozenset({b")]", b"]", b")", b"})"})  # alone on the last line of one of several lines
_PARAGRAPH_END = lazy_pattern(r"\n\s*\n|\n\s*(?=[@\\]\w|<(?:param|returns|remarks|exception|typeparam)\b)")
_MARKUP = lazy_pattern(r"</?(?:summary|remarks|para|p|code|c|b|i|em|strong|pre|ul|li)\b[^<>]*/?>")
_LINK = lazy_pattern(r"<(?:see|seealso|paramref)\s+\w+=\"(?:\w:)?([^\"]*)\"\s*/>|\{@\w+\s+([^{}]*)\}")
_INHERITED = lazy_pattern(r"\{?@inherit[Dd]oc\}?")
_PRAGMA = lazy_pattern(
    r"(?:go:|nolint|eslint|@ts-|prettier|istanbul|tslint|rubocop:|frozen_string_literal|noqa|type:|pylint:|-\*-|!)"
)


def folded(text: str) -> str:
    """The text with every run of white space as one space."""
    return " ".join(text.split())


def documentation_of(data: bytes, start: int, body: int, captured: str, grammar: Grammar) -> str:
    """The first paragraph of the documentation of the definition at `start`, at most MAX_DOCSTRING characters.

    `body` is the start of its body, -1 if unknown; `captured` is the documentation that the query captured.
    """
    if captured:
        return _first_paragraph(captured.strip().lstrip("@~sS").strip("\"'\n "))  # without quotes
    if grammar.has_docstrings and body >= 0:
        docstring = _docstring_at(data, body)
        if docstring:
            return _first_paragraph(docstring)
    return _first_paragraph(_comment_above(data, start, grammar))


def attributes_start(data: bytes, start: int, opening: bytes) -> int:
    """The start of the attributes directly above the definition at `start`; `start` without any."""
    line_start = data.rfind(b"\n", 0, start) + 1
    if data[line_start:start].lstrip().startswith(opening):
        start = _first_column(data, line_start)
    is_inside = False  # an attribute of several lines, read from its end
    for _ in range(MAX_LINES_ABOVE):
        above = data.rfind(b"\n", 0, max(0, line_start - 1)) + 1
        line = data[above:line_start].strip()
        if line.startswith(opening):
            start, is_inside = _first_column(data, above), False
        elif line in _ATTRIBUTE_ENDS:
            is_inside = True
        elif not is_inside or not line or line.startswith(b"}"):
            break
        line_start = above
    return start


def _first_column(data: bytes, line_start: int) -> int:
    rest = data[line_start : line_start + DOCSTRING_BYTES]
    return line_start + len(rest) - len(rest.lstrip())


def _docstring_at(data: bytes, body: int) -> str:
    opening = _OPENING_QUOTE.match(data, body)
    if not opening:
        return ""
    end = data.find(opening[1], opening.end(), opening.end() + DOCSTRING_BYTES)
    return decoded(data[opening.end() : end if end >= 0 else opening.end() + DOCSTRING_BYTES])


class _Markers(NamedTuple):
    """The comment markers of one language, as bytes."""

    lines: tuple[bytes, ...]
    opening: bytes
    closing: bytes
    to_line_end: re.Pattern[str] | None


@cache
def _markers_of(language: str) -> _Markers:
    grammar = LANGUAGES[language]
    opening, closing = (marker.encode() for marker in grammar.block_comment)
    either = "|".join(map(re.escape, grammar.line_comments))
    # after white space only, so that the slashes of a URL in a string stay; #[ opens an attribute of PHP
    to_line_end = re.compile(rf"(?:^|\s)(?:{either})(?!\[).*") if either else None
    return _Markers(tuple(m.encode() for m in grammar.line_comments), opening, closing, to_line_end)


def without_comments(text: str, grammar: Grammar) -> str:
    """The code without comments at line ends."""
    markers = _markers_of(grammar.name)
    if markers.to_line_end and any(marker in text for marker in grammar.line_comments):
        return markers.to_line_end.sub("", text)
    return text


def _comment_above(data: bytes, start: int, grammar: Grammar) -> str:
    """The text of the comment that ends on the line above, without its markers."""
    line_start = data.rfind(b"\n", 0, start) + 1
    above = data.rfind(b"\n", 0, max(0, line_start - 1)) + 1
    line = data[above:line_start].strip()
    if not line:
        return ""
    markers = _markers_of(grammar.name)
    is_block = bool(markers.closing) and line.endswith(markers.closing)
    if not is_block and not (markers.lines and line.startswith(markers.lines)):
        return ""
    if data[line_start:start].strip():
        return ""  # it shares its line with earlier code
    if is_block:
        return _block_comment(data, data.rfind(markers.opening, 0, line_start), line_start, grammar)
    return _line_comments(data, line_start, markers.lines, grammar)


def _block_comment(data: bytes, opening: int, end: int, grammar: Grammar) -> str:
    before = data[data.rfind(b"\n", 0, max(0, opening)) + 1 : max(0, opening)]
    if opening < 0 or before.strip():
        return ""  # it follows code on its line, and documents that code
    head, tail = grammar.block_comment
    text = decoded(data[opening:end][:DOCSTRING_BYTES]).strip().removeprefix(head).removesuffix(tail)
    return "\n".join(line.strip().lstrip("*!|").strip() for line in text.splitlines())


def _line_comments(data: bytes, line_start: int, markers: tuple[bytes, ...], grammar: Grammar) -> str:
    lines: list[str] = []
    for _ in range(MAX_COMMENT_LINES):
        above = data.rfind(b"\n", 0, max(0, line_start - 1)) + 1
        line = data[above:line_start].strip()
        if not line.startswith(markers):
            break
        text = decoded(line)
        marker = next(marker for marker in grammar.line_comments if text.startswith(marker))
        text = text.removeprefix(marker).strip()
        if not _PRAGMA.match(text):
            lines.append(text)
        line_start = above
    return "\n".join(reversed(lines))


def _first_paragraph(text: str) -> str:
    if not text:
        return ""
    text = text.strip()
    end = _PARAGRAPH_END.search(text)
    paragraph = text[: end.start()] if end else text
    return folded(without_markup(paragraph))[:MAX_DOCSTRING].rstrip()


def without_markup(text: str) -> str:
    """The text of a comment without tags; links become their labels."""
    if "<" in text or "@" in text:
        return _INHERITED.sub("", _MARKUP.sub(" ", _LINK.sub(r"\1\2", text)))
    return text


def decoded(raw: bytes) -> str:
    return raw.decode("utf-8", errors="replace")
