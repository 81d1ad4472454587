"""The command line: the application, its global options, and the groups of commands in the order of `--help`.

To add a command: its name, options and help go into `commands/GROUP.py`, its body into `FOLDER/COMMAND.py`.
"""

import os
import sys
from functools import cache
from pathlib import Path
from typing import Annotated

import typer
from typer._click import Command  # typer has no public name for its copy of Click
from typer._click.exceptions import UsageError
from typer.main import get_command

from repomem.cli.commands.agents import agent_commands
from repomem.cli.commands.history import history_commands
from repomem.cli.commands.maintenance import maintenance_commands
from repomem.cli.commands.recall import recall_commands
from repomem.cli.commands.remember import remember_commands
from repomem.cli.commands.start import start_commands
from repomem.cli.commands.team import team_commands
from repomem.cli.terminal.console import DONE, out
from repomem.cli.terminal.help import Commands
from repomem.cli.terminal.usage_errors import tell_usage_error

NAME = "repomem"
COMPLETION = "_REPOMEM_COMPLETE"  # set by the shell functions that typer installs; typer prints completions, and ends

app = Commands(
    name=NAME,
    help="Persistent memory for coding agents: short briefs about a git repository, within a token budget.",
    epilog="""\b
First steps:
  repomem init                             index, git hooks, your agents, a first brief
  repomem recall                           a map of the repository
  repomem recall "fix the retry backoff"   where to look, and its history
  repomem remember "we retry three times"  what later sessions must know
""",
)
for commands in (
    start_commands,
    recall_commands,
    remember_commands,
    history_commands,
    agent_commands,
    team_commands,
    maintenance_commands,
):
    app.add_typer(commands)


def _print_version(is_wanted: bool) -> None:  # typer's callback
    if is_wanted:
        from repomem import __version__

        out(f"repomem {__version__}\n")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    directory: Annotated[
        Path, typer.Option("-C", "--directory", metavar="DIR", show_default=False, help="run as if started in DIR")
    ] = Path(),
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="print the version and exit")
    ] = False,
) -> None:
    from repomem.workspace.process import prepare_process

    prepare_process()  # before the command's own module is imported
    context.obj = directory


@cache
def command_line() -> Command:
    """The whole command with its options, as typer makes it of the functions; that takes 0.03 s."""
    return get_command(app)


def run_command_line() -> int:
    """Run the command that this process was called with; its exit code.

    What a command raises is raised: typer's own `main` ends the process for some errors and interrupts.
    """
    command = command_line()
    if os.environ.get(COMPLETION):
        command(prog_name=NAME)
    try:
        with command.make_context(NAME, sys.argv[1:]) as context:
            command.invoke(context)
    except UsageError as error:
        tell_usage_error(error)
        return error.exit_code
    except typer.Exit as ended:
        return ended.exit_code
    return DONE
