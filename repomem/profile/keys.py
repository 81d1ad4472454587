"""TOML and JSON, read by the standard library, with the line of each key.

The standard parsers give no positions, so a light scan over the same text, which is known to be valid by then,
notes where each key stands.
"""

import json
import re
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from repomem.profile.manifest import LineIndex, Said

Path = tuple[str, ...]

JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]')
TOML_HEADER = re.compile(r"^[ \t]*\[\[?([^\[\]\n]+)\]\]?[ \t]*(?:#.*)?$")
TOML_KEY = re.compile(r"^[ \t]*((?:[\w-]+|\"[^\"\n]*\"|'[^'\n]*')(?:[ \t]*\.[ \t]*[\w\"'-]+)*)[ \t]*=")
TOML_PART = re.compile(r"\"([^\"]*)\"|'([^']*)'|([\w-]+)")


@dataclass(frozen=True, slots=True)
class Keyed:
    """A document of nested keys, and on which lines each key stands (an array of tables repeats its keys)."""

    data: Mapping[str, object]
    lines: Mapping[Path, tuple[int, ...]]

    def value(self, *path: str) -> object:
        """Give the value at `path`, or None where a step of it is missing."""
        value: object = self.data
        for key in path:
            if not isinstance(value, Mapping):
                return None
            value = value.get(key)
        return value

    def table(self, *path: str) -> Mapping[str, object]:
        """Give the table at `path`, empty where there is none."""
        value = self.value(*path)
        return value if isinstance(value, Mapping) else {}

    def text(self, *path: str) -> str:
        """Give the string at `path`, empty where there is none."""
        value = self.value(*path)
        return value if isinstance(value, str) else ""

    def line(self, *path: str, index: int = 0) -> int:
        """Give the line of the key at `path`, else of the nearest key around it (inline tables have one line)."""
        for length in range(len(path), 0, -1):
            if lines := self.lines.get(path[:length]):
                return lines[min(index, len(lines) - 1)]
        return 1

    def said(self, *path: str) -> Said:
        """Give the string at `path` with its line; its text is empty where there is none."""
        return Said(self.text(*path), self.line(*path))


def read_toml(text: str) -> Keyed | None:
    """Give the document, or None where `text` is no TOML."""
    try:
        return Keyed(tomllib.loads(text), _toml_lines(text))
    except (ValueError, RecursionError):  # RecursionError: arrays nested by the hundred
        return None


def read_json(text: str) -> Keyed | None:
    """Give the document, or None where `text` is no JSON object."""
    try:
        data = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):  # RecursionError: arrays nested by the hundred
        return None
    return Keyed(data, _json_lines(text)) if isinstance(data, dict) else None


def _toml_lines(text: str) -> dict[Path, tuple[int, ...]]:
    found: defaultdict[Path, list[int]] = defaultdict(list)
    table: Path = ()
    is_in_string = False
    for number, line in enumerate(text.split("\n"), start=1):
        quotes = line.count('"""') + line.count("'''")
        if not is_in_string:
            if header := TOML_HEADER.match(line):
                table = _toml_path(header[1])
                found[table].append(number)
            elif key := TOML_KEY.match(line):
                dotted = _toml_path(key[1])
                for length in range(1, len(dotted) + 1):
                    found[(*table, *dotted[:length])].append(number)
        is_in_string ^= quotes % 2 == 1
    return {path: tuple(lines) for path, lines in found.items()}


def _toml_path(dotted: str) -> Path:
    return tuple("".join(part) for part in TOML_PART.findall(dotted))


def _json_lines(text: str) -> dict[Path, tuple[int, ...]]:
    found: defaultdict[Path, list[int]] = defaultdict(list)
    index = LineIndex(text)
    around: list[str] = []  # the key of each object or array that is open; the outermost has none
    key, string, start = "", "", 0
    for token in JSON_TOKEN.finditer(text):
        match token[0]:
            case "{" | "[":
                around.append(key)
                key = ""
            case "}" | "]":
                around.pop()
            case ":":
                key = string
                found[(*around[1:], key)].append(index.at(start))
            case ",":
                key = ""
            case quoted:
                string, start = quoted[1:-1], token.start()
    return {path: tuple(lines) for path, lines in found.items()}
