"""Tables, notes, figures and pages of `repomem eval`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from repomem.cli.terminal.console import out, out_lines, tell
from repomem.cli.terminal.formats import is_rich, out_table
from repomem.core.errors import RepomemError
from repomem.evaluate.tables import Table

DIGITS = 4  # of a figure in JSON


def require_folder(page: Path | None) -> None:
    """Fail before a long run if the folder of the page does not exist."""
    if page and not page.parent.is_dir():
        raise RepomemError(f"the folder {page.parent} for the page does not exist", "create it or choose another")


def print_tables(shown: Sequence[Table], notes: Sequence[str]) -> None:
    """Print tables and the notes below them: for a terminal, or aligned for a pipe."""
    if is_rich():
        for table in shown:
            out(f"{table.title}\n")  # rich would wrap the title to the table's width
            out_table("", table.heads, table.rows)
            out("\n")
    else:
        out_lines(map(_plain, shown))
    out_lines(notes)


def _plain(table: Table) -> str:
    """Aligned columns for a pipe: the first to the left, figures to the right."""
    lines = [table.heads, *table.rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(table.heads))]
    aligned = (
        "  ".join(
            [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))]
        )
        for line in lines
    )
    return f"{table.title}\n" + "".join(f"{line.rstrip()}\n" for line in aligned)


def write_page(path: Path, text: str) -> None:
    """Write a page. Raises RepomemError if the file cannot be written."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RepomemError(f"cannot write {path}: {error.strerror}", "choose another file") from error
    tell(f"written: {path}")


def rounded(value: Any) -> Any:
    """A value for JSON with all figures in it rounded."""
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, Mapping):
        return {name: rounded(each) for name, each in value.items()}
    return list(map(rounded, value)) if isinstance(value, list | tuple) else value
