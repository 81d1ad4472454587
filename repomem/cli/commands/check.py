"""The command `repomem check`: its options and help, as in `cli.main`."""

from typing import Annotated

import typer

from repomem.cli.terminal.console import finish
from repomem.cli.terminal.formats import CheckFormat

check_app = typer.Typer(rich_markup_mode=None)


@check_app.command(
    epilog="""\b
Examples:
  repomem check                       what this branch has beyond its upstream, uncommitted changes included
  repomem check origin/main..HEAD     the commits of a pull request
  repomem check --strict HEAD~3       fail where the last three commits break something
  repomem check --format annotations origin/main..HEAD   for the review of a pull request
"""
)
def check(
    context: typer.Context,
    span: Annotated[
        str, typer.Argument(metavar="BASE..HEAD", show_default=False, help="or BASE: up to what is not committed yet")
    ] = "",
    strict: Annotated[bool, typer.Option("--strict", help="exit with 1 where there is a warning")] = False,
    form: Annotated[CheckFormat, typer.Option("--format", help="how to answer")] = CheckFormat.TEXT,
) -> None:
    """Say which memories a change breaks, which decision it goes against, and what mended code it brings back.

    Needs git and the ledger, no index; nothing is written down. Findings are warnings; a note is for what the change
    says it does on purpose, and for the word of somebody that nobody confirmed.
    """
    from repomem.cli.team.check import CheckRequest, check_command

    finish(lambda: check_command(CheckRequest(context.obj, span, form, is_strict=strict)))
