"""The commands that set repomem up, look after it and take it out: names, options and help, as in `cli.main`."""

from typing import Annotated

import typer

from repomem.cli.terminal.console import finish
from repomem.cli.terminal.formats import Format

setup_app = typer.Typer(rich_markup_mode=None)
Form = Annotated[Format, typer.Option("--format", help="how to answer")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="do not ask")]


@setup_app.command(
    epilog="""\b
Examples:
  repomem init                       asks about each agent that it finds
  repomem init --yes                 sets up all of them
  repomem init --agent claude-code   that one, without a question
"""
)
def init(
    context: typer.Context,
    agents: Annotated[
        list[str] | None,
        typer.Option("--agent", metavar="NAME", show_default=False, help="set up this agent host and no others"),
    ] = None,
    user: Annotated[bool, typer.Option("--user", help="in your own settings, for every repository")] = False,
    yes: Yes = False,
) -> None:
    """Make repomem useful here: index, git hooks, the agents on this machine, and a first brief.

    It says what it changed and how to undo it. Agents' settings are edited only where you say yes.
    """
    from repomem.cli.setup.init import InitRequest, init_command

    finish(lambda: init_command(InitRequest(context.obj, tuple(agents or ()), is_sure=yes, is_for_user=user)))


@setup_app.command()
def uninstall(
    context: typer.Context,
    user: Annotated[bool, typer.Option("--user", help="also from your own settings of agent hosts")] = False,
    ledger: Annotated[
        bool, typer.Option("--ledger", help="also delete every copy of what was remembered; nothing brings it back")
    ] = False,
    yes: Yes = False,
) -> None:
    """Take repomem out of this repository: agents' entries, git hooks and the index. What was remembered stays.

    Files that others own are as they were before, byte by byte.
    """
    from repomem.cli.setup.init import UninstallRequest, uninstall_command

    request = UninstallRequest(context.obj, is_sure=yes, is_for_user=user, is_ledger_too=ledger)
    finish(lambda: uninstall_command(request))


@setup_app.command(
    epilog="""\b
Examples:
  repomem doctor         look at everything, change nothing
  repomem doctor --fix   mend what can be mended
"""
)
def doctor(
    context: typer.Context,
    fix: Annotated[bool, typer.Option("--fix", help="mend what can be mended")] = False,
    form: Form = Format.TEXT,
) -> None:
    """Check ledger, index, hooks and agents, and prove that each agent really got its last brief.

    Each thing that is broken is printed with the one command that restores it; the exit code is then 1.
    """
    from repomem.cli.setup.doctor import DoctorRequest, doctor_command

    finish(lambda: doctor_command(DoctorRequest(context.obj, form, is_mending=fix)))
