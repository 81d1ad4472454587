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
MAX_LEVEL = 6  # of headings, in Markdown as in HTML
MAX_DEPTH = 100  # no one nests deeper by hand; generated and hostile files do

# A function that stands directly in one of these is a method. "scope" is what encloses without defining.
_TYPE_KINDS = frozenset({"class", "interface", "struct", "enum", "trait", "type", "scope"})
_NO_RECEIVERS = frozenset({"exports", "module.exports", "this", "self"})  # they name no definition
_GENERICS = re.compile(r"<[^<>]*>")
_CLOSING_HASHES = re.compile(r"\s+#+$")  # `## Title ##`, which Markdown allows
_CLAUSE_KINDS = frozenset({"function", "method", "macro"})  # what may be written as several clauses
_NAME_MARKS = "\"'`:<>"  # quotes, the colon of a symbol, the brackets of an include
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
    level: int  # of a heading, 1 the highest; 0 for everything else


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
    found = _found_in(matches, data, grammar)
    in_order = _sections_whole(sorted(found.values(), key=_outer_first), len(data))
    definitions = _definitions_of(in_order, data, grammar)
    references = _references_in(matches, data, found) if with_references else ()
    return Outline(definitions, references, root.has_error)


def _pattern_index(match: tuple[int, _Captures]) -> int:
    return match[0]


def _outer_first(found: _Found) -> tuple[int, int]:
    return found.start, -found.end


def _found_in(matches: list[_Captures], data: bytes, grammar: Grammar) -> dict[int, _Found]:
    """Give the definitions and scopes by the start of their name, where the first pattern counts."""
    found: dict[int, _Found] = {}
    wrappers: dict[_Span, _Span] = {}
    for captures in matches:
        if "wrapped" in captures:
            wrappers[captures["wrapped"][0].byte_range] = captures["wrapper"][0].byte_range
        elif "name" in captures:
            start, end = captures["name"][0].byte_range
            if start not in found and end - start <= MAX_NAME:
                each = _found_by(captures, _name_bytes(captures["name"], data), data, grammar)
                if each:
                    found[start] = each
    return {start: _widened(each, wrappers, data, grammar) for start, each in found.items()}


def _name_bytes(nodes: list[Node], data: bytes) -> bytes:
    """Give a name; what markup keeps in several nodes is joined by spaces."""
    return b" ".join(_bytes_of(node, data) for node in nodes)


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
    body = -1
    if "body" in captures:
        body, body_end = captures["body"][0].byte_range
        end = max(end, body_end)
    kind, _, level = whole.removeprefix(_DEFINITION).partition(".")
    doc = _text(_bytes_of(captures["doc"][0], data)) if "doc" in captures else ""
    return _Found(start, end, kind, name, tuple(parents), body, doc, int(level or 0))


def _widened(found: _Found, wrappers: dict[_Span, _Span], data: bytes, grammar: Grammar) -> _Found:
    """Give the definition with the export, decorators or attributes that belong to it."""
    span = found.start, found.end
    while span in wrappers and wrappers[span] != span:
        span = wrappers[span]
    start, end = span
    if grammar.attribute_opening:
        start = attributes_start(data, start, grammar.attribute_opening.encode())
    return found if (start, end) == (found.start, found.end) else found._replace(start=start, end=end)


def _sections_whole(found: list[_Found], end: int) -> list[_Found]:
    """Let each heading reach to the next one of its own level or above, or to the end of the file."""
    if not any(each.level for each in found):
        return found
    next_start = [end] * (MAX_LEVEL + 1)  # by level, read from the end of the file
    sections: list[_Found] = []
    for each in reversed(found):
        reach = min(next_start[1 : each.level + 1], default=each.end)
        next_start[each.level] = each.start
        body = each.end if each.body < 0 else each.body
        sections.append(each._replace(end=reach, body=body, name=_CLOSING_HASHES.sub("", each.name)))
    return sections[::-1]


def _definitions_of(found: list[_Found], data: bytes, grammar: Grammar) -> tuple[Definition, ...]:
    definitions: list[Definition] = []
    last_in: dict[int, int] = {}  # by the start of what encloses it: the definition that came last
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
        if kind == "scope":
            continue
        definition = _definition(each, kind, qualified, (line, end_line), data, grammar)
        last = last_in.get(outer.start if outer else -1, -1)
        if grammar.merges_clauses and last >= 0 and _is_clause_of(definitions[last], definition):
            definitions[last] = replace(definitions[last], end_line=end_line, end_byte=each.end)
        else:
            last_in[outer.start if outer else -1] = len(definitions)
            definitions.append(definition)
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


def _is_clause_of(earlier: Definition, later: Definition) -> bool:
    return earlier.qualified == later.qualified and earlier.kind == later.kind and later.kind in _CLAUSE_KINDS


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
    if name.isidentifier() or not any(map(str.isalnum, name)):  # the latter is an operator
        return [name]
    if name[:1] in _NAME_MARKS:
        name = name.strip(_NAME_MARKS)
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


def _references_in(matches: list[_Captures], data: bytes, defined: dict[int, _Found]) -> tuple[Reference, ...]:
    """Give the references; the name of a definition is none, whatever a grammar takes it for."""
    names = {start for start, each in defined.items() if each.kind != "scope"}
    found: dict[int, Reference] = {}  # by the start of the name: the first pattern counts
    for captures in matches:
        whole = next((capture for capture in captures if capture.startswith(_REFERENCE)), "")
        if whole and "name" in captures:
            node = captures["name"][0]
            start, end = node.byte_range
            if start not in found and start not in names and end - start <= MAX_NAME:
                name = folded(_text(data[start:end]))
                name = name if name[:1].isalnum() else name.strip("\"'`<>")  # Haskell's names may end in a prime
                found[start] = Reference(name, whole.removeprefix(_REFERENCE), node.start_point.row + 1)
    return tuple(found[start] for start in sorted(found) if found[start].name)


def _bytes_of(node: Node, data: bytes) -> bytes:
    start, end = node.byte_range
    return data[start:end]


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", errors="replace")
