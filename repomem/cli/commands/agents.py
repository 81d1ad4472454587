"""The commands of `repomem agents`: names, options and help, as in `cli.main`."""

from typing import Annotated

import typer

from repomem.cli.terminal.console import finish
from repomem.cli.terminal.formats import Format

agents_app = typer.Typer(
    name="agents",
    help="Make agent hosts call repomem: their hooks and MCP settings, and the way back.",
    epilog="""\b
Examples:
  repomem agents install                     the hosts found on this machine, for this work tree
  repomem agents install --user claude-code  for all repositories of this user
  repomem agents install agents-md           a few lines in AGENTS.md, for any other host
  repomem agents status
  repomem agents uninstall                   every file as it was
""",
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="[NAME]...", show_default=False, help="hosts, as status names them"),
]
ForUser = Annotated[bool, typer.Option("--user", help="in the user's settings, not in those of this work tree")]
Form = Annotated[Format, typer.Option("--format", help="how to answer")]


@agents_app.command("install")
def agents_install(
    context: typer.Context, names: Names = None, user: ForUser = False, form: Form = Format.TEXT
) -> None:
    """Add what makes a host call repomem to its settings: by default to those of each host found on this machine.

    Nothing else in a file changes. A file that cannot be edited safely is left as it is, and what to add is printed.
    Hooks do nothing in a repository that repomem does not know.
    """
    from repomem.cli.agents.agents import AgentsRequest, install_command

    finish(lambda: install_command(AgentsRequest(context.obj, tuple(names or ()), is_for_user=user, format=form)))


@agents_app.command("uninstall")
def agents_uninstall(
    context: typer.Context, names: Names = None, user: ForUser = False, form: Form = Format.TEXT
) -> None:
    """Take it out again: of all hosts, unless some are named. What others changed meanwhile stays."""
    from repomem.cli.agents.agents import AgentsRequest, uninstall_command

    finish(lambda: uninstall_command(AgentsRequest(context.obj, tuple(names or ()), is_for_user=user, format=form)))


@agents_app.command("status")
def agents_status(context: typer.Context, names: Names = None, user: ForUser = False, form: Form = Format.TEXT) -> None:
    """Print what each host has of repomem, and what keeps it from running. Changes nothing."""
    from repomem.cli.agents.agents import AgentsRequest, status_command

    finish(lambda: status_command(AgentsRequest(context.obj, tuple(names or ()), is_for_user=user, format=form)))
