"""The commands under Team: share memories, check changes, and use shared storage."""

from typing import Annotated

import typer

from repomem.cli.commands.options import Form, Quiet, Yes
from repomem.cli.terminal.console import workspace_of
from repomem.cli.terminal.formats import CheckFormat, Format
from repomem.cli.terminal.help import Commands

team_commands = Commands("Team")
store_commands = Commands(
    name="store",
    help="Share parsed files and embeddings through object storage.",
    epilog="""\b
Queries never wait for shared storage.

\b
Examples:
  repomem store init s3://bucket/repomem   test the storage and set it up, once
  repomem store status                     who has stored how much of this repository
  repomem store prune                      delete what you stored with other versions
""",
)
team_commands.add_subcommands(store_commands)


@team_commands.command(
    epilog="""\b
Examples:
  repomem sync             with origin
  repomem sync --dry-run   print what would be sent and received
  repomem trust 4f2ab91c   trust a writer that repomem sync lists
"""
)
def sync(  # noqa: PLR0913, PLR0917  # an option is an argument
    context: typer.Context,
    remote: Annotated[str, typer.Argument(metavar="REMOTE", help="a remote or its URL; default: origin")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="only print what would be sent and received")] = False,
    unpushed: Annotated[
        bool, typer.Option("--unpushed", help="also send memories made on commits that the remote does not have")
    ] = False,
    trust_git_config: Annotated[
        bool,
        typer.Option("--trust-git-config", help="let git run programs set in .git/config, such as a credential helper"),
    ] = False,
    quiet: Quiet = False,
    form: Form = Format.TEXT,
) -> None:
    """Share memories through a git remote.

    Sends yours to refs/repomem/ledger and receives those of others. Private memories are never sent; those made on
    commits that the remote does not have are sent only with --unpushed. Memories of others are shown as "from an
    untrusted writer" until you trust the writer. Changes no other ref.
    """
    from repomem.cli.team.sync import sync_command
    from repomem.sync.run import SyncRequest

    ask = SyncRequest(remote, is_dry_run=dry_run, with_unpushed=unpushed, is_config_trusted=trust_git_config)
    sync_command(workspace_of(context), ask, form, is_quiet=quiet)


@team_commands.command()
def trust(
    context: typer.Context,
    writer: Annotated[
        str,
        typer.Argument(
            metavar="WRITER", help="an id that repomem sync prints, or its first characters; default: the file"
        ),
    ] = "",
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="do not ask; still requires a terminal that no agent opened")
    ] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="stop trusting WRITER or the file")] = False,
) -> None:
    """Trust this repository's .repomem.toml, or a writer.

    A writer is a user on a machine, whose memories repomem sync received. A trusted .repomem.toml
    may choose the models and servers that your text is sent to, the folder of the index, and writers to trust; once it
    changes, it is no longer trusted. Memories of a trusted WRITER count like your own.
    """
    from repomem.cli.setup.config import distrust_command, trust_command
    from repomem.cli.team.sync import distrust_writer_command, trust_writer_command

    if writer and revoke:
        distrust_writer_command(workspace_of(context), writer)
    elif writer:
        trust_writer_command(workspace_of(context), writer, is_sure=yes)
    elif revoke:
        distrust_command(context.obj)
    else:
        trust_command(context.obj, is_sure=yes)


@team_commands.command(
    epilog="""\b
Examples:
  repomem check                       changes since upstream, uncommitted ones included
  repomem check origin/main..HEAD     the commits of a pull request
  repomem check --strict HEAD~3       exit with 1 on a warning
  repomem check --format annotations origin/main..HEAD   comments on a pull request
"""
)
def check(
    context: typer.Context,
    span: Annotated[
        str,
        typer.Argument(metavar="BASE..HEAD", help="the commits to check; BASE alone: from BASE to the worktree"),
    ] = "",
    strict: Annotated[bool, typer.Option("--strict", help="exit with 1 if there is a warning")] = False,
    form: Annotated[CheckFormat, typer.Option("--format", help="output format")] = CheckFormat.TEXT,
) -> None:
    """Check a change against memories, decisions and past fixes.

    Warns of memories that it contradicts or whose code it changes, and of fixed bugs that return. Reverts announced
    in their commit message and conflicts with unconfirmed memories are only notes. Reads git and the memories. Needs
    no index and writes nothing.
    """
    from repomem.cli.team.check import check_command

    check_command(workspace_of(context), span, form, is_strict=strict)


@store_commands.command("init")
def store_init(
    context: typer.Context,
    uri: Annotated[
        str,
        typer.Argument(metavar="URI", help="s3://, gs:// or az://; default: the option store.uri"),
    ] = "",
) -> None:
    """Check and set up shared storage.

    Requires storage that honours If-None-Match on writes; on others LanceDB would lose rows. Credentials come from the
    environment, such as AWS_ACCESS_KEY_ID.
    """
    from repomem.cli.team.store import init_command

    init_command(workspace_of(context), uri)


@store_commands.command("status")
def store_status(context: typer.Context, form: Form = Format.TEXT) -> None:
    """Show how much storage each writer uses.

    Changes nothing.
    """
    from repomem.cli.team.store import status_command

    status_command(workspace_of(context), form)


@store_commands.command("prune")
def store_prune(
    context: typer.Context,
    writer: Annotated[str, typer.Option("--writer", metavar="ID", help="delete everything of this writer")] = "",
    everything: Annotated[bool, typer.Option("--all", help="delete everything of all writers")] = False,
    yes: Yes = False,
) -> None:
    """Delete data that you stored with other versions of repomem.

    Deletes data of this repository only.
    """
    from repomem.cli.team.store import prune_command

    if writer and everything:
        raise typer.BadParameter("cannot be combined with --writer", param_hint="--all")
    prune_command(workspace_of(context), writer, is_all=everything, is_sure=yes)
