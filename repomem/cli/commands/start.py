"""The commands under Start: set repomem up, and see its state."""

from pathlib import Path
from typing import Annotated

import typer

from repomem.cli.commands.options import Form, Yes
from repomem.cli.terminal.console import workspace_of
from repomem.cli.terminal.formats import Format
from repomem.cli.terminal.help import Commands

start_commands = Commands("Start")


@start_commands.command(
    epilog="""\b
Examples:
  repomem init                       ask about each agent found
  repomem init --yes                 set up every agent found
  repomem init --agent claude-code   set up only Claude Code, without asking
"""
)
def init(
    context: typer.Context,
    agents: Annotated[
        list[str] | None,
        typer.Option("--agent", metavar="NAME", help="set up only this agent; repeatable"),
    ] = None,
    user: Annotated[
        bool, typer.Option("--user", help="change the agents' user settings, for all repositories")
    ] = False,
    yes: Yes = False,
) -> None:
    """Index this repository and set up git hooks and your agents.

    Prints a first brief, then what was changed and how to undo it. Asks before it edits the settings of an agent.
    """
    from repomem.cli.setup.init import init_command

    init_command(context.obj, tuple(agents or ()), is_sure=yes, is_for_user=user)


@start_commands.command()
def status(
    context: typer.Context,
    memory: Annotated[
        bool,
        typer.Option("--memory", help="show statistics of memories instead: kinds, ages, sizes, use, near-duplicates"),
    ] = False,
    form: Form = Format.TEXT,
) -> None:
    """Show what is indexed, how fresh it is, and its size on disk.

    Does not update the index.
    """
    if memory:
        from repomem.cli.setup.memory_status import memory_status_command

        memory_status_command(workspace_of(context), form)
    else:
        from repomem.cli.setup.status import status_command

        status_command(workspace_of(context), form)


@start_commands.command(
    epilog="""\b
Examples:
  repomem ui                        open the page in a browser
  repomem ui --no-browser           print its address only
  repomem ui --export report.html   write one file to share
"""
)
def ui(
    context: typer.Context,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="print the address without opening a browser")
    ] = False,
    port: Annotated[
        int,
        typer.Option("--port", metavar="NUMBER", min=0, max=65_535, help="default: any free one", show_default=False),
    ] = 0,
    target: Annotated[
        Path | None,
        typer.Option(
            "--export",
            metavar="FILE",
            help="write memories, repository, evaluation and health to FILE instead",
        ),
    ] = None,
) -> None:
    """Look at memories, briefs and the repository in a browser.

    Serves a page on this machine only, with a secret address, and sends nothing anywhere. Memories can be confirmed,
    edited and forgotten there. Stops with Ctrl-C, or after 30 minutes without use.
    """
    from repomem.cli.ui.ui import export_command, ui_command

    if target is not None and (no_browser or port):
        raise typer.BadParameter("cannot be combined with --no-browser or --port", param_hint="--export")
    if target is not None:
        export_command(context.obj, target)
    else:
        ui_command(context.obj, port, has_browser=not no_browser)
