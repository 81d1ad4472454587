"""The few line patterns of YAML that task files and CI workflows are written in; this is no YAML reader.

Known: `key: value`, `- value`, `- key: value`, nesting by indentation, comments, block scalars after `run:` or
`script:`, and flow lists. Anchors, tags, multi-line plain scalars and several documents are not.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from repomem.profile.manifest import Said

LINE = re.compile(
    r"(?P<indent>[ ]*)(?P<item>(?:-[ ]+)*)(?:(?P<key>[\w.$/-]+|'[^']*'|\"[^\"]*\")[ ]*:(?:[ ]+|$))?(?P<value>.*)"
)
BLOCK_SCALAR = re.compile(r"[|>][-+\d]*(?:[ ]+#.*)?")
COMMENT = re.compile(r"(?:^|[ \t])#.*$")


@dataclass(frozen=True, slots=True)
class Line:
    """One line that says something; `indent` counts the dashes of a list item as white space."""

    number: int
    indent: int
    is_item: bool
    key: str
    value: str


def yaml_lines(text: str) -> list[Line]:
    """Give the lines of `text` that are neither blank nor comments."""
    found = []
    for number, raw in enumerate(text.split("\n"), start=1):
        match = LINE.fullmatch(raw.rstrip())
        if match is None or not raw.strip() or raw.lstrip().startswith("#"):
            continue
        indent = len(match["indent"]) + len(match["item"])
        key = (match["key"] or "").strip("'\"")
        found.append(Line(number, indent, bool(match["item"]), key, match["value"]))
    return found


def scalar(value: str) -> str:
    """Give a plain or quoted scalar without its quotes and comment; the marks of a block scalar give nothing."""
    value = value.strip()
    if value[:1] in {"'", '"'}:
        end = value.find(value[0], 1)
        return value[1:end] if end > 0 else value[1:]
    return "" if BLOCK_SCALAR.fullmatch(value) else COMMENT.sub("", value).strip()


def body_of(lines: Sequence[Line], index: int) -> Sequence[Line]:
    """Give the lines that stand under the key at `index`: deeper ones, and list items as deep as the key itself."""
    indent = lines[index].indent
    end = index + 1
    while end < len(lines) and lines[end].indent > indent:
        end += 1
    return lines[index + 1 : end]


def blocks_under(lines: Sequence[Line], key: str) -> Iterator[tuple[str, Sequence[Line]]]:
    """Give each key right under the top-level `key`, with its lines, its own first."""
    for index, line in enumerate(lines):
        if line.key != key or line.indent:
            continue
        body = body_of(lines, index)
        for inner, child in enumerate(body):
            if child.key and child.indent == body[0].indent and not child.is_item:
                yield child.key, (child, *body_of(body, inner))


def commands_of(text: str, keys: frozenset[str]) -> Iterator[Said]:
    """Give each shell line under `keys` (`run`, `script`): scalars, list items, and block scalars line by line."""
    raw = text.split("\n")
    lines = yaml_lines(text)
    for index, line in enumerate(lines):
        if line.key not in keys:
            continue
        if BLOCK_SCALAR.fullmatch(line.value):
            yield from _block_commands(raw, line)
        elif command := scalar(line.value):
            yield Said(command, line.number)
        else:
            for item in body_of(lines, index):
                if item.is_item and (command := _whole(item)):
                    yield Said(command, item.number)


def _whole(item: Line) -> str:
    """Give a list item as the shell line that it is, also where it looks like a key (`- echo: x`)."""
    return scalar(f"{item.key}: {item.value}" if item.key else item.value)


def _block_commands(raw: Sequence[str], line: Line) -> Iterator[Said]:
    is_folded = line.value.startswith(">")
    whole, start = "", 0
    for number in range(line.number + 1, len(raw) + 1):
        text = raw[number - 1]
        if text.strip() and len(text) - len(text.lstrip(" ")) <= line.indent:
            break
        start = start or number
        whole = f"{whole} {text.strip()}".strip()
        if is_folded or whole.endswith("\\"):
            whole = whole.removesuffix("\\").rstrip()
            continue
        if whole:
            yield Said(whole, start if whole != text.strip() else number)
        whole, start = "", 0
    if whole:
        yield Said(whole, start)
