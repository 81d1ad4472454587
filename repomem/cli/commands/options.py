"""Options and arguments that several commands share."""

from typing import Annotated

import typer

from repomem.cli.terminal.formats import Format

MOST_TOKENS = 1_000_000_000  # the largest number that an option may hold
MOST_COMMITS = 1_000_000

Form = Annotated[Format, typer.Option("--format", help="output format")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="do not ask for confirmation")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="print nothing")]
Session = Annotated[
    str,
    typer.Option(
        "--session",
        metavar="ID",
        help="the session to use; default: $REPOMEM_SESSION, else the one open in this worktree",
    ),
]
FilesIn = Annotated[str, typer.Option("--path", metavar="PATH", help="only this folder, file or glob")]
MemoryIds = Annotated[list[str], typer.Argument(metavar="ID", help="ids of memories, or their first characters")]


def words(name: str, what: str = "") -> typer.models.ArgumentInfo:
    """An argument of several words, which need no quotes."""
    argument: typer.models.ArgumentInfo = typer.Argument(
        metavar=name, help=f"{what or 'the text'}; - reads it from stdin"
    )
    return argument
