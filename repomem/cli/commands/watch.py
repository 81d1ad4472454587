"""The command `repomem watch`: its options and help, as in `cli.main`."""

from typing import Annotated

import typer

from repomem.cli.terminal.console import finish

watch_app = typer.Typer(rich_markup_mode=None)


@watch_app.command(
    epilog="""\b
Examples:
  repomem watch             until Ctrl-C
  repomem watch --quiet &   beside your work; repomem status shows it
"""
)
def watch(
    context: typer.Context,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="print only what goes wrong")] = False,
) -> None:
    """Keep the index fresh as files change, in all work trees of this clone.

    Few need it: recall and search bring the index up to date by themselves, and hooks do after a commit. It spares a
    large repository that wait. One process does it for a clone, and nothing starts it but this command.
    """
    from repomem.cli.index.watch import watch_command

    finish(lambda: watch_command(context.obj, is_quiet=quiet))
