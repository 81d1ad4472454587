"""What a file defines and refers to, read from its syntax tree. Pure: bytes in, an `Outline` out.

Which nodes count is written in the query files (see `grammar`); this module joins their names and spans, and
`comments` reads what is said about them. It runs over every file of a repository, so it takes few attributes of few
nodes (0.3 µs each) and counts on the bytes instead. Nothing here walks the tree: deep ones crash the binding.
"""

import re
from dataclasses import replace
from typing import NamedTuple

from tree_sitter import Node, QueryCursor

from repomem.core.types import Definition, Outline, Reference
from repomem.parse.comments import attributes_start, documentation_of, folded
from repomem.parse.grammar import (
    LANGUAGES,
    NAMED_AS_ITS_TYPE,
    Grammar,
    definitions_query_of,
    parser_of,
    query_of,
)

MAX_SIGNATURE = 200  # characters: the contract of `Definition`
SIGNATURE_BYTES = 1000  # more than MAX_SIGNATURE needs: a table of constants is not read whole
MAX_NAME = 200  # bytes; what is longer carries data, and is no name
MAX_DEPTH = 100  # no one nests deeper by hand; generated and hostile files do

# A function that stands directly in one of these is a method. "scope" is what encloses without defining.
_TYPE_KINDS = frozenset({"class", "interface", "struct", "enum", "trait", "type", "scope"})
_NO_RECEIVERS = frozenset({"exports", "module.exports", "this", "self"})  # they name no definition
_GENERICS = re.compile(r"<[^<>]*>")
_DEFINITION = "definition."
_REFERENCE = "reference."

_Captures = dict[str, list[Node]]
_Span = tuple[int, int]


class _Found(NamedTuple):
    """A definition or scope as its match gave it, before it is known what encloses it."""

    start: int
    end: int
    kind: str
    name: str
    parents: tuple[str, ...]  # what the name itself says of its enclosing definitions
    body: int  # where the body starts, -1 where unknown
    doc: str


class _Enclosing(NamedTuple):
    """What the definitions up to `end` stand in."""

    start: int
    end: int
    kind: str
    qualified: str


def outline_of(data: bytes, language: str, *, with_references: bool = False) -> Outline:
    """Give the definitions of a file in a language of `LANGUAGES`, and its references if asked for.

    Both are in the order of their start. Broken syntax gives what could be read; a language without a query gives
    an outline without entries.
    """
    root = parser_of(language).parse(data).root_node
    query = query_of(language) if with_references else definitions_query_of(language)
    if query is None:
        return Outline((), (), root.has_error)
    by_pattern = sorted(QueryCursor(query).matches(root), key=_pattern_index)
    matches = [captures for _, captures in by_pattern]
    grammar = LANGUAGES[language]
    definitions = _definitions_of(_found_in(matches, data, grammar), data, grammar)
    references = _references_in(matches, data) if with_references else ()
    return Outline(definitions, references, root.has_error)


def _pattern_index(match: tuple[int, _Captures]) -> int:
    return match[0]


def _outer_first(found: _Found) -> tuple[int, int]:
    return found.start, -found.end


def _found_in(matches: list[_Captures], data: bytes, grammar: Grammar) -> list[_Found]:
    """Give the definitions and scopes by their start, the outer before the inner."""
    found: dict[int, _Found] = {}  # by the start of the name: the first pattern counts
    wrappers: dict[_Span, _Span] = {}
    for captures in matches:
        if "wrapped" in captures:
            wrappers[captures["wrapped"][0].byte_range] = captures["wrapper"][0].byte_range
        elif "name" in captures:
            start, end = captures["name"][0].byte_range
            if start not in found and end - start <= MAX_NAME:
                each = _found_by(captures, data[start:end], data, grammar)
                if each:
                    found[start] = each
    widened = [_widened(each, wrappers, data, grammar) for each in found.values()]
    return sorted(widened, key=_outer_first)


def _found_by(captures: _Captures, raw_name: bytes, data: bytes, grammar: Grammar) -> _Found | None:
    """Give the definition or scope of one match; None where the match is a reference or its name is empty."""
    whole = next((capture for capture in captures if capture == "scope" or capture.startswith(_DEFINITION)), "")
    if not whole:
        return None
    *parents, name = _name_parts(_text(raw_name), grammar)
    if not name:
        return None
    if "receiver" in captures:
        parents = [*_receiver_parts(_text(_bytes_of(captures["receiver"][0], data))), *parents]
    start, end = captures[whole][0].byte_range
    body = captures["body"][0].start_byte if "body" in captures else -1
    doc = _text(_bytes_of(captures["doc"][0], data)) if "doc" in captures else ""
    return _Found(start, end, whole.removeprefix(_DEFINITION), name, tuple(parents), body, doc)


def _widened(found: _Found, wrappers: dict[_Span, _Span], data: bytes, grammar: Grammar) -> _Found:
    """Give the definition with the export, decorators or attributes that belong to it."""
    span = found.start, found.end
    while span in wrappers and wrappers[span] != span:
        span = wrappers[span]
    start, end = span
    if grammar.attribute_opening:
        start = attributes_start(data, start, grammar.attribute_opening.encode())
    return found if (start, end) == (found.start, found.end) else found._replace(start=start, end=end)


def _definitions_of(found: list[_Found], data: bytes, grammar: Grammar) -> tuple[Definition, ...]:
    definitions: list[Definition] = []
    clauses: dict[str, int] = {}  # by what encloses them: the definition that came last
    stack: list[_Enclosing] = []
    line, counted = 1, 0
    for each in found:
        while stack and not _encloses(stack[-1], each):
            stack.pop()
        if len(stack) >= MAX_DEPTH:
            continue
        outer = stack[-1] if stack else None
        prefix = outer.qualified if outer else ""
        qualified = ".".join((prefix, *each.parents, each.name) if prefix else (*each.parents, each.name))
        kind = _kind_within(each, outer, grammar)
        stack.append(_Enclosing(each.start, each.end, kind, qualified))
        line, counted = line + data.count(b"\n", counted, each.start), each.start
        end_line = line + data.count(b"\n", each.start, max(each.start, each.end - 1))
        if grammar.merges_clauses and prefix in clauses and definitions[clauses[prefix]].qualified == qualified:
            last = clauses[prefix]
            definitions[last] = replace(definitions[last], end_line=end_line, end_byte=each.end)
        elif kind != "scope":
            clauses[prefix] = len(definitions)
            definitions.append(_definition(each, kind, qualified, (line, end_line), data, grammar))
    return tuple(definitions)


def _definition(
    found: _Found, kind: str, qualified: str, lines: tuple[int, int], data: bytes, grammar: Grammar
) -> Definition:
    return Definition(
        name=found.name,
        qualified=qualified,
        kind=kind,
        start_line=lines[0],
        end_line=lines[1],
        start_byte=found.start,
        end_byte=found.end,
        signature=_signature(found, data),
        docstring=documentation_of(data, found.start, found.body, found.doc, grammar),
    )


def _encloses(outer: _Enclosing, found: _Found) -> bool:
    """Tell whether it starts inside; two names of one statement share a span, and neither encloses the other."""
    return found.start < outer.end and (outer.start, outer.end) != (found.start, found.end)


def _kind_within(found: _Found, outer: _Enclosing | None, grammar: Grammar) -> str:
    """Give the kind, where a function in a type is its method or its constructor."""
    if found.kind not in {"function", "method"}:
        return found.kind
    kind = "method" if outer is not None and outer.kind in _TYPE_KINDS else found.kind
    if kind != "method" or not grammar.constructor:
        return kind
    owner = found.parents[-1] if found.parents else outer.qualified.rpartition(".")[2] if outer else ""
    constructor = owner if grammar.constructor == NAMED_AS_ITS_TYPE else grammar.constructor
    return "constructor" if found.name == constructor else kind


def _signature(found: _Found, data: bytes) -> str:
    end = found.body if found.body > found.start else found.end
    text = folded(_text(data[found.start : min(end, found.start + SIGNATURE_BYTES)]))
    return text[:MAX_SIGNATURE].rstrip(" {:=")


def _name_parts(name: str, grammar: Grammar) -> list[str]:
    """Split a qualified name as its language writes it; the last part is the name itself."""
    if name.isidentifier():
        return [name]
    if name[:1] in {'"', "'", "`"}:
        return [name.strip("\"'`")]
    if "<" in name and "operator" not in name:
        name = _GENERICS.sub("", name)
    for separator in grammar.separators:
        name = name.replace(separator, ".")
    parts = name.split(".") if grammar.separators else [name]
    return [folded(part) for part in parts if part.strip()] or [""]


def _receiver_parts(receiver: str) -> list[str]:
    if receiver in _NO_RECEIVERS:
        return []
    return receiver.removesuffix(".prototype").split(".")


def _references_in(matches: list[_Captures], data: bytes) -> tuple[Reference, ...]:
    found: dict[int, Reference] = {}  # by the start of the name: the first pattern counts
    for captures in matches:
        whole = next((capture for capture in captures if capture.startswith(_REFERENCE)), "")
        if whole and "name" in captures:
            node = captures["name"][0]
            start, end = node.byte_range
            if start not in found and end - start <= MAX_NAME:
                name = folded(_text(data[start:end])).strip("\"'`<>")
                found[start] = Reference(name, whole.removeprefix(_REFERENCE), node.start_point.row + 1)
    return tuple(found[start] for start in sorted(found) if found[start].name)


def _bytes_of(node: Node, data: bytes) -> bytes:
    start, end = node.byte_range
    return data[start:end]


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", errors="replace")
