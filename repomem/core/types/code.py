"""What a parser reads from one file: definitions, references, imports and chunks.

Lines are counted from 1 and spans include both ends; byte spans are half open.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Role(StrEnum):
    """What a path is for; decided once, when its file is indexed."""

    SOURCE = "source"
    TEST = "test"
    EXAMPLE = "example"
    DOCS = "docs"
    VENDORED = "vendored"
    GENERATED = "generated"


@dataclass(frozen=True, slots=True)
class Definition:
    """A symbol where it is defined.

    `qualified` joins the enclosing definitions and the name with dots, whatever the language writes.
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
    signature: str = ""  # the first line or lines up to the body, white space folded, at most 200 characters
    docstring: str = ""  # its first paragraph, white space folded, at most 300 characters


class SymbolPrint(NamedTuple):
    """What a definition does, as a hash that a change of its looks leaves alone; an anchor compares it.

    White space, comments, docstrings, type annotations, the definition's own name and, in a type, the definitions
    within it are no part of `print` (see `adapters.languages.fingerprint`). The file as a whole has an
    entry whose `qualified` is empty.
    """

    qualified: str
    kind: str
    start_line: int
    end_line: int
    print: str  # 16 hex digits
    tokens: int  # hashed: two symbols with few may agree by chance


@dataclass(frozen=True, slots=True)
class Reference:
    """A place that uses a symbol by name: a call, an instantiation, a base class, an import."""

    name: str
    kind: str  # call, class, type, import
    line: int
    receiver: str = ""  # what it hangs on, parts joined by dots; empty: nothing; "?": more than names


class Import(NamedTuple):
    """What a file's import statement makes known there, or, where `local` is empty, the package that the file is in.

    Parts of `module` are joined as the language writes them: `a.b`, `..a`, `./a.js`, `crate::a`.
    """

    module: str
    name: str  # what is taken from it: empty for the module itself, "*" for all of it
    local: str  # what the file calls it


class Use(NamedTuple):
    """A reference as the store keeps it: a call, an instantiation, a base class or a type, and what it stands in."""

    name: str
    kind: str  # call, class, type
    line: int
    receiver: str = ""  # as in Reference; "self" for the instance or the type whatever the language calls it
    within: str = ""  # the innermost definition around it, qualified
    owner: str = ""  # the type whose method that is
    is_local: bool = False  # a parameter or variable of the function around it has that name


@dataclass(frozen=True, slots=True)
class Outline:
    """What a file defines and refers to, in the order of their start."""

    definitions: tuple[Definition, ...]
    references: tuple[Reference, ...]
    is_broken: bool  # the grammar found an error: what it could read is here all the same
    imports: tuple[Import, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of lines of one file, and the symbol that it is about."""

    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    text: str  # exactly the file's bytes [start_byte:end_byte], decoded
    symbol: str = ""  # qualified; empty where the lines belong to no definition
    kind: str = "text"  # the kind of its symbol, or "text"
    signature: str = ""
    docstring: str = ""
    defines: tuple[str, ...] = ()  # bare names of every definition that starts in these lines, in order
