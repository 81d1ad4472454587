"""Reads a file's definitions and references from its syntax tree. Pure: bytes in, an `Outline` out.

Query files select the nodes (see `grammar`); this module joins their names and spans, `qualified_names` parses the
names, and `doc_comments` finds the documentation. Because it runs over every file, it reads few attributes of few nodes
(0.3 µs each) and works on bytes instead. It never walks the tree: deep trees crash the binding.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from operator import itemgetter
from typing import NamedTuple

from tree_sitter import Node, Query, QueryCursor

from repomem.adapters.languages.doc_comments import (
    attributes_start,
    decoded,
    documentation_of,
    folded,
    without_comments,
)
from repomem.adapters.languages.extents import (
    Found,
    functions_apart,
    functions_whole,
    sections_whole,
    types_closed,
    without_functions_around_types,
    without_trailing_comments,
)
from repomem.adapters.languages.grammar import LANGUAGES, NAMED_AS_ITS_TYPE, Grammar
from repomem.adapters.languages.imports import imports_of
from repomem.adapters.languages.macros import Span, declaration_starts, macro_uses
from repomem.adapters.languages.parsers import definitions_query_of, parsed, parser_within, query_of
from repomem.adapters.languages.qualified_names import name_parts, receiver_of, receiver_parts
from repomem.core.types.code import TYPES, Definition, Import, Outline, Reference

MAX_SIGNATURE = 200  # characters: the contract of `Definition`
NAMED_WITHIN = 80  # characters of a signature: decorators that push the name further back are left out
SIGNATURE_BYTES = 1000  # more than MAX_SIGNATURE needs: a table of constants is not read whole
MAX_NAME = 200  # bytes; longer text is data, not a name
MAX_DEPTH = 100  # no one nests deeper by hand; generated and hostile files do

# A function directly inside one of these is a method. "scope" encloses without defining.
_TYPE_KINDS = TYPES | {"scope"}
MAX_IMPORT = 4_000  # bytes of an import statement; that of a package may span the whole file
_CALLED_KINDS = frozenset({"function", "method"})
_CLAUSE_KINDS = frozenset({"function", "method", "macro"})  # what may be written as several clauses
_DEFINITION = "definition."
_REFERENCE = "reference."

_Captures = dict[str, list[Node]]
_Span = tuple[int, int]


class _Enclosing(NamedTuple):
    """The scope of the definitions up to `end`."""

    start: int
    end: int
    kind: str
    qualified: str


_NOTHING = _Enclosing(start=-1, end=-1, kind="", qualified="")


def outline_of(data: bytes, language: str, *, with_references: bool = False) -> Outline:
    """The definitions of a file in a language of `LANGUAGES`, and its references if `with_references` is set.

    Both are ordered by start. Files with syntax errors are parsed as far as possible; a language without a query has an
    empty outline.
    """
    grammar = LANGUAGES[language]
    query_for = query_of if with_references else definitions_query_of
    query = query_for(language)
    tree, hidden = parsed(data, language)
    root = tree.root_node
    if query is None:
        return Outline((), (), root.has_error)
    matches = _matches(query, root)
    is_broken = root.has_error
    matches += [each for tree in _trees_in_macros(matches, data, language) for each in _matches(query, tree)]
    script_query = query_for(grammar.script) if grammar.script else None
    ranges = [node.range for captures in matches for node in captures.get("script", ())]
    if script_query and ranges:
        script = parser_within(grammar.script, ranges).parse(data).root_node
        matches += _matches(script_query, script)
        is_broken = is_broken or script.has_error
    found = _found_in(matches, data, grammar)
    if hidden.spans:
        starts = declaration_starts(hidden)
        found = {at: each._replace(start=starts.get(each.start, each.start)) for at, each in found.items()}
    in_order = sections_whole(sorted(found.values(), key=lambda each: (each.start, -each.end)), len(data))
    if is_broken and not grammar.nests_functions:
        in_order = types_closed(without_functions_around_types(in_order), data)
        in_order = functions_whole(functions_apart(in_order, data), data)
    if grammar.line_comments:
        in_order = without_trailing_comments(in_order, data, grammar.line_comments)
    definitions = _definitions_of(in_order, data, grammar)
    if not with_references:
        return Outline(definitions, (), is_broken)
    imports = _imports_in(matches, data, grammar.script or language, definitions)
    return Outline(definitions, _references_in(matches, data, found, hidden.spans, grammar), is_broken, imports)


def _trees_in_macros(matches: list[_Captures], data: bytes, language: str) -> list[Node]:
    """The trees of macro arguments that are in the language's own syntax."""
    ranges = [node.range for captures in matches for node in captures.get("items", ())]
    trees = (parser_within(language, [each]).parse(data).root_node for each in ranges)
    return [tree for tree in trees if not tree.has_error]


def _matches(query: Query, root: Node) -> list[_Captures]:
    """The matches in pattern order."""
    return [captures for _, captures in sorted(QueryCursor(query).matches(root), key=itemgetter(0))]


def _found_in(matches: list[_Captures], data: bytes, grammar: Grammar) -> dict[int, Found]:
    """The definitions and scopes by the start of their name; the first pattern that matches a name wins."""
    found: dict[int, Found] = {}
    wrappers: dict[_Span, _Span] = {}
    for captures in matches:
        if "wrapped" in captures:
            wrappers[captures["wrapped"][0].byte_range] = captures["wrapper"][0].byte_range
        elif "name" in captures:
            if "macro" in captures:
                found.pop(captures["macro"][0].start_byte, None)
            start, end = captures["name"][0].byte_range
            if start not in found and end - start <= MAX_NAME:
                each = _found_by(captures, data[start:end], data, grammar)
                if each:
                    found[start] = each
    if wrappers or grammar.attribute_opening:
        return {start: _widened(each, wrappers, data, grammar) for start, each in found.items()}
    return found


@cache
def _kind_and_level(capture: str) -> tuple[str, int]:
    """The kind and level of a capture of a whole definition or scope; an empty kind for any other capture."""
    if capture != "scope" and not capture.startswith(_DEFINITION):
        return "", 0
    kind, _, level = capture.removeprefix(_DEFINITION).partition(".")
    return kind, int(level or 0)


def _found_by(captures: _Captures, raw_name: bytes, data: bytes, grammar: Grammar) -> Found | None:
    """The definition or scope of one match; None if the match is a reference or its name is empty."""
    for capture, nodes in captures.items():
        kind, level = _kind_and_level(capture)
        if kind:
            start, end = nodes[0].byte_range
            break
    else:
        return None
    *parents, name = name_parts(decoded(raw_name), grammar)
    if not name:
        return None
    if "receiver" in captures:
        parents = [*receiver_parts(decoded(_bytes_of(captures["receiver"][0], data))), *parents]
    body = -1
    if "body" in captures:
        body, body_end = captures["body"][0].byte_range
        end = max(end, body_end)
    doc = decoded(_bytes_of(captures["doc"][0], data)) if "doc" in captures else ""
    return Found(start, end, kind, name, tuple(parents), body, doc, level, start)


def _widened(found: Found, wrappers: dict[_Span, _Span], data: bytes, grammar: Grammar) -> Found:
    """The definition with its export keyword, decorators and attributes."""
    span = found.start, found.end
    while span in wrappers and wrappers[span] != span:
        span = wrappers[span]
    start, end = span
    if grammar.attribute_opening:
        start = attributes_start(data, start, grammar.attribute_opening.encode())
    return found if (start, end) == (found.start, found.end) else found._replace(start=start, end=end)


def _definitions_of(found: list[Found], data: bytes, grammar: Grammar) -> tuple[Definition, ...]:
    definitions: list[Definition] = []
    last_in: dict[int, int] = {}  # by the start of the enclosing definition: the last definition in it
    stack: list[_Enclosing] = []
    line, counted = 1, 0
    for each in found:
        while stack and not _encloses(stack[-1], each):
            stack.pop()
        if len(stack) >= MAX_DEPTH:
            continue
        outer = stack[-1] if stack else _NOTHING
        entered = _entered(each, outer, grammar)
        stack.append(entered)
        if entered.kind == "scope":
            continue
        line, counted = line + data.count(b"\n", counted, each.start), each.start
        definition = _definition(each, entered, line, data, grammar)
        last = last_in.get(outer.start, -1)
        if last >= 0 and _is_same(definitions[last], definition, grammar):
            definitions[last] = definitions[last]._replace(end_line=definition.end_line, end_byte=each.end)
        else:
            last_in[outer.start] = len(definitions)
            definitions.append(definition)
    return tuple(definitions)


def _entered(found: Found, outer: _Enclosing, grammar: Grammar) -> _Enclosing:
    """The scope that a definition or block opens."""
    qualified = f"{outer.qualified}.{found.name}" if outer.qualified else found.name
    if found.parents:
        qualified = ".".join((*filter(None, [outer.qualified]), *found.parents, found.name))
    return _Enclosing(found.start, found.end, _kind_within(found, outer, grammar), qualified)


def _definition(found: Found, entered: _Enclosing, line: int, data: bytes, grammar: Grammar) -> Definition:
    return Definition(
        name=found.name,
        qualified=entered.qualified,
        kind=entered.kind,
        start_line=line,
        # a section or block may span its last line end, which is still on its last line
        end_line=line + data.count(b"\n", found.start, max(found.start, found.end - 1)),
        start_byte=found.start,
        end_byte=found.end,
        signature=_signature(found, data, grammar),
        docstring=documentation_of(data, found.start, found.body, found.doc, grammar),
    )


def _is_same(earlier: Definition, later: Definition, grammar: Grammar) -> bool:
    """Whether a definition is the next clause of the last one, or repeats it as in `typedef struct x {…} x`."""
    if earlier.qualified != later.qualified:
        return False
    if earlier.start_byte == later.start_byte:
        return earlier.end_byte == later.end_byte
    return grammar.merges_clauses and earlier.kind == later.kind and later.kind in _CLAUSE_KINDS


def _encloses(outer: _Enclosing, found: Found) -> bool:
    """Whether a scope encloses a definition; names of one statement share a span and do not enclose each other."""
    return found.start < outer.end and (outer.start, outer.end) != (found.start, found.end)


def _kind_within(found: Found, outer: _Enclosing, grammar: Grammar) -> str:
    """The kind of a definition; a function in a type is its method or constructor."""
    if found.kind not in _CALLED_KINDS:
        return found.kind
    kind = "method" if outer.kind in _TYPE_KINDS else found.kind
    if grammar.has_macros and outer.kind not in _TYPE_KINDS and not found.parents:
        return "function"  # an operator, or what a broken tree takes for a member
    if kind != "method" or not grammar.constructor:
        return kind
    owner = found.parents[-1] if found.parents else outer.qualified.rpartition(".")[2]
    constructor = owner if grammar.constructor == NAMED_AS_ITS_TYPE else grammar.constructor
    return "constructor" if found.name == constructor else kind


def _signature(found: Found, data: bytes, grammar: Grammar) -> str:
    whole = _signature_from(found.start, found, data, grammar)
    if found.declared == found.start or re.search(rf"(?<!\w){re.escape(found.name)}(?!\w)", whole[:NAMED_WITHIN]):
        return whole
    return _signature_from(found.declared, found, data, grammar)


def _signature_from(start: int, found: Found, data: bytes, grammar: Grammar) -> str:
    has_body = found.body > start
    end = found.body if has_body else found.end
    text = decoded(data[start : min(end, start + SIGNATURE_BYTES)])
    if has_body:
        text = without_comments(text, grammar)
    return folded(text)[:MAX_SIGNATURE].rstrip(" {:=")


def _references_in(
    matches: list[_Captures], data: bytes, defined: dict[int, Found], hidden: Sequence[Span], grammar: Grammar
) -> tuple[Reference, ...]:
    """The references, without the names of definitions, which some grammars match too, and with hidden macros."""
    names = {start for start, each in defined.items() if each.kind != "scope"}
    found: dict[int, tuple[str, str]] = {}  # by the start of the name, its kind and itself: the first pattern counts
    for captures in matches:
        kind = next(filter(None, map(_reference_kind, captures)), "")
        if kind and "name" in captures:
            start, end = captures["name"][0].byte_range
            if start not in found and start not in names and end - start <= MAX_NAME:
                name = folded(decoded(data[start:end]))
                name = name if name[:1].isalnum() else name.strip("\"'`<>")  # Haskell's names may end in a prime
                found[start] = kind, name
    found.update({start: (kind, name) for start, kind, name in macro_uses(data, hidden)})
    return tuple(_placed(found, data, grammar))


@cache
def _reference_kind(capture: str) -> str:
    return capture.removeprefix(_REFERENCE) if capture.startswith(_REFERENCE) else ""


def _placed(found: dict[int, tuple[str, str]], data: bytes, grammar: Grammar) -> Iterator[Reference]:
    """The references in order, with their lines and receivers."""
    line, counted = 1, 0
    for start in sorted(found):
        kind, name = found[start]
        line, counted = line + data.count(b"\n", counted, start), start
        if name:
            yield Reference(name, kind, line, receiver_of(data, start, grammar))


def _imports_in(
    matches: list[_Captures], data: bytes, language: str, definitions: Sequence[Definition]
) -> tuple[Import, ...]:
    """The names that the import statements import, in order."""
    starts = {node.start_byte: node.end_byte for captures in matches for node in captures.get("imports", ())}
    modules = [each for each in definitions if each.kind == "module"] if language == "rust" else []
    found: list[Import] = []
    for start, end in sorted(starts.items()):
        around = sum(each.start_byte < start < each.end_byte for each in modules)
        found += imports_of(decoded(data[start : min(end, start + MAX_IMPORT)]), language, around)
    return tuple(found)


def _bytes_of(node: Node, data: bytes) -> bytes:
    start, end = node.byte_range
    return data[start:end]
