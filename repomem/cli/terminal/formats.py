"""Output formats, and output for terminals and pipes."""

import json
import sys
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from repomem.cli.terminal.console import is_terminal, out, out_lines
from repomem.core.text.escape import visible, visible_values

if TYPE_CHECKING:
    from rich.console import RenderableType


class Format(StrEnum):
    """The output formats of most commands."""

    TEXT = "text"
    JSON = "json"


class CheckFormat(StrEnum):
    """The output formats of `repomem check`; the last two are for code review."""

    TEXT = "text"
    JSON = "json"
    ANNOTATIONS = "annotations"
    CODE_QUALITY = "code-quality"


class BriefFormat(StrEnum):
    """The output formats of a brief."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"
    MCP = "mcp"


class ItemKind(StrEnum):
    """Kinds that a brief can be limited to, as its text names them; warnings are always included."""

    RULE = "rule"
    DECISION = "decision"
    FACT = "fact"
    GOTCHA = "gotcha"
    THREAD = "thread"
    SESSION = "session"
    COMMIT = "commit"
    FAILED_ATTEMPT = "failed-attempt"
    STATEMENT = "statement"
    PLACE = "place"
    FILE = "file"
    MAP = "map"
    PROFILE = "profile"

    @property
    def in_json(self) -> str:
        """The kind of its items, in the JSON output."""
        return _IN_JSON.get(self, self.value)


_IN_JSON = {
    ItemKind.COMMIT: "episode",
    ItemKind.FAILED_ATTEMPT: "tried",
    ItemKind.STATEMENT: "said",
    ItemKind.PLACE: "code",
}


HOOK_EVENTS = (
    "session-start",
    "prompt",
    "file",
    "edit",
    "command",
    "delegate",
    "subagent-start",
    "pre-compact",
    "post-compact",
    "stop",
)


class HostName(StrEnum):
    """The agent hosts whose output format a hook can print; plain is text."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    GEMINI = "gemini"
    CURSOR = "cursor"
    OPENCODE = "opencode"
    COPILOT = "copilot"
    PLAIN = "plain"


def is_rich() -> bool:
    """Whether stdout shows tables and colour."""
    return is_terminal(sys.stdout)


def out_rich(*shown: "RenderableType") -> None:
    """Draw for people; colours as the terminal and NO_COLOR allow."""
    from rich.console import Console

    console = Console(file=sys.stdout, highlight=False, emoji=False)
    for each in shown:
        console.print(each)


def out_json(value: object) -> None:
    """One JSON document on lines of its own, without invisible characters, which others show to people and agents."""
    out(json.dumps(visible_values(value), ensure_ascii=False, indent=2) + "\n")


def out_json_line(value: object) -> None:
    """One JSON document on one line."""
    out(json.dumps(visible_values(value), ensure_ascii=False, separators=(",", ":")) + "\n")


def out_pairs(title: str, pairs: Iterable[tuple[str, str]]) -> None:
    """Named values: a table on a terminal, else a line for each. Empty values are left out."""
    rows = [(name, visible(value)) for name, value in pairs if value]
    if not is_rich():
        out_lines(f"{name}: {value}" for name, value in rows)
        return
    out_table(title, ("", ""), rows)


def out_table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table for a terminal, its first column in bold."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None, title_justify="left", box=None, pad_edge=False, show_header=any(heads))
    for at, head in enumerate(heads):
        table.add_column(head, style="bold" if at == 0 else "", overflow="fold", no_wrap=at == 0)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))  # Text: brackets in a path are not markup
    out_rich(table)


def non_empty(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields that are not empty."""
    return {name: value for name, value in fields.items() if value not in ("", (), [], {}, None)}
