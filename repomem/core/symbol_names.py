"""Qualified names of symbols, and whether two of them may name the same definition."""

import re

_SEPARATOR = re.compile(r"::|#|->|\\")


def dotted(name: str) -> str:
    """A name as a person writes it, `Session::send()` or `Session#send`, with the separator of the index."""
    return _SEPARATOR.sub(".", name.removesuffix("()")).strip(".")


def last_part(qualified: str) -> str:
    """The unqualified name."""
    return qualified.rpartition(".")[2]


def is_named(qualified: str, wanted: str) -> bool:
    """Whether a definition has the wanted name, which may leave out enclosing definitions; both are dotted."""
    return f".{qualified}".endswith(f".{wanted}")


def may_be_same(one: str, other: str) -> bool:
    """Whether two names of symbols may mean one definition: one of them may leave out enclosing definitions."""
    return is_named(one, other) or is_named(other, one)
