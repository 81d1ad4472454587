"""TOML, JSON and YAML documents with the line number of each key.

The standard TOML and JSON parsers report no positions, so a second scan over the valid text finds the line of each
key. YAML becomes nodes with aliases resolved.
"""

import json
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import yaml

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.brief import Fact
from repomem.profile.manifests.manifest import Excerpt, LineIndex, Manifest

Path = tuple[str, ...]

JSON_TOKEN = lazy_pattern(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]')
TOML_HEADER = lazy_pattern(r"^[ \t]*\[\[?([^\[\]\n]+)\]\]?[ \t]*(?:#.*)?$")
TOML_KEY = lazy_pattern(r"^[ \t]*((?:[\w-]+|\"[^\"\n]*\"|'[^'\n]*')(?:[ \t]*\.[ \t]*[\w\"'-]+)*)[ \t]*=")
TOML_PART = lazy_pattern(r"\"([^\"]*)\"|'([^']*)'|([\w-]+)")


@dataclass(frozen=True, slots=True)
class Keyed:
    """A document of nested keys, and the line numbers of each key (an array of tables repeats its keys)."""

    data: Mapping[str, object]
    lines: Mapping[Path, tuple[int, ...]]

    def value(self, *path: str) -> object:
        """The value at `path`; None if a step is missing."""
        value: object = self.data
        for key in path:
            if not isinstance(value, Mapping):
                return None
            value = value.get(key)
        return value

    def table(self, *path: str) -> Mapping[str, object]:
        """The table at `path`; empty if there is none."""
        value = self.value(*path)
        return value if isinstance(value, Mapping) else {}

    def text(self, *path: str) -> str:
        """The string at `path`; empty if there is none."""
        value = self.value(*path)
        return value if isinstance(value, str) else ""

    def line(self, *path: str, index: int = 0) -> int:
        """The line of the key at `path`, else of the nearest enclosing key (inline tables have one line)."""
        for length in range(len(path), 0, -1):
            if lines := self.lines.get(path[:length]):
                return lines[min(index, len(lines) - 1)]
        return 1

    def excerpt(self, *path: str) -> Excerpt:
        """The string at `path` with its line; its text is empty if there is none."""
        return Excerpt(self.text(*path), self.line(*path))

    def facts(self, manifest: Manifest, slot: str, form: str, *path: str) -> Iterator[Fact]:
        """The string at `path`, formatted by `form`, as a fact of the manifest; nothing if there is none."""
        if text := self.text(*path):
            yield manifest.fact(slot, form.format(text), self.line(*path))


def read_toml(text: str) -> Keyed:
    """The document; without keys if `text` is not valid TOML."""
    try:
        return Keyed(tomllib.loads(text), _toml_lines(text))
    except (ValueError, RecursionError):  # RecursionError: arrays nested by the hundred
        return Keyed({}, {})


def read_json(text: str) -> Keyed:
    """The document; without keys if `text` is not a JSON object."""
    try:
        data = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):  # RecursionError: arrays nested by the hundred
        data = None
    return Keyed(data, _json_lines(text)) if isinstance(data, dict) else Keyed({}, {})


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
    around: list[str] = []  # the key of each open object or array; the outermost has none
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


MAX_DEPTH = 100  # real files nest about 10 levels; the C parser's time grows with the square of the depth
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C parser is about ten times faster


@dataclass(slots=True)
class YamlNode:
    """A scalar with its text, a sequence with its items, or a mapping with its pairs; false if it is not there."""

    line: int
    text: str = ""
    style: str = ""  # of a scalar: "|" and ">" are block scalars
    items: list["YamlNode"] = field(default_factory=list)
    pairs: list[tuple["YamlNode", "YamlNode"]] = field(default_factory=list)

    def entries(self) -> Iterator[tuple["YamlNode", "YamlNode"]]:
        """The pairs of a mapping, including those of `<<: *anchor`."""
        for key, value in self.pairs:
            if key.text == "<<":
                for merged in value.items or [value]:
                    yield from merged.pairs
            else:
                yield key, value

    def get(self, *path: str) -> "YamlNode":
        """The value at `path` in nested mappings; NO_NODE if a step is missing."""
        node = self
        for key in path:
            node = next((value for name, value in node.entries() if name.text == key), NO_NODE)
        return node

    def __bool__(self) -> bool:
        return self.line > 0


NO_NODE = YamlNode(0)


def yaml_nodes(text: str) -> list[YamlNode]:
    """All nodes in document order, the first document's root first; just NO_NODE if `text` is not valid YAML.

    Reads the parser's events, because `yaml.compose` recurses and overflows the stack on 10,000 nested brackets.
    """
    nodes: list[YamlNode] = []
    open_nodes: list[tuple[YamlNode, list[YamlNode]]] = []  # each with its children so far
    anchors: dict[str, YamlNode] = {}
    try:
        for event in yaml.parse(text, Loader=LOADER):
            if isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
                node, children = open_nodes.pop()
                if isinstance(event, yaml.MappingEndEvent):
                    node.pairs = list(zip(children[::2], children[1::2], strict=True))
                else:
                    node.items = children
            elif isinstance(event, yaml.NodeEvent):
                if len(open_nodes) > MAX_DEPTH:
                    return [NO_NODE]
                node = _node(event, anchors)
                if open_nodes:
                    open_nodes[-1][1].append(node)
                if isinstance(event, yaml.AliasEvent):
                    continue
                nodes.append(node)
                if isinstance(event, yaml.CollectionStartEvent):
                    open_nodes.append((node, []))
    except (yaml.YAMLError, UnicodeEncodeError):  # UnicodeEncodeError: bytes that are not UTF-8
        return [NO_NODE]
    return nodes or [NO_NODE]


def _node(event: yaml.NodeEvent, anchors: dict[str, YamlNode]) -> YamlNode:
    line = event.start_mark.line + 1
    if isinstance(event, yaml.AliasEvent):
        return anchors.get(event.anchor, YamlNode(line))
    is_scalar = isinstance(event, yaml.ScalarEvent)
    node = YamlNode(line, event.value, event.style or "") if is_scalar else YamlNode(line)
    if event.anchor:
        anchors[event.anchor] = node
    return node
