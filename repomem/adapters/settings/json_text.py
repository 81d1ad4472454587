"""JSON settings, with comments and trailing commas allowed: their value, and the position of each part.

Reads only; `merge` adds, `removal` removes. Text that is not valid JSON after blanking out comments
and such commas is refused: its own program cannot read it either.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Never

from tree_sitter import Node

from repomem.adapters.languages.parsers import parser_of
from repomem.adapters.settings.edits import BYTE_ORDER_MARK, MEND, KeyPath, text_of
from repomem.core.errors import ForeignError
from repomem.core.text.lazy_pattern import lazy_pattern

MOST_DEPTH = 100  # settings have ten at most, and deeper than some thousands the parsers overflow
KIND = {"object": "an object", "array": "an array"}

# An opening without its end extends to the end of the file: else each such opening would be searched again.
_TOKEN = lazy_pattern(
    rb'(?P<string>"(?>(?:[^"\\]|\\.)*)(?:"|\Z))|(?P<comment>//[^\r\n]*+|/\*.*?(?:\*/|\Z))'
    rb'|(?P<open>[{\[])|(?P<close>[}\]])|(?P<comma>,)|(?P<other>[^\s"{}\[\]:,/]++|/)',
    re.DOTALL,
)
_DEEPER = {"open": 1, "close": -1}
_VISIBLE = lazy_pattern(rb"[^\r\n]")
_NUMBER_STARTS = frozenset([b"-", *(b"%d" % digit for digit in range(10))])

Token = tuple[str, int, int]
"""Its kind, and where it starts and ends."""

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class JsonSettings:
    """A file as read. `root` and `value` are None if it is empty; spans are byte offsets in `content`."""

    content: bytes
    plain: bytes  # as long, without comments, commas at the end and byte order mark
    value: Any
    root: Node | None
    comments: Spans
    last_commas: tuple[int, ...]  # those with nothing but a closing bracket behind them

    def last_comma(self, start: int, end: int) -> int:
        """The position of the comma between a container's last child and its end; -1 without one."""
        return next((comma for comma in self.last_commas if start <= comma < end), -1)

    def value_of(self, node: Node) -> Any:
        return json.loads(self.plain[node.start_byte : node.end_byte])


@lru_cache(maxsize=2)  # a change looks at the file as it is and as it will be, several times
def read_json(content: bytes) -> JsonSettings:
    """The settings, read-only. Raises ForeignError if they cannot be read."""
    text_of(content)
    tokens = [(token.lastgroup or "", *token.span()) for token in _TOKEN.finditer(content)]
    comments, last_commas = tuple(_comments(content, tokens)), tuple(_last_commas(tokens))
    plain = _blanked(content, comments, last_commas)
    if not plain.strip():
        return JsonSettings(content, plain, None, None, comments, last_commas)
    value = _value(plain)
    tree = parser_of("json").parse(_skeleton(plain, tokens))
    if tree.root_node.has_error or tree.root_node.named_child_count != 1:
        raise ForeignError("it is not valid JSON", MEND)
    return JsonSettings(content, plain, value, tree.root_node.named_children[0], comments, last_commas)


def members(settings: JsonSettings, node: Node, path: KeyPath = ()) -> dict[str, Node]:
    """The values of an object by key. Raises ForeignError if it is not an object, or a key occurs twice."""
    checked_kind(node, "object", path)
    found: dict[str, Node] = {}
    for pair in node.named_children:
        key = str(settings.value_of(pair.named_children[0]))
        if key in found:
            raise ForeignError(f"{key!r} appears twice in {shown(path)}", "remove one of the two")
        found[key] = pair.named_children[1]
    return found


def checked_kind(node: Node, kind: str, path: KeyPath) -> None:
    """Raise ForeignError if the value at `path` is of another kind."""
    if node.type != kind:
        raise ForeignError(f"{shown(path)} is not {KIND[kind]}", MEND)


def shown(path: KeyPath) -> str:
    """A path as people write it."""
    return ".".join(map(str, path)) or "the file"


def _blanked(content: bytes, comments: Spans, last_commas: tuple[int, ...]) -> bytes:
    """The content, as long as before, with spaces for comments, last commas and the byte order mark."""
    plain = bytearray(content)
    if content.startswith(BYTE_ORDER_MARK):
        plain[: len(BYTE_ORDER_MARK)] = b" " * len(BYTE_ORDER_MARK)
    for start, end in comments:
        plain[start:end] = _VISIBLE.sub(b" ", content[start:end])
    for comma in last_commas:
        plain[comma : comma + 1] = b" "
    return bytes(plain)


def _skeleton(plain: bytes, tokens: list[Token]) -> bytes:
    """Valid JSON with other texts and numbers: the grammar does not know all of them (`1e+16`)."""
    skeleton = bytearray(plain)
    for kind, start, end in tokens:
        if kind == "string":
            skeleton[start + 1 : end - 1] = b"x" * (end - start - 2)
        elif kind == "other" and plain[start : start + 1] in _NUMBER_STARTS:
            skeleton[start:end] = b"1" * (end - start)
    return bytes(skeleton)


def _comments(content: bytes, tokens: list[Token]) -> Iterator[tuple[int, int]]:
    for kind, start, end in tokens:
        if kind == "comment":
            if content[start : start + 2] == b"/*" and not content[start + 2 : end].endswith(b"*/"):
                raise ForeignError("it has an unterminated comment", MEND)
            yield start, end


def _last_commas(tokens: list[Token]) -> Iterator[int]:
    depth, before, comma = 0, "open", -1
    for kind, start, _ in tokens:
        if kind == "comment":
            continue
        depth += _DEEPER.get(kind, 0)
        if depth > MOST_DEPTH:
            raise ForeignError(f"it is nested deeper than {MOST_DEPTH}", MEND)
        if kind == "close" and comma >= 0:
            yield comma
        comma = start if kind == "comma" and before not in ("open", "comma") else -1
        before = kind


def _value(plain: bytes) -> Any:
    try:
        return json.loads(plain.decode("utf-8"), parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise ForeignError(f"it is not valid JSON: line {error.lineno}, {error.msg}", MEND) from error
    except ValueError as error:
        raise ForeignError(f"it is not valid JSON: {error}", MEND) from error


def _no_constant(name: str) -> Never:
    raise ValueError(f"{name} is not a number")
