"""A file's parsed content: definitions, references, imports and chunks.

Line numbers start at 1, and line spans include both ends; byte spans are half open.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Role(StrEnum):
    """The purpose of a file, determined at index time."""

    SOURCE = "source"
    TEST = "test"
    EXAMPLE = "example"
    DOCS = "docs"
    VENDORED = "vendored"
    GENERATED = "generated"


class Definition(NamedTuple):
    """The definition of a symbol.

    `qualified` joins the names of the enclosing definitions and its own with dots, in every language.
    `kind` is one of class, interface, struct, enum, trait, module, type, function, method, constructor, property,
    field, constant, variable, macro, section, key, selector.
    """

    name: str
    qualified: str
    kind: str
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    signature: str  # the first line or lines up to the body, white space folded, at most 200 characters
    docstring: str  # its first paragraph, white space folded, at most 300 characters


TYPES = frozenset({"class", "interface", "struct", "enum", "trait", "type"})  # kinds
CONTAINERS = TYPES | {"module"}
CALLABLES = frozenset({"function", "method", "constructor"})
FUNCTIONS = CALLABLES | {"macro"}


class SymbolPrint(NamedTuple):
    """The fingerprint of a definition, a hash that reformatting does not change; anchors compare it.

    `print` excludes white space, comments, docstrings, type annotations, the definition's own name and, for a type,
    the definitions within it (see `adapters.languages.fingerprint`). The entry of the whole file has an empty
    `qualified`.
    """

    qualified: str
    kind: str
    start_line: int
    end_line: int
    print: str  # 16 hex digits
    tokens: int  # number of hashed tokens; short symbols may be equal by chance
    unnamed: str = ""  # of a function: the same, whatever its local names and its type are called; else empty


class Reference(NamedTuple):
    """A place that uses a symbol by name: a call, an instantiation, a base class, an import."""

    name: str
    kind: str  # call, class, type, import
    line: int
    receiver: str  # the expression before the name, as dotted names; empty: none; "?": another expression


class Import(NamedTuple):
    """A name that a file imports; with an empty `local`, the package that the file belongs to.

    `module` is as the language writes it: `a.b`, `..a`, `./a.js`, `crate::a`.
    """

    module: str
    name: str  # the imported name; empty for the module itself, "*" for all names
    local: str  # its name in the file


class Use(NamedTuple):
    """A stored reference (a call, an instantiation, a base class or a type), and its enclosing definition."""

    name: str
    kind: str  # call, class, type
    line: int
    receiver: str = ""  # as in Reference; "self" for the instance or type, in every language
    within: str = ""  # the qualified name of the innermost enclosing definition
    owner: str = ""  # the type, if that definition is a method
    is_local: bool = False  # a parameter or variable of the enclosing function has this name


@dataclass(frozen=True, slots=True)
class Outline:
    """A file's definitions and references, in the order of their start."""

    definitions: tuple[Definition, ...]
    references: tuple[Reference, ...]
    is_broken: bool  # the file has a syntax error; the rest was parsed
    imports: tuple[Import, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive lines of one file, and their symbol."""

    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    text: str  # exactly the file's bytes [start_byte:end_byte], decoded
    symbol: str  # qualified; empty if the lines belong to no definition
    kind: str  # the kind of its symbol, or "text"
    signature: str
    docstring: str
    defines: tuple[str, ...]  # unqualified names of the definitions that start in these lines, in order
