"""The commands under Start: set repomem up, and see its state."""

from typing import Annotated

import typer

from repomem.cli.commands.options import Form, Yes
from repomem.cli.terminal.console import finish
from repomem.cli.terminal.formats import Format
from repomem.cli.terminal.help import Commands

start_commands = Commands("Start")


@start_commands.command(
    epilog="""\b
Examples:
  repomem init                       ask about each agent that is found
  repomem init --yes                 set up every agent that is found
  repomem init --agent claude-code   set up only Claude Code, without asking
"""
)
def init(
    context: typer.Context,
    agents: Annotated[
        list[str] | None,
        typer.Option("--agent", metavar="NAME", help="set up only this agent; repeatable"),
    ] = None,
    user: Annotated[bool, typer.Option("--user", help="change your own settings, for every repository")] = False,
    yes: Yes = False,
) -> None:
    """Index this repository and set up git hooks and your agents.

    Prints a first brief, then what was changed and how to undo it. Asks before it edits the settings of an agent.
    """
    from repomem.cli.setup.init import init_command

    finish(lambda: init_command(context.obj, tuple(agents or ()), is_sure=yes, is_for_user=user))


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

    Changes nothing.
    """
    from repomem.cli.setup.memory_status import memory_status_command
    from repomem.cli.setup.status import status_command

    finish(lambda: (memory_status_command if memory else status_command)(context.obj, form))
