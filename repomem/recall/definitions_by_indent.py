"""Finds definitions by names and indentation, if the parser found none or a hook has no time to load one."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from repomem.core.text.lazy_pattern import lazy_pattern

_OPENS_SINGLETON = lazy_pattern(r"\s*class\s*<<\s*self\b")  # Ruby
_METHOD = lazy_pattern(r"(def\s+)(?!\w+\.)")  # of Ruby, without a receiver
CLOSING = frozenset(")]}\"'")  # a line that begins so belongs to the definition above it


class IndentedDefinition(NamedTuple):
    """The lines of a definition with its decorators."""

    start: int
    end: int
    indent: int


def definitions_by_indent(text: str, path: str, symbol: str) -> list[IndentedDefinition]:
    """A symbol's definitions by names and indentation; none if no line seems to define it."""
    *parents, name = symbol.split(".")
    lines = text.split("\n")
    named = [at for at, line in enumerate(lines) if name in line and _is_start(path, line, name)]
    if len(named) > 1 and parents:
        named = [at for at in named if _is_in(lines, at, path, parents[-1])] or named
    elif named:
        least = min(indent_of(lines[at]) for at in named)
        named = [at for at in named if indent_of(lines[at]) == least]
    return [IndentedDefinition(_start(lines, at), _end(lines, at), indent_of(lines[at])) for at in named]


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


def with_receiver(signature: str, start_line: int, lines: Mapping[int, str]) -> str:
    """The signature of a Ruby method as `def self.name` if the nearest line with less indent opens `class << self`.

    Such a method belongs to the class itself, which its own lines do not tell; `lines` are those of its file by number.
    """
    indent = indent_of(lines.get(start_line, ""))
    above = (lines[at] for at in sorted(lines, reverse=True) if at < start_line)
    outer = next((line for line in above if line.strip() and indent_of(line) < indent), "")
    return _METHOD.sub(r"\1self.", signature, count=1) if _OPENS_SINGLETON.match(outer) else signature


def indent_of(line: str) -> int:
    return len(line) - len(line.lstrip())
