"""Splits a file into the tokens for fingerprints: the leaves of its syntax tree, its words, or a script's symbols.

The leaves are listed in order, with marks at the start and end of a node with several children, so that brackets,
commas, line ends and indentation need not be hashed. Other tokens without effect are in `fingerprint_rules`. A cursor
walks the tree iteratively, since it may be as deep as the file is long.
"""

import re
from bisect import bisect_left
from dataclasses import dataclass

from tree_sitter import Node, Tree

from repomem.adapters.languages.fingerprint_rules import BROKEN, NodeKind, kinds_of, rules_of
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.code import Definition

CLOSING = b")"
_OPENING_BRACKETS = frozenset({"(", "{", "[", "do"})
_LEAF = -1  # in the place of an open node's end
_QUOTE_MARK = b'"'  # in front of what a string holds: 'name' is not name
_ESCAPED_QUOTE = lazy_pattern(rb"\\([\\\"'`])")
_IDENTIFIER = lazy_pattern(rb'"[A-Za-z_$][\w$]*')
# What Markdown writes in many ways (headings, emphasis, bullets, tables, quotes) holds neither of these.
WORD = lazy_pattern(rb"[A-Za-z0-9\x80-\xff]+|[<>!]=")
# Comments, the language of a block of code, the space that does not break: none of them is a word.
_NO_WORDS = lazy_pattern(rb"<!--.*?-->|(?m:^[ \t]*(?:```|~~~)[^\n]*)|\xc2\xa0", re.DOTALL)
_NO_TEXT = lazy_pattern(rb";|\\\r?\n")  # some grammars have no node for them
_MACRO_TOKEN = lazy_pattern(rb"\w+|[^\w\s\\]")  # a macro's body is one leaf, as it was laid out; so is a script


@dataclass(frozen=True, slots=True)
class FileTokens:
    """The tokens of a file: leaves, marks at starts and ends of nodes, and empty tokens, which are ignored."""

    tokens: list[bytes]
    starts: list[int]  # where each is in the file, never less than the one before
    ties: list[int]  # of a mark that opens: the node's end; of one that closes: the index of its partner; else _LEAF

    def span_of(self, definition: Definition) -> tuple[int, int]:
        """The first and end index of the definition's own tokens."""
        first = bisect_left(self.starts, definition.start_byte)
        last = bisect_left(self.starts, definition.end_byte, first)
        while first < last and self.ties[first] > definition.end_byte:
            first += 1
        while first < last and self.tokens[last - 1] == CLOSING and self.ties[last - 1] < first:
            last -= 1
        return first, last


def words_of(data: bytes) -> FileTokens:
    """The words of prose."""
    return _text_of(WORD, _NO_WORDS.sub(lambda found: b" " * len(found[0]), data))


def symbols_of(data: bytes) -> FileTokens:
    """The words and symbols of a script without a single syntax tree."""
    return _text_of(_MACRO_TOKEN, data)


def _text_of(token: re.Pattern[bytes], data: bytes) -> FileTokens:
    """The matches of the pattern, as leaves."""
    text = FileTokens([], [], [])
    for word in token.finditer(data):
        text.tokens.append(word[0])
        text.starts.append(word.start())
        text.ties.append(_LEAF)
    return text


@dataclass(slots=True)
class _Frame:
    """A node whose children are being read."""

    kind: NodeKind
    outer: "_Frame | None"
    end: int
    opening: int  # the index of its mark
    is_typed: bool
    is_unquoted: bool  # its quotes say nothing
    is_bracketed: bool = False
    count: int = 0  # of its children that left something
    text_end: int = -1  # up to where the last token holds the string's text


class TreeReader:
    """Converts one tree into tokens."""

    def __init__(self, data: bytes, language: str) -> None:
        self.data = data
        self.kinds = kinds_of(language)
        self.rules = rules_of(language)
        self.casts = self.rules.casts if b"cast(" in data else {}
        self.uncounted: set[int] = set()  # ids of nodes that have no effect in their cast
        self.text = FileTokens([], [], [])
        self.position = 0  # up to where the file is read

    def read(self, tree: Tree) -> FileTokens:
        """The tokens of the whole tree."""
        cursor = tree.walk()
        frame: _Frame | None = self._opened(tree.root_node, None)
        is_on = cursor.goto_first_child()
        while is_on and frame:
            node = cursor.node
            assert node is not None  # a moved cursor is at a node
            inner = self._read(node, frame)
            if inner:
                frame = inner
                cursor.goto_first_child()
                continue
            while frame and not cursor.goto_next_sibling():
                frame = self._closed(frame)
                cursor.goto_parent()
        return self.text

    def _read(self, node: Node, frame: _Frame) -> _Frame | None:
        """Read a node; returns a frame if its children are to be read first."""
        start, end = node.start_byte, node.end_byte
        if start > self.position:
            self._read_gap(frame, start)
        kind = self.kinds.get(node.kind_id, BROKEN)
        if kind.name in self.casts:
            self.uncounted.update(self.casts[kind.name](node, self.data))
        if kind.name in frame.kind.drops or kind.is_dropped or (self.uncounted and node.id in self.uncounted):
            frame.is_bracketed = frame.is_bracketed or kind.name in _OPENING_BRACKETS
        elif (kind.is_ruled and self._is_dropped(node, kind, frame)) or (frame.kind.is_only_first and frame.count):
            pass
        elif kind.is_leaf or not node.child_count:
            self._read_leaf(kind, frame, start, end)
        else:
            return self._opened(node, frame)
        self.position = end
        return None

    def _is_dropped(self, node: Node, kind: NodeKind, frame: _Frame) -> bool:
        if kind.is_type and not frame.is_typed:
            return True
        if kind.pattern and kind.pattern.match(self.data, node.start_byte, node.end_byte):
            return True
        return bool(kind.test and kind.test(node))

    def _opened(self, node: Node, outer: _Frame | None) -> _Frame:
        kind = self.kinds.get(node.kind_id, BROKEN)
        start, end = node.start_byte, node.end_byte
        is_unquoted = kind.is_string and (
            self.rules.quotes == "equal" or (self.rules.quotes == "plain" and b"\\" not in self.data[start:end])
        )
        frame = _Frame(kind, outer, end, len(self.text.tokens), kind.name in self.rules.typed, is_unquoted)
        if outer:
            frame.is_typed = frame.is_typed or outer.is_typed
            self._add(kind.opening, start, end)
        else:
            frame.opening = -1
        self.position = start
        return frame

    def _closed(self, frame: _Frame) -> _Frame | None:
        """Close a node and return its parent's frame; a node with a single child is replaced by it."""
        if frame.end > self.position:
            self._read_gap(frame, frame.end)
        outer = frame.outer
        if outer is None:
            return None
        is_kept = frame.kind.is_string or (frame.is_bracketed and outer.kind.name not in self.rules.empty)
        if not frame.count and not is_kept:
            self.text.tokens[frame.opening] = b""
            return outer
        if frame.count == 1 and self._is_wrapper(frame, outer):
            self.text.tokens[frame.opening] = b""
        else:
            self._add(CLOSING, max(frame.end - 1, self.text.starts[-1]), frame.opening)
        outer.count += 1
        return outer

    def _is_wrapper(self, frame: _Frame, outer: _Frame) -> bool:
        if outer.kind.name in self.rules.quoted_keys and not outer.count and frame.kind.is_string:
            last = self.text.tokens[-1]
            self.text.tokens[-1] = last[1:] if _IDENTIFIER.fullmatch(last) else last
        is_bracketed_block = frame.kind.is_block and frame.is_bracketed  # the others are as long as their statement
        return frame.kind.name not in self.rules.whole and (not is_bracketed_block or outer.kind.owns_bodies)

    def _read_gap(self, frame: _Frame, end: int) -> None:
        """Read the text between two nodes: white space, or text without a node."""
        text = self.data[self.position : end]
        if frame.kind.is_string:
            self._add_string_text(text, frame, self.position, end)
        elif text := b" ".join(_NO_TEXT.sub(b" ", text).split()):
            self._add_leaf(text, frame, self.position)
        self.position = end

    def _read_leaf(self, kind: NodeKind, frame: _Frame, start: int, end: int) -> None:
        raw = self.data[start:end]
        if frame.kind.is_string:
            if not kind.is_quote or not frame.is_unquoted:
                self._add_string_text(raw, frame, start, end)
            elif prefix := raw.rstrip(b"\"'`").lower().replace(b"u", b""):
                self._add_leaf(_QUOTE_MARK + prefix + _QUOTE_MARK, frame, start)
            return
        if not kind.is_named:
            raw = kind.opening[1:] if raw.strip() else b""  # as the grammar writes it: `#define`, not `#  define`
        elif kind.is_number:
            raw = raw.lower().replace(b"_", b"").replace(b"0o", b"0")
        elif kind.name == "preproc_arg":
            raw = b" ".join(_MACRO_TOKEN.findall(raw))
        elif not kind.is_string:
            raw = kind.prefix + b" ".join(raw.split())
        if raw:
            self._add_leaf(self.rules.words.get(raw, raw), frame, start)

    def _add_string_text(self, text: bytes, frame: _Frame, start: int, end: int) -> None:
        text = text.replace(b"\r\n", b"\n")  # git may write either at a check-out
        if frame.is_unquoted and b"\\" in text:
            text = _ESCAPED_QUOTE.sub(_unescaped, text)
        if frame.text_end == start and frame.count:
            self.text.tokens[-1] += text
        else:
            self._add_leaf(_QUOTE_MARK + text, frame, start)
        frame.text_end = end

    def _add_leaf(self, token: bytes, frame: _Frame, start: int) -> None:
        self._add(token, start, _LEAF)
        frame.count += 1

    def _add(self, token: bytes, start: int, tie: int) -> None:
        self.text.tokens.append(token)
        self.text.starts.append(start)
        self.text.ties.append(tie)


def _unescaped(escape: re.Match[bytes]) -> bytes:
    return escape[0] if escape[1] == b"\\" else escape[1]
