"""What the definitions of a file do, as hashes that a change of their looks leaves alone. Pure: bytes in, prints out.

The leaves of the syntax tree are written one after the other, with a mark where a node of several children opens and
one where it closes: so brackets, commas, line ends and indentation need no place in the print, for the tree says what
they say. What else does nothing in which language is written in `fingerprint_rules`. The tree is read by a cursor,
step by step: it may be as deep as the file is long.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from tree_sitter import Node, Tree

from repomem.adapters.languages.fingerprint_rules import BROKEN, NodeKind, kinds_of, rules_of
from repomem.adapters.languages.grammar import LANGUAGES
from repomem.adapters.languages.outline import outline_of
from repomem.adapters.languages.parsers import has_grammar, parser_of
from repomem.core.types.code import Definition, SymbolPrint

MAX_BYTES = 1_000_000  # what is larger was not written by hand
MAX_NODES = 300_000  # about a second's work
PRINT_BYTES = 8
NEAR = 8  # tokens before a name, including the two that show its owner

_OWN_NAME = b"\0"  # no token holds it
_CLOSING = b")"
_MARKS = frozenset({b"(", b")"})  # the first byte of those for a node that opens or closes
_OPENING_BRACKETS = frozenset({"(", "{", "[", "do"})
_LEAF = -1  # in the place of an open node's end
_QUOTE_MARK = b'"'  # in front of what a string holds: 'name' is not name
_BLOCK = b"(block"
_ACCESS = frozenset({b".", b"->", b"::", b":", b"?.", b"&."})  # a name after one belongs to what precedes it
_SELF = frozenset({b"self", b"this", b"cls", b"Self", b"static", b"@"})
_ESCAPED_QUOTE = re.compile(rb"\\([\\\"'`])")
_IDENTIFIER = re.compile(rb'"[A-Za-z_$][\w$]*')

_Span = tuple[int, int]  # indexes of tokens, half open

_TYPES = frozenset({"class", "interface", "struct", "enum", "trait", "module", "type", "section"})
_CALLED = frozenset({"function", "method", "constructor", "macro"})
_CONTRACTS = frozenset({"interface", "trait"})  # the signatures in them are what they are

_PROSE = frozenset({"markdown"})
# What Markdown writes in many ways (headings, emphasis, bullets, tables, quotes) holds neither of these.
_WORD = re.compile(rb"[A-Za-z0-9\x80-\xff]+|[<>!]=")
# Comments, the language of a block of code, the space that does not break: none of them is a word.
_NO_WORDS = re.compile(rb"<!--.*?-->|(?m:^[ \t]*(?:```|~~~)[^\n]*)|\xc2\xa0", re.DOTALL)
_NO_TEXT = re.compile(rb";|\\\r?\n")  # some grammars have no node for them
_MACRO_TOKEN = re.compile(rb"\w+|[^\w\s\\]")  # a macro's body is one leaf, as it was laid out; so is a script


def prints_of(data: bytes, language: str) -> tuple[SymbolPrint, ...]:
    """Give the print of the file and of every definition in it, in the order of their start.

    A language without a grammar, and a file that is larger than one written by hand, have the entry of the file only.
    """
    if len(data) > MAX_BYTES or not has_grammar(language):
        return (_whole_file(data, _folded_lines(data)),)
    if language in _PROSE:
        text = _words_of(data)
    elif LANGUAGES[language].script:
        text = _text_of(_MACRO_TOKEN, data)  # no one tree holds what it says
    else:
        tree = parser_of(language).parse(data)
        if tree.root_node.descendant_count > MAX_NODES:
            return (_whole_file(data, _folded_lines(data)),)
        text = _Reader(data, language).read(tree)
    definitions = outline_of(data, language).definitions
    file = _File(text, definitions, [definition.start_byte for definition in definitions])
    return (_whole_file(data, text.tokens), *map(file.print_of, range(len(definitions))))


@dataclass(frozen=True, slots=True)
class _Text:
    """A file as its tokens: leaves, marks where nodes open and close, and empty ones that count for nothing."""

    tokens: list[bytes]
    starts: list[int]  # where each is in the file, never less than the one before
    ties: list[int]  # of a mark that opens: the node's end; of one that closes: the index of its partner; else _LEAF

    def span_of(self, definition: Definition) -> tuple[int, int]:
        """Give the indexes from and up to which the tokens are the definition's own, without its surroundings."""
        first = bisect_left(self.starts, definition.start_byte)
        last = bisect_left(self.starts, definition.end_byte, first)
        while first < last and self.ties[first] > definition.end_byte:
            first += 1
        while first < last and self.tokens[last - 1] == _CLOSING and self.ties[last - 1] < first:
            last -= 1
        return first, last


@dataclass(frozen=True, slots=True)
class _File:
    """A file's tokens, and its definitions in the order of their start."""

    text: _Text
    definitions: tuple[Definition, ...]
    starts: list[int]  # of the definitions

    def print_of(self, index: int) -> SymbolPrint:
        """Give the print of the definition at an index."""
        definition = self.definitions[index]
        first, last = self.text.span_of(definition)
        tokens: list[bytes] = []
        for hole_first, hole_last in self._holes_of(index):
            tokens += filter(None, self.text.tokens[first : max(first, hole_first)])
            first = max(first, hole_last)
        tokens += filter(None, self.text.tokens[first:last])
        hashed = _hashed(_without_name(tokens, definition.name.encode()))
        return SymbolPrint(definition.qualified, definition.kind, definition.start_line, definition.end_line, *hashed)

    def _holes_of(self, index: int) -> Iterable[_Span]:
        """Give the spans of the definitions within a type that have prints of their own."""
        outer = self.definitions[index]
        if outer.kind not in _TYPES:
            return
        within = index + 1
        while within < len(self.definitions) and self.starts[within] < outer.end_byte:
            inner = self.definitions[within]
            span = self.text.span_of(inner)
            if _is_apart(inner, outer, self.text.tokens[slice(*span)]):
                yield span
                within = bisect_left(self.starts, inner.end_byte, within + 1)
            else:
                within += 1


def _is_apart(inner: Definition, outer: Definition, tokens: list[bytes]) -> bool:
    """Whether a definition is separate from the type around it, unlike its data."""
    if (inner.start_byte, inner.end_byte) == (outer.start_byte, outer.end_byte):
        return False  # another name of the same
    if inner.kind in _TYPES or (inner.kind in _CALLED and outer.kind not in _CONTRACTS):
        return True
    return inner.kind in _CALLED | {"property"} and _BLOCK in tokens


def _without_name(tokens: list[bytes], name: bytes) -> list[bytes]:
    """Give the tokens with a mark for the name: at its definition, and in recursive calls.

    A section starts with its name, which may be of several words.
    """
    words = _WORD.findall(name)
    if tokens[: len(words)] == words:
        return tokens[len(words) :]
    own = list(tokens)
    at = -1
    for nth in range(own.count(name)):
        at = own.index(name, at + 1)
        if not nth or not _is_of_another(own, at):
            own[at] = _OWN_NAME
    return own


def _is_of_another(tokens: list[bytes], at: int) -> bool:
    """Tell whether the name at an index belongs to something else: `a.name`, but not `self.name`."""
    before = (token for token in reversed(tokens[max(0, at - NEAR) : at]) if token[:1] not in _MARKS)
    return next(before, b"") in _ACCESS and next(before, b"") not in _SELF


def _hashed(tokens: Iterable[bytes]) -> tuple[str, int]:
    """Give the print, and how many of the tokens are leaves."""
    solid = list(filter(None, tokens))
    digest = blake2b(b"\n".join(solid), digest_size=PRINT_BYTES).hexdigest()
    return digest, max(0, len(solid) - 2 * solid.count(_CLOSING))


def _whole_file(data: bytes, tokens: Iterable[bytes]) -> SymbolPrint:
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    return SymbolPrint("", "file", 1, max(1, lines), *_hashed(tokens))


def _folded_lines(data: bytes) -> Iterable[bytes]:
    return (b" ".join(line.split()) for line in data.splitlines())


def _words_of(data: bytes) -> _Text:
    """Give the words of prose."""
    return _text_of(_WORD, _NO_WORDS.sub(lambda found: b" " * len(found[0]), data))


def _text_of(token: re.Pattern[bytes], data: bytes) -> _Text:
    """Give what the pattern finds, as leaves."""
    text = _Text([], [], [])
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


class _Reader:
    """Reads one tree into tokens."""

    def __init__(self, data: bytes, language: str) -> None:
        self.data = data
        self.kinds = kinds_of(language)
        self.rules = rules_of(language)
        self.text = _Text([], [], [])
        self.position = 0  # up to where the file is read

    def read(self, tree: Tree) -> _Text:
        """Give the tokens of the whole tree."""
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
        """Read a node; where its children are to be read first, give its frame."""
        start, end = node.start_byte, node.end_byte
        if start > self.position:
            self._read_gap(frame, start)
        kind = self.kinds.get(node.kind_id, BROKEN)
        if kind.name in frame.kind.drops or kind.is_dropped:
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
        frame = _Frame(kind, outer, end, len(self.text.tokens), kind.is_typed, is_unquoted)
        if outer:
            frame.is_typed = frame.is_typed or outer.is_typed
            self._add(kind.opening, start, end)
        else:
            frame.opening = -1
        self.position = start
        return frame

    def _closed(self, frame: _Frame) -> _Frame | None:
        """Close a node and give the one that it is in; one that holds a single thing is that thing."""
        if frame.end > self.position:
            self._read_gap(frame, frame.end)
        outer = frame.outer
        if outer is None:
            return None
        if not frame.count and not (frame.is_bracketed and not outer.kind.owns_empty) and not frame.kind.is_string:
            self.text.tokens[frame.opening] = b""
            return outer
        if frame.count == 1 and self._is_wrapper(frame, outer):
            self.text.tokens[frame.opening] = b""
        else:
            self._add(_CLOSING, max(frame.end - 1, self.text.starts[-1]), frame.opening)
        outer.count += 1
        return outer

    def _is_wrapper(self, frame: _Frame, outer: _Frame) -> bool:
        if outer.kind.has_quoted_key and not outer.count and frame.kind.is_string:
            last = self.text.tokens[-1]
            self.text.tokens[-1] = last[1:] if _IDENTIFIER.fullmatch(last) else last
        is_bracketed_block = frame.kind.is_block and frame.is_bracketed  # the others are as long as their statement
        return not frame.kind.is_whole and (not is_bracketed_block or outer.kind.owns_bodies)

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
