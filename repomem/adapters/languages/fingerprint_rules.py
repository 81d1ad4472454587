"""Equivalent notations of each language, which fingerprints ignore: tables for `fingerprint`.

Tables contain the names of grammar nodes. GENERIC applies to every language, since grammars share many names;
_LANGUAGES has the additions of each language.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache

from tree_sitter import Node

from repomem.adapters.languages.file_roles import words_set
from repomem.adapters.languages.parsers import parser_of
from repomem.core.text.lazy_pattern import lazy_pattern

MAX_SEARCHED = 100_000  # bytes: a class is searched once for each declaration in it

_NONE: frozenset[str] = frozenset()


def _table(rows: Mapping[str, str]) -> Mapping[str, frozenset[str]]:
    """Each name of a key to the names of its value."""
    return {name: words_set(value) for key, value in rows.items() for name in key.split()}


def _patterns(rows: Mapping[str, str]) -> Mapping[str, re.Pattern[bytes]]:
    return {name: lazy_pattern(pattern.encode()) for name, pattern in rows.items()}


@dataclass(frozen=True, slots=True)
class Rules:
    """The nodes and tokens of one language without effect on behaviour, by type."""

    dropped: frozenset[str] = _NONE  # nodes without effect
    tokens: frozenset[str] = _NONE  # keywords and signs without effect
    dropped_in: Mapping[str, frozenset[str]] = field(default_factory=dict)  # by parent: children without effect
    kept_in: Mapping[str, frozenset[str]] = field(default_factory=dict)  # by parent: punctuation that counts there
    types: frozenset[str] = _NONE  # type annotations, which have no effect
    typed: frozenset[str] = _NONE  # nodes that contain nothing but types, so types in them are kept
    only_first: frozenset[str] = _NONE  # nodes of which only the first child has an effect
    whole: frozenset[str] = _NONE  # nodes with a single child that are more than a wrapper around it
    bodies_of: frozenset[str] = _NONE  # parents for which a block of one statement equals the statement
    empty: frozenset[str] = _NONE  # brackets that, if empty, equal no brackets
    aliases: Mapping[str, str] = field(default_factory=dict)  # a node to an equivalent one
    matching: Mapping[str, re.Pattern[bytes]] = field(default_factory=dict)  # dropped if their text starts like this
    tests: Mapping[str, Callable[[Node], bool]] = field(default_factory=dict)  # dropped if this is true
    casts: Mapping[str, Callable[[Node, bytes], tuple[int, ...]]] = field(default_factory=dict)  # ids dropped in it
    words: Mapping[bytes, bytes] = field(default_factory=dict)  # a word to an equivalent one
    prefixes: Mapping[str, str] = field(default_factory=dict)  # a prefix that an equivalent node writes
    quoted_keys: frozenset[str] = _NONE  # whose key may be quoted or not
    quotes: str = ""  # "equal": 'a' equals "a"; "plain": only without backslashes


GENERIC = Rules(
    dropped=words_set(
        "annotation marker_annotation attribute_item inner_attribute_item attribute_declaration visibility_modifier"
        " access_modifier accessibility_modifier access_specifier empty_statement haddock line_continuation"
        " final_modifier readonly_modifier override_modifier"
    ),
    tokens=words_set("public private protected internal fileprivate pub override"),
    kept_in=_table({"for_statement for_clause array_expression array_type token_tree": ";"}),
    dropped_in=_table({"statement_block block compound_statement": "{ }"}),
    bodies_of=words_set(
        "if_statement else_clause else_if_clause for_statement for_in_statement for_each_statement foreach_statement"
        " enhanced_for_statement for_range_loop while_statement do_statement if_expression elseif_clause"
    ),
    aliases={
        "template_string": "string",
        "encapsed_string": "string",
        "compound_statement": "block",
        "statement_block": "block",
    },
)


def _does_nothing(statement: Node) -> bool:
    """Whether a statement of Python is a string, `...` or a declaration without a value."""
    child = statement.child(0)
    if statement.child_count != 1 or child is None:
        return False
    if child.type == "assignment":
        left = child.child_by_field_name("left")
        return child.child_by_field_name("right") is None and not _is_field(statement, (left and left.text) or b"")
    return child.type in _NO_EFFECT


def _is_field(declaration: Node, name: bytes) -> bool:
    """Whether a decorator or a base of the enclosing class may use a declaration without a value.

    An attribute that a method sets is not visible to the base; its declaration is only for type checkers.
    """
    block = declaration.parent
    owner = block.parent if block else None
    if owner is None or owner.type != "class_definition":
        return False
    if owner.parent and owner.parent.type == "decorated_definition":
        return True
    if not owner.child_by_field_name("superclasses"):
        return False
    is_set = re.compile(rb"self\." + re.escape(name) + rb"\s*(?::[^=\n]+)?=(?!=)")
    return owner.end_byte - owner.start_byte > MAX_SEARCHED or not is_set.search(owner.text or b"")


def _cast_parts(call: Node, data: bytes) -> tuple[int, ...]:
    """The name and the type in a call of Python's `typing.cast`, which gives its second argument; else nothing.

    `data` is the file: other packages have a `cast` of their own, as SQLAlchemy does.
    """
    function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    name = (function and function.text) or b""
    if function is None or arguments is None or not _CAST.fullmatch(name):
        return ()
    given = [each for each in arguments.named_children if each.type != "comment"]
    is_plain = len(given) == 2 and not any(each.type in _NOT_PLAIN for each in given)
    is_typing = name != b"cast" or _CAST_IMPORTED.search(data) is not None
    return (function.id, given[0].id) if is_plain and is_typing else ()


_CAST = lazy_pattern(rb"(?:(?:typing|typing_extensions|_?te?|tp)\.)?cast")
_CAST_IMPORTED = lazy_pattern(rb"from\s+typing(?:_extensions)?\s+import\s+(?:\([^)]*|[^\n]*)\bcast\b")
_NOT_PLAIN = frozenset({"keyword_argument", "list_splat", "dictionary_splat"})
_NO_EFFECT = frozenset({"string", "concatenated_string", "ellipsis"})
_PHP_TYPES = (
    "primitive_type named_type optional_type union_type intersection_type bottom_type disjunctive_normal_form_type"
    " type_list :"
)
_TYPESCRIPT = Rules(
    types=words_set(
        "type_annotation type_arguments type_parameters implements_clause type_predicate_annotation asserts_annotation"
        " opting_type_annotation omitting_type_annotation adding_type_annotation"
    ),
    typed=words_set("interface_declaration type_alias_declaration"),
    dropped_in=_table(
        {
            "export_statement": "export default",
            "optional_parameter public_field_definition property_signature": "? ! readonly declare abstract",
            "required_parameter": "readonly",
            "non_null_expression": "!",
            "ambient_declaration": "declare",
            "abstract_class_declaration": "abstract",
            "union_type": "|",
            "variable_declaration lexical_declaration for_in_statement": "var let const",
            "assignment_expression": "=",
        }
    ),
    only_first=words_set("as_expression satisfies_expression"),
    empty=words_set("new_expression"),
    aliases={
        "abstract_class_declaration": "class_declaration",
        "variable_declaration": "lexical_declaration",
        "function_expression": "function_declaration",
    },
    matching=_patterns(
        {
            "import_statement": r"import\s+type\b",
            "import_specifier": r"type\s+\w",
            "required_parameter": r"this\s*:",
            "member_expression": r"module\.exports$",  # `export default` of older code
            "jsx_expression": r"\{\s*([\"'])\s*\1\s*\}",  # the space that a formatter puts at a line's end
        }
    ),
    quoted_keys=words_set("pair"),
    quotes="equal",
)
_C = Rules(dropped_in=_table({"field_declaration_list": ":"}), dropped=words_set("virtual_specifier"))

_LANGUAGES: Mapping[str, Rules] = {
    "python": Rules(
        dropped=words_set("pass_statement"),
        tokens=words_set("->"),
        dropped_in=_table({"typed_parameter typed_default_parameter assignment": ":"}),
        types=words_set("type type_parameter"),
        typed=words_set("type_alias_statement"),
        whole=words_set("tuple expression_list pattern_list tuple_pattern"),
        empty=words_set("class_definition"),
        aliases={
            "typed_default_parameter": "default_parameter",
            "expression_list": "tuple",
            "pattern_list": "tuple",
            "tuple_pattern": "tuple",
        },
        # other decorators change behaviour; these only inform a type checker
        matching=_patterns(
            {
                "decorator": r"@\s*(?:\w+\.)*(?:override|overload|no_type_check|final|runtime_checkable)\s*$",
                "future_import_statement": "",
            }
        ),
        tests={"expression_statement": _does_nothing},
        casts={"call": _cast_parts},
        quotes="equal",
    ),
    "javascript": _TYPESCRIPT,
    "typescript": _TYPESCRIPT,
    "tsx": _TYPESCRIPT,
    "go": Rules(dropped_in=_table({"var_declaration const_declaration": "var const"})),
    "rust": Rules(
        dropped=words_set("use_declaration"),
        whole=words_set("expression_statement tuple_expression tuple_pattern tuple_type"),
        bodies_of=words_set("match_arm closure_expression"),
    ),
    "java": Rules(tokens=words_set("final")),
    "cpp": _C,
    "c": _C,
    "c_sharp": Rules(
        dropped=words_set("attribute_list preproc_region preproc_endregion"),
        matching=_patterns({"modifier": r"(?:public|private|protected|internal|readonly|sealed|partial)\b"}),
    ),
    "ruby": Rules(
        dropped_in=_table({"do_block block": "do end { }", "then": "then", "do": "do", "pair": "=> :"}),
        bodies_of=words_set("call method_call"),
        empty=words_set("method call singleton_method"),
        aliases={"do_block": "block", "block_body": "body_statement"},
        words={b"and": b"&&", b"or": b"||", b"not": b"!"},
        prefixes={"hash_key_symbol": ":"},
        quotes="plain",
    ),
    "php": Rules(
        dropped=words_set("attribute_list"),
        dropped_in=_table(
            {
                "simple_parameter variadic_parameter property_promotion_parameter method_declaration"
                " function_definition arrow_function anonymous_function property_declaration": _PHP_TYPES,
                "array_creation_expression": "array [ ]",
            }
        ),
        whole=words_set("array_creation_expression"),
        quotes="plain",
    ),
    "bash": Rules(tokens=words_set("function ;")),
    "swift": Rules(dropped=words_set("attribute")),
    "scala": Rules(
        tokens=words_set("final"),
        bodies_of=words_set("function_definition case_clause val_definition lambda_expression"),
    ),
    "lua": Rules(quotes="equal"),
    "perl": Rules(dropped=words_set("pod")),
    "dart": Rules(quotes="equal"),
    "css": Rules(quotes="equal"),
    "html": Rules(quotes="equal"),
    "elixir": Rules(
        matching=_patterns({"unary_operator": r"@(?:doc|moduledoc|typedoc|spec|impl|deprecated|since)\b"}),
        words={b"defp": b"def", b"defmacrop": b"defmacro"},
    ),
}

_PUNCTUATION = frozenset({"(", ")", ",", ";"})  # redundant: the tree shows the same
_STRINGS = words_set(
    "string template_string encapsed_string string_literal interpreted_string_literal raw_string_literal char_literal"
    " character_literal line_string_literal multi_line_string_literal multiline_string_literal interpolated_string"
    " interpolated_string_expression double_quote_scalar single_quote_scalar quoted_attribute_value string_value"
    " charlist sigil interpolated_string_literal string_lit"
)
_QUOTES = words_set("\" ' ` \"\"\" ''' string_start string_end")
_UNDIVIDED = words_set("string_content escape_sequence")  # leaves, though some grammars find escapes within
_NUMBER = lazy_pattern(r"integer|float|number|\w*(?:integer|int|float|number|floating_point|real|hex)_literal")


@dataclass(frozen=True, slots=True)
class NodeKind:
    """The treatment of nodes of one type."""

    name: str
    opening: bytes  # what the fingerprint has where such a node opens
    is_named: bool
    is_dropped: bool
    is_type: bool
    is_leaf: bool
    is_string: bool
    is_quote: bool
    is_number: bool
    is_block: bool
    is_only_first: bool
    owns_bodies: bool  # in it, a block of one statement equals the statement
    drops: frozenset[str]
    prefix: bytes
    pattern: re.Pattern[bytes] | None
    test: Callable[[Node], bool] | None
    is_ruled: bool  # `is_type`, `pattern` or `test` may drop it


def rules_of(language: str) -> Rules:
    """The language's additions to GENERIC."""
    return _LANGUAGES.get(language, _NO_RULES)


@cache
def kinds_of(language: str) -> Mapping[int, NodeKind]:
    """The treatment of every node type of a language of `LANGUAGES`, by its number in the grammar."""
    grammar = parser_of(language).language
    assert grammar is not None  # parser_of gave it one
    rules = rules_of(language)
    return {
        number: _kind_of(grammar.node_kind_for_id(number) or "", rules, is_named=grammar.node_kind_is_named(number))
        for number in range(grammar.node_kind_count)
    }


def _kind_of(name: str, rules: Rules, *, is_named: bool) -> NodeKind:
    """The treatment of one node type by GENERIC and the rules."""
    alias = rules.aliases.get(name) or GENERIC.aliases.get(name, name)
    return NodeKind(
        name=name,
        opening=f"({alias}".encode(),
        is_named=is_named,
        is_dropped=_is_dropped(name, rules, is_named=is_named),
        is_type=is_named and name in rules.types,
        is_leaf=name in _UNDIVIDED,
        is_string=is_named and name in _STRINGS,
        is_quote=name in _QUOTES,
        is_number=is_named and _NUMBER.fullmatch(name) is not None,
        is_block=is_named and alias == "block",
        is_only_first=name in rules.only_first,
        owns_bodies=name in GENERIC.bodies_of | rules.bodies_of,
        drops=_dropped_in(name, rules, is_named=is_named),
        prefix=rules.prefixes.get(name, "").encode(),
        pattern=rules.matching.get(name) if is_named else None,
        test=rules.tests.get(name) if is_named else None,
        is_ruled=is_named and (name in rules.types or name in rules.matching or name in rules.tests),
    )


def _is_dropped(name: str, rules: Rules, *, is_named: bool) -> bool:
    if not is_named:
        return name in GENERIC.tokens or name in rules.tokens
    return "comment" in name or name in GENERIC.dropped or name in rules.dropped


def _dropped_in(name: str, rules: Rules, *, is_named: bool) -> frozenset[str]:
    """The child types dropped from a node; a leaf has no children."""
    if not is_named:
        return _NONE
    dropped = GENERIC.dropped_in.get(name, _NONE) | rules.dropped_in.get(name, _NONE)
    return (dropped | _PUNCTUATION) - GENERIC.kept_in.get(name, _NONE)


_NO_RULES = Rules()
BROKEN = _kind_of("ERROR", _NO_RULES, is_named=True)
"""What could not be parsed: its number is in no grammar's list."""
