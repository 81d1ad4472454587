"""YAML as nodes with their lines, aliases resolved; a broken file gives no nodes."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml

MAX_DEPTH = 100  # real files nest about 10 levels; the time of the C parser grows with the square of the depth
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C parser is about ten times faster


@dataclass(slots=True)
class YamlNode:
    """A scalar with its text, a sequence with its items, or a mapping with its pairs."""

    line: int
    text: str = ""
    style: str = ""  # of a scalar: "|" and ">" are block scalars
    items: list["YamlNode"] = field(default_factory=list)
    pairs: list[tuple["YamlNode", "YamlNode"]] = field(default_factory=list)

    def entries(self) -> Iterator[tuple["YamlNode", "YamlNode"]]:
        """Give the pairs of a mapping, those of `<<: *anchor` included."""
        for key, value in self.pairs:
            if key.text == "<<":
                for merged in value.items or [value]:
                    yield from merged.pairs
            else:
                yield key, value

    def get(self, key: str) -> "YamlNode | None":
        """Give the value of `key` in a mapping."""
        return next((value for name, value in self.entries() if name.text == key), None)


def yaml_nodes(text: str) -> list[YamlNode]:
    """Give all nodes in the order of the text, the first document's root first; none where `text` is broken.

    Reads the parser's events: `yaml.compose` recurses, and a file of 10,000 brackets would overflow its stack.
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
                    return []
                node = _node(event, anchors)
                if open_nodes:
                    open_nodes[-1][1].append(node)
                if isinstance(event, yaml.AliasEvent):
                    continue
                nodes.append(node)
                if isinstance(event, yaml.CollectionStartEvent):
                    open_nodes.append((node, []))
    except yaml.YAMLError:
        return []
    return nodes


def _node(event: yaml.NodeEvent, anchors: dict[str, YamlNode]) -> YamlNode:
    line = event.start_mark.line + 1
    if isinstance(event, yaml.AliasEvent):
        return anchors.get(event.anchor, YamlNode(line))
    is_scalar = isinstance(event, yaml.ScalarEvent)
    node = YamlNode(line, event.value, event.style or "") if is_scalar else YamlNode(line)
    if event.anchor:
        anchors[event.anchor] = node
    return node
