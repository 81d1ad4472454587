"""Finds the definitions of a symbol by names and indentation, since a hook has no time to load a parser."""

import re
from collections.abc import Sequence
from typing import NamedTuple

CLOSING = frozenset(")]}\"'")  # a line that begins so belongs to the definition above it


class Definition(NamedTuple):
    """The lines of a definition with its decorators."""

    start: int
    end: int
    indent: int


def definitions_of(text: str, path: str, symbol: str) -> list[Definition]:
    """A symbol's definitions by names and indentation; none if no line seems to define it."""
    *parents, name = symbol.split(".")
    lines = text.split("\n")
    named = [at for at, line in enumerate(lines) if name in line and _is_start(path, line, name)]
    if len(named) > 1 and parents:
        named = [at for at in named if _is_in(lines, at, path, parents[-1])] or named
    elif named:
        least = min(indent_of(lines[at]) for at in named)
        named = [at for at in named if indent_of(lines[at]) == least]
    return [Definition(_start(lines, at), _end(lines, at), indent_of(lines[at])) for at in named]


def _is_start(path: str, line: str, name: str) -> bool:
    """Whether a line starts the definition of a name: a function, a type, or a value at the start of a statement."""
    from repomem.adapters.languages.definition_lines import defined_name

    if defined_name(path, line) == name:
        return True
    return bool(re.match(rf"\s*(?:[A-Za-z]\w*\s+)*{re.escape(name)}\s*(?::[^=]*)?=(?!=)", line))


def _is_in(lines: Sequence[str], at: int, path: str, parent: str) -> bool:
    """Whether the nearest line above with less indentation that starts a definition names the parent."""
    indent = indent_of(lines[at])
    for line in reversed(lines[:at]):
        if line.strip() and indent_of(line) < indent:
            if _is_start(path, line, parent):
                return True
            indent = indent_of(line)
    return False


def _start(lines: Sequence[str], at: int) -> int:
    """The first line of a definition's decorators."""
    indent = indent_of(lines[at])
    while at and lines[at - 1].lstrip().startswith(("@", "#[")) and indent_of(lines[at - 1]) == indent:
        at -= 1
    return at


def _end(lines: Sequence[str], at: int) -> int:
    """The last line that is indented more than the first, or closes it."""
    indent, end = indent_of(lines[at]), at
    for below in range(at + 1, len(lines)):
        line = lines[below]
        if not line.strip():
            continue
        if indent_of(line) < indent or (indent_of(line) == indent and line.lstrip()[0] not in CLOSING):
            break
        end = below
    return end


def indent_of(line: str) -> int:
    return len(line) - len(line.lstrip())
