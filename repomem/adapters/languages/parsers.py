"""Parsers and queries of the registered languages, loaded at first use.

A query file marks definitions and references with these captures:

    @definition.<kind>   the whole definition; kinds as in `repomem.core.types.Definition`. With `.<level>` after the
                         kind it is a heading, and extends to the next heading of its level or above
    @reference.<kind>    the whole reference: call, class, type, import
    @name                in either: the name; if two patterns match the same name, the first pattern counts
    @body                in a definition, optional: its signature ends where this starts; it extends at least to its end
    @receiver            in a definition, optional: a name to put before its own (Go's method receivers)
    @macro               in a definition, optional: what an earlier pattern mistook for its name
    @doc                 in a definition, optional: its documentation, if that is not a comment above it
    @scope               with @name, instead of a definition: encloses without defining (`impl Type` of Rust)
    @wrapper, @wrapped   a definition that spans just @wrapped is widened to @wrapper (export, decorators, template)
    @imports             a whole statement that imports, or names the package of the file: `imports` reads its text
    @items               the arguments of a macro: parsed as a file of its own if that gives no syntax error
    @script              text in the language `Grammar.script`, parsed as such
"""

import importlib
from functools import cache
from importlib.resources import files
from importlib.util import find_spec

from tree_sitter import Language, Parser, Query, Range, Tree

from repomem.adapters.languages.grammar import LANGUAGES
from repomem.adapters.languages.macros import Hidden, Span, hidden_in


@cache
def has_grammar(language: str) -> bool:
    """Whether the language is registered and its grammar is installed."""
    return language in LANGUAGES and find_spec(LANGUAGES[language].module) is not None


@cache
def parser_of(language: str) -> Parser:
    """The parser of a language of `LANGUAGES`; its grammar is imported at the first call."""
    return Parser(_loaded(language))


def parsed(data: bytes, language: str) -> tuple[Tree, Hidden]:
    """The tree of a file in a language of `LANGUAGES`, at the file's positions, and what was hidden from the parser."""
    hidden = hidden_in(data) if LANGUAGES[language].has_macros else Hidden((), data)
    tree = parser_of(language).parse(hidden.code)
    return tree, hidden._replace(spans=tuple(span for span in hidden.spans if _is_code(tree, span)))


def _is_code(tree: Tree, span: Span) -> bool:
    """Whether a span is between nodes, not within a comment, a string or another macro."""
    node = tree.root_node.descendant_for_byte_range(*span)
    return node is not None and node.child_count > 0


def parser_within(language: str, ranges: list[Range]) -> Parser:
    """A parser for parts of a file; nodes keep their positions in the whole file."""
    return Parser(_loaded(language), included_ranges=ranges)


@cache
def query_of(language: str) -> Query | None:
    """The query for definitions and references; None if the language has none."""
    source = _query_source(language)
    return Query(_loaded(language), source) if source else None


@cache
def definitions_query_of(language: str) -> Query | None:
    """The query without its patterns for references, which take most of its time."""
    source = _query_source(language)
    if not source:
        return None
    query = Query(_loaded(language), source)
    encoded = source.encode()
    for pattern in range(query.pattern_count):
        # capture_quantifier raises in py-tree-sitter 0.26.1 for a capture that the pattern lacks
        span = slice(query.start_byte_for_pattern(pattern), query.end_byte_for_pattern(pattern))
        if b"@reference." in encoded[span] or b"@imports" in encoded[span]:
            query.disable_pattern(pattern)
    return query


@cache
def locals_query_of(language: str) -> Query | None:
    """The query for places that bind a local name, as @local; None if the language has none."""
    source = _query_source(language, "queries/locals")
    return Query(_loaded(language), source) if source else None


@cache
def _loaded(language: str) -> Language:
    module = importlib.import_module(LANGUAGES[language].module)
    capsule = getattr(module, f"language_{language}", None) or module.language  # named if the module has several
    return Language(capsule())


def _query_source(language: str, kept_in: str = "queries") -> str:
    folder = files("repomem.adapters.languages") / kept_in
    names = LANGUAGES[language].query_files or (language,)
    sources = [folder / f"{name}.scm" for name in names]
    return "\n".join(source.read_text(encoding="utf-8") for source in sources if source.is_file())
