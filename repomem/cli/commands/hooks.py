"""The commands of `repomem hooks`: names, options and help, as in `cli.main`."""

from typing import Annotated

import typer

from repomem.cli.terminal.console import finish
from repomem.cli.terminal.formats import Format

hooks_app = typer.Typer(
    name="hooks",
    help="Git hooks that keep the index fresh. They cost a commit some milliseconds, print nothing and never fail.",
    epilog="""\b
Examples:
  repomem hooks install
  repomem hooks status --format json
  REPOMEM=0 git commit   without them; where CI=true they do nothing
""",
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
Form = Annotated[Format, typer.Option("--format", help="how to answer")]


@hooks_app.command("install")
def hooks_install(
    context: typer.Context,
    pre_push: Annotated[
        bool, typer.Option("--pre-push", help="also share memories after each push, as repomem sync does")
    ] = False,
    form: Form = Format.TEXT,
) -> None:
    """Put some lines into post-checkout, post-commit, post-merge and post-rewrite, or bring them up to date.

    A hook that is no plain shell script is left alone, and so is a folder of hooks that is not this clone's own.
    """
    from repomem.cli.setup.git_hooks import install_command

    finish(lambda: install_command(context.obj, form, with_push=pre_push))


@hooks_app.command("uninstall")
def hooks_uninstall(context: typer.Context, form: Form = Format.TEXT) -> None:
    """Take them out again: every hook is as it was before, byte by byte."""
    from repomem.cli.setup.git_hooks import uninstall_command

    finish(lambda: uninstall_command(context.obj, form))


@hooks_app.command("status")
def hooks_status(context: typer.Context, form: Form = Format.TEXT) -> None:
    """Print how each hook stands. Changes nothing."""
    from repomem.cli.setup.git_hooks import status_command

    finish(lambda: status_command(context.obj, form))
