"""The commands for what is shared with others: names, options and help, as in `cli.main`."""

from typing import Annotated

import typer

from repomem.cli.terminal.console import finish
from repomem.cli.terminal.formats import Format

sync_app = typer.Typer(rich_markup_mode=None)
Form = Annotated[Format, typer.Option("--format", help="how to answer")]


@sync_app.command(
    epilog="""\b
Examples:
  repomem sync             with origin
  repomem sync --dry-run   what would be sent and taken in
  repomem trust 4f2ab91c   believe a writer whom sync has listed
"""
)
def sync(  # noqa: PLR0913, PLR0917  # an option is an argument
    context: typer.Context,
    remote: Annotated[
        str, typer.Argument(metavar="REMOTE", show_default=False, help="a remote, or its address; origin if not given")
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="only say what would be sent and taken in")] = False,
    unpushed: Annotated[
        bool, typer.Option("--unpushed", help="also send what was said on commits that the remote does not have")
    ] = False,
    trust_git_config: Annotated[
        bool,
        typer.Option("--trust-git-config", help="let git run the programs that this clone's own configuration names"),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="print nothing")] = False,
    form: Form = Format.TEXT,
) -> None:
    """Share memories with who works on the same remote, and take in theirs: by git, under refs/repomem/ledger.

    Private memories stay, and so does what was said on commits that the remote does not have. What others say counts
    as theirs until you trust them. Nothing else of the remote or of this clone is touched.
    """
    from repomem.cli.team.sync import SyncRequest, sync_command

    request = SyncRequest(
        context.obj,
        remote,
        form,
        is_dry_run=dry_run,
        with_unpushed=unpushed,
        is_config_trusted=trust_git_config,
        is_quiet=quiet,
    )
    finish(lambda: sync_command(request))


@sync_app.command()
def trust(
    context: typer.Context,
    writer: Annotated[
        str, typer.Argument(metavar="WRITER", show_default=False, help="an id that repomem sync lists, or its start")
    ] = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="do not ask")] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="trust it no longer")] = False,
) -> None:
    """Let this repository's .repomem.toml load a model or move the index, as long as the file stays as it is.

    With WRITER, believe what somebody's syncs bring here as if it had been said here.
    """
    from repomem.cli.setup.config import distrust_command, trust_command
    from repomem.cli.team.sync import distrust_writer_command, trust_writer_command

    if writer and revoke:
        finish(lambda: distrust_writer_command(context.obj, writer))
    if writer:
        finish(lambda: trust_writer_command(context.obj, writer, is_sure=yes))
    finish(lambda: distrust_command(context.obj) if revoke else trust_command(context.obj, is_sure=yes))
