"""The commands of `repomem store`: names, options and help, as in `cli.main`."""

from typing import Annotated

import typer

from repomem.cli.terminal.console import finish
from repomem.cli.terminal.formats import Format

store_app = typer.Typer(
    name="store",
    help="Shared storage, where a team leaves what was read and embedded once. Answers never wait for it.",
    epilog="""\b
Examples:
  repomem store init s3://bucket/repomem   try it out and set it up, once for all
  repomem store status                     who has left how much of this repository
  repomem store prune                      delete what you have left by other rules
""",
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
Form = Annotated[Format, typer.Option("--format", help="how to answer")]


@store_app.command("init")
def store_init(
    context: typer.Context,
    uri: Annotated[
        str, typer.Argument(metavar="[URI]", show_default=False, help="s3://, gs://, az:// or db://; else store.uri")
    ] = "",
) -> None:
    """Set shared storage up, if it refuses to overwrite a file that must not exist: LanceDB would lose rows there.

    Credentials come from the environment, as LanceDB reads them (AWS_ACCESS_KEY_ID and so on).
    """
    from repomem.cli.team.store import init_command

    finish(lambda: init_command(context.obj, uri))


@store_app.command("status")
def store_status(context: typer.Context, form: Form = Format.TEXT) -> None:
    """Print who has left how much of this repository, and how the last run fared. Changes nothing."""
    from repomem.cli.team.store import status_command

    finish(lambda: status_command(context.obj, form))


@store_app.command("prune")
def store_prune(
    context: typer.Context,
    writer: Annotated[
        str, typer.Option("--writer", metavar="ID", show_default=False, help="all that this writer has left")
    ] = "",
    everything: Annotated[bool, typer.Option("--all", help="all that anybody has left")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="do not ask")] = False,
) -> None:
    """Delete what you have left of this repository by rules of other versions; or more."""
    from repomem.cli.team.store import PruneRequest, prune_command

    if writer and everything:
        raise typer.BadParameter("goes with no other option but --yes", param_hint="--all")
    finish(lambda: prune_command(PruneRequest(context.obj, writer, is_all=everything, is_sure=yes)))
