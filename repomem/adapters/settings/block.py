"""repomem's marked block at the end of another program's text file: tables in TOML, text in Markdown, lines elsewhere.

Finds a block by its marks, each on its own line. Repeated, unpaired or misordered marks are refused.
"""

import json
import re
import tomllib
from dataclasses import dataclass
from typing import Any

from repomem.adapters.settings.edits import MEND, Edit, applied, line_break_of, text_of, value_at
from repomem.core.errors import ForeignError


@dataclass(frozen=True, slots=True)
class Marks:
    """The lines that open and close a block."""

    start: str
    end: str


HASH_MARKS = Marks("# repomem:start", "# repomem:end")
MARKDOWN_MARKS = Marks("<!-- repomem:start -->", "<!-- repomem:end -->")


def block_in(content: bytes, marks: Marks) -> str | None:
    """The text between the marks, with line feeds; None if there is no block."""
    span = _span(content, marks)
    if span is None:
        return None
    lines = text_of(content[slice(*span)]).replace("\r\n", "\n").strip("\n").split("\n")
    return "".join(f"{line}\n" for line in lines[1:-1])


def block_added(content: bytes, marks: Marks, body: str) -> Edit:
    """The edit that appends a block to a file without one, after an empty line.

    If the last line has no line break, the empty line is left out: that tells `without_block` that it had none.
    """
    text_of(content)
    text = f"{marks.start}\n{body}{marks.end}\n"
    if content.strip():
        text = "\n" + text
    return Edit(len(content), b"", text.encode().replace(b"\n", line_break_of(content)))


def block_replaced(content: bytes, marks: Marks, body: str) -> bytes:
    """The file with another text between its marks; all other bytes stay. Raises ForeignError without a block."""
    span = _span(content, marks)
    if span is None:
        raise ForeignError("it has no repomem block", "run repomem export --to with its name")
    first, *_, last = content[slice(*span)].splitlines(keepends=True)
    text = body.encode().replace(b"\n", line_break_of(content))
    return content[: span[0]] + first + text + last + content[span[1] :]


def without_block(content: bytes, marks: Marks) -> bytes:
    """The file without its block, with its former end."""
    span = _span(content, marks)
    if span is None:
        return content
    above, below = content[: span[0]], content[span[1] :]
    line_break = line_break_of(content)
    is_ours = bool(above.strip()) and (not below or above.endswith(2 * line_break))
    return (above.removesuffix(line_break) if is_ours else above) + below


def toml_of(content: bytes) -> dict[str, Any]:
    """The value of a TOML file. Raises ForeignError if it is not valid."""
    try:
        return tomllib.loads(text_of(content))
    except (tomllib.TOMLDecodeError, RecursionError) as error:  # it goes down with each bracket
        raise ForeignError(f"it is not valid TOML: {error}", MEND) from error


def toml_table_added(content: bytes, table: tuple[str, ...], body: str) -> Edit:
    """The edit that appends a block with just this table. Raises ForeignError if the file has the table."""
    before, ours = toml_of(content), toml_of(body.encode())
    if value_at(before, table) is not None:
        raise ForeignError(f"[{'.'.join(table)}] already exists", "remove that table first")
    edit = block_added(content, HASH_MARKS, body)
    expected = _with_table(before, table, value_at(ours, table))
    try:
        is_as_expected = _comparable(toml_of(applied(content, [edit]))) == _comparable(expected)
    except ForeignError:
        is_as_expected = False  # an inline table takes no more
    if not is_as_expected:
        name, hint = table[0], f"write its entries as tables, such as [{table[0]}.NAME], and run the command again"
        raise ForeignError(f"repomem cannot add a table [{'.'.join(table)}] to {name} as it is written", hint)
    return edit


def toml_table_removed(content: bytes, table: tuple[str, ...]) -> bytes:
    """The file without our table and marks. Raises ForeignError if that would remove other content.

    Codex writes new tables above a comment at the end of a file, and thus between our marks; those are kept.
    """
    span = _span(content, HASH_MARKS)
    if span is None:
        return content
    before = toml_of(content)
    for after in (without_block(content, HASH_MARKS), _without_table(content, span, table)):
        if _is_only_less(before, after, table):
            return after
    raise ForeignError(
        "text was added between its repomem marks", "move that text out of the block, or delete the block"
    )


def _with_table(value: dict[str, Any], table: tuple[str, ...], ours: Any) -> dict[str, Any]:
    first, *rest = table
    inner = value.get(first)
    return {**value, first: _with_table(inner if isinstance(inner, dict) else {}, tuple(rest), ours) if rest else ours}


def _is_only_less(before: dict[str, Any], after: bytes, table: tuple[str, ...]) -> bool:
    """Whether exactly the table is missing."""
    ours = value_at(before, table)
    try:
        kept = toml_of(after)
    except ForeignError:
        return False
    return _comparable(_with_table(kept, table, ours) if ours is not None else kept) == _comparable(before)


def _without_table(content: bytes, span: tuple[int, int], table: tuple[str, ...]) -> bytes:
    """The file without our marks, and without the lines of our table between them."""
    header, is_ours = f"[{'.'.join(table)}]".encode(), False
    kept = []
    for line in content[slice(*span)].splitlines(keepends=True)[1:-1]:
        if line.lstrip().startswith(b"["):
            is_ours = line.strip() == header
        if not is_ours or line.lstrip().startswith(b"#"):
            kept.append(line)
    return content[: span[0]] + b"".join(kept) + content[span[1] :]


def _comparable(value: Any) -> str:
    """A text that is equal for equal values; dates become texts, and NaN equals itself."""
    return json.dumps(value, sort_keys=True, default=str)


def _span(content: bytes, marks: Marks) -> tuple[int, int] | None:
    """The bytes of the block, its marks and its last line break included."""
    starts, ends = _lines_of(content, marks.start), _lines_of(content, marks.end)
    if not starts and not ends:
        return None
    if len(starts) != 1 or len(ends) != 1 or starts[0][0] > ends[0][0]:
        raise ForeignError("its repomem marks are missing, repeated or out of order", "remove them by hand")
    return starts[0][0], ends[0][1]


def _lines_of(content: bytes, mark: str) -> list[tuple[int, int]]:
    pattern = rb"^(?:\xef\xbb\xbf)?[ \t]*" + re.escape(mark).encode() + rb"[ \t]*\r?(?:\n|\Z)"
    return [found.span() for found in re.finditer(pattern, content, re.MULTILINE)]
