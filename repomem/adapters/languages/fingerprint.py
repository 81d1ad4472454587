"""Fingerprints of a file's definitions: hashes that reformatting does not change. Pure: bytes in, prints out.

A print is a hash of the definition's tokens (see `fingerprint_tokens`), without its name and its inner definitions. A
second print of a function also omits the names of its variables and of its type (see `local_names`). A property whose
getter and setter are two definitions has a print of both, besides their own.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from repomem.adapters.languages.fingerprint_tokens import CLOSING, WORD, FileTokens, TreeReader, symbols_of, words_of
from repomem.adapters.languages.grammar import LANGUAGES
from repomem.adapters.languages.local_names import LocalNames, local_names, without_local_names
from repomem.adapters.languages.outline import outline_of
from repomem.adapters.languages.parsers import has_grammar, parsed
from repomem.core.digests import short_digest
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.code import FUNCTIONS, Definition, SymbolPrint

MAX_BYTES = 1_000_000  # larger code was not written by hand
MAX_NODES = 300_000  # about a second's work
PRINT_BYTES = 8
NEAR = 8  # tokens before a name, including the two that show its owner

_COPYRIGHT = lazy_pattern(rb"\s*[^\w\s]+\s*(?i:copyright\b|\(c\))")  # in a comment, whatever the language's mark
_ACCESSOR = lazy_pattern(  # what it does: a decorator in Python, a word in JavaScript, TypeScript and Dart
    rb"(?:@[^\n]*\n\s*)*?@(?:[\w.]+\.(setter|deleter)|(?:\w+\.)*\w*property)\b|(?:[\w<>?]+\s+){0,4}?(get|set)\s"
)
_OWN_NAME = b"\0"  # no token holds it
_OWNER = b"\0\0"
_MARKS = frozenset({b"(", b")"})  # the first byte of those for a node that opens or closes
_BLOCK = b"(block"
_ACCESS = frozenset({b".", b"->", b"::", b":", b"?.", b"&."})  # a name after one belongs to what precedes it
_SELF = frozenset({b"self", b"this", b"cls", b"Self", b"static", b"@"})

_Span = tuple[int, int]  # indexes of tokens, half open

_TYPES = frozenset({"class", "interface", "struct", "enum", "trait", "module", "type", "section"})
_CONTRACTS = frozenset({"interface", "trait"})  # defined by their signatures


def prints_of(data: bytes, language: str) -> tuple[SymbolPrint, ...]:
    """The prints of the file and of every definition in it, ordered by start; a property's before its accessors'.

    Only the file's print for a language without a grammar, and for a file too large to be hand-written.
    """
    if len(data) > MAX_BYTES or not has_grammar(language):
        return (_whole_file(data, _folded_lines(data)),)
    bound = LocalNames((), ())
    if language == "markdown":
        text = words_of(data)
    elif LANGUAGES[language].script:
        text = symbols_of(data)  # its meaning is in no single tree
    else:
        tree, _ = parsed(data, language)
        if tree.root_node.descendant_count > MAX_NODES:
            return (_whole_file(data, _folded_lines(data)),)
        text = TreeReader(data, language).read(tree)
        bound = local_names(tree, language)
    definitions = outline_of(data, language).definitions
    file = _File(text, definitions, [definition.start_byte for definition in definitions], bound)
    prints = [_whole_file(data, text.tokens), *map(file.print_of, range(len(definitions)))]
    properties = _properties(data, definitions, prints[1:])
    return tuple(sorted([*properties, *prints], key=lambda one: (bool(one.qualified), one.start_line)))


@dataclass(frozen=True, slots=True)
class _File:
    """A file's tokens, and its definitions ordered by start."""

    text: FileTokens
    definitions: tuple[Definition, ...]
    starts: list[int]  # of the definitions
    bound: LocalNames

    def print_of(self, index: int) -> SymbolPrint:
        """The print of the definition at an index."""
        definition = self.definitions[index]
        first, last = self.text.span_of(definition)
        tokens: list[bytes] = []
        for hole_first, hole_last in self._holes_of(index):
            tokens += filter(None, self.text.tokens[first : max(first, hole_first)])
            first = max(first, hole_last)
        tokens += filter(None, self.text.tokens[first:last])
        own = _without_name(tokens, definition.name.encode())
        found = SymbolPrint(
            definition.qualified, definition.kind, definition.start_line, definition.end_line, *_hashed(own)
        )
        return found._replace(unnamed=self._unnamed(definition, own)) if definition.kind in FUNCTIONS else found

    def _unnamed(self, definition: Definition, tokens: list[bytes]) -> str:
        """The print of a function without the names of its variables and of the type it belongs to."""
        names = self.bound.within(definition.start_byte, definition.end_byte) - {definition.name.encode()}
        owner = definition.qualified.rpartition(".")[0].rpartition(".")[2].encode()
        if not names and not owner:
            return ""
        numbered = without_local_names(tokens, names)
        return _hashed(_OWNER if owner and token == owner else token for token in numbered)[0]

    def _holes_of(self, index: int) -> Iterable[_Span]:
        """The spans of the definitions within a type that have prints of their own."""
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


def _properties(data: bytes, definitions: Sequence[Definition], prints: Sequence[SymbolPrint]) -> list[SymbolPrint]:
    """A print of each property that several accessors define: what is remembered about it concerns all of them."""
    found: dict[str, dict[tuple[bytes, ...], SymbolPrint]] = {}
    for definition, one in zip(definitions, prints, strict=True):
        if accessor := _ACCESSOR.match(data, definition.start_byte, definition.end_byte):
            found.setdefault(one.qualified, {}).setdefault(accessor.groups(b""), one)
    return [_of_all([*accessors.values()]) for accessors in found.values() if len(accessors) > 1]


def _of_all(prints: Sequence[SymbolPrint]) -> SymbolPrint:
    """One print of several, from the first line to the last one."""
    own, unnamed = (
        "\n".join(each) for each in zip(*((one.print, one.unnamed or one.print) for one in prints), strict=True)
    )
    return prints[0]._replace(
        end_line=max(one.end_line for one in prints),
        print=short_digest(own, PRINT_BYTES),
        tokens=sum(one.tokens for one in prints),
        unnamed=short_digest(unnamed, PRINT_BYTES) if unnamed != own else "",
    )


def _is_apart(inner: Definition, outer: Definition, tokens: list[bytes]) -> bool:
    """Whether a definition within a type has its own print; fields do not."""
    if (inner.start_byte, inner.end_byte) == (outer.start_byte, outer.end_byte):
        return False  # another name of the same
    if inner.kind in _TYPES or (inner.kind in FUNCTIONS and outer.kind not in _CONTRACTS):
        return True
    return inner.kind in FUNCTIONS | {"property"} and _BLOCK in tokens


def _without_name(tokens: list[bytes], name: bytes) -> list[bytes]:
    """The tokens with the definition's name replaced by a mark, also in recursive calls.

    A section starts with its name, which may have several words.
    """
    words = WORD.findall(name)
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
    """Whether the name at an index belongs to another object: `a.name`, but not `self.name`."""
    before = (token for token in reversed(tokens[max(0, at - NEAR) : at]) if token[:1] not in _MARKS)
    return next(before, b"") in _ACCESS and next(before, b"") not in _SELF


def _hashed(tokens: Iterable[bytes]) -> tuple[str, int]:
    """The print, and the number of leaves among the tokens."""
    solid = list(filter(None, tokens))
    digest = short_digest(b"\n".join(solid), PRINT_BYTES)
    return digest, max(0, len(solid) - 2 * solid.count(CLOSING))


def _whole_file(data: bytes, tokens: Iterable[bytes]) -> SymbolPrint:
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    return SymbolPrint("", "file", 1, max(1, lines), *_hashed(tokens))


def _folded_lines(data: bytes) -> Iterable[bytes]:
    """The lines, without the commented ones that name the holder of the copyright and a year."""
    return (b" ".join(line.split()) for line in data.splitlines() if not _COPYRIGHT.match(line))
