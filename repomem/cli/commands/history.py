"""The commands under History: commits, lines and sessions."""

from typing import Annotated

import typer

from repomem.cli.commands.options import MOST_COMMITS, Form, Session, words
from repomem.cli.terminal.console import from_top, warm_workspace_of, words_or_stdin, workspace_of
from repomem.cli.terminal.formats import Format
from repomem.cli.terminal.help import Commands
from repomem.core.records import MemoryKind

MOST_SESSIONS = 10_000

history_commands = Commands("History")
session_commands = Commands(
    name="session",
    help="Record the goal, notes and outcome of an agent session.",
    epilog="""\b
Examples:
  repomem session start "Retry failed deliveries"
  repomem session note "The queue delivers twice after a restart"
  repomem session note --promote 01KRGY --kind gotcha   turn a note into a memory
  repomem session end "Retries work; the back-off is not tested yet"
  repomem session list --last 5
  repomem session show --last                           its memories, each with the sentence it was taken from
  repomem session import claude-code                    past sessions of Claude Code
""",
)
history_commands.add_subcommands(session_commands)


@history_commands.command(
    epilog="""\b
Examples:
  repomem log src/api.py          the history of a file, across renames
  repomem log src/api.py:Client   the history of a symbol, with its memories
  repomem log --memories          all memories and session outcomes, newest first
"""
)
def log(
    context: typer.Context,
    target: Annotated[str, typer.Argument(metavar="PATH[:SYMBOL]", help="default: the whole repository")] = "",
    last: Annotated[
        int,
        typer.Option(
            "--last",
            "-n",
            metavar="N",
            min=1,
            max=MOST_COMMITS,
            help="maximum number of commits; with --memories, of memories and sessions",
        ),
    ] = 20,
    memories: Annotated[
        bool,
        typer.Option(
            "--memories", help="only memories and session outcomes, including superseded, archived and gone memories"
        ),
    ] = False,
    form: Form = Format.TEXT,
) -> None:
    """Print commits and memories of a file or symbol, newest first.

    Sorted like git log, with author dates, so dates may be out of order.
    Shows how much of each commit is still in the code, except for merges and very large commits.
    """
    from repomem.cli.recall.show import log_command

    workspace = warm_workspace_of(context)
    log_command(workspace, from_top(workspace, context.obj, target), last, form, is_said_only=memories)


@history_commands.command(
    epilog="""\b
Example:
  repomem why src/api.py:42   the commits that changed the line, and the memories about its code
"""
)
def why(
    context: typer.Context,
    target: Annotated[str, typer.Argument(metavar="FILE:LINE", help="a line of a tracked file")],
    form: Form = Format.TEXT,
) -> None:
    """Explain a line: its commits, earlier versions and memories."""
    from repomem.cli.recall.why import why_command

    workspace = warm_workspace_of(context)
    why_command(workspace, from_top(workspace, context.obj, target), form)


@session_commands.command("start")
def session_start(
    context: typer.Context,
    goal: Annotated[list[str] | None, words("GOAL", "what the session is for")] = None,
    form: Form = Format.TEXT,
) -> None:
    """Start a session in this worktree.

    A session that you left open here is closed first, without an outcome. After 24 hours without activity, a session
    no longer counts as open.
    """
    from repomem.cli.sessions.session import start_command

    start_command(workspace_of(context), words_or_stdin(goal), form)


@session_commands.command("note")
def session_note(
    context: typer.Context,
    text: Annotated[list[str] | None, words("TEXT", "the note")] = None,
    promote: Annotated[str, typer.Option("--promote", metavar="ID", help="turn this note into a memory")] = "",
    kind: Annotated[
        MemoryKind | None,
        typer.Option("--kind", help="with --promote: the kind of memory; default: derived from the text"),
    ] = None,
    session: Session = "",
    form: Form = Format.TEXT,
) -> None:
    """Add a note, or turn one into a memory.

    Briefs show notes until the session ends; after that, repomem show SESSION prints them.
    """
    from repomem.cli.sessions.session import note_command, promote_command

    if bool(text) == bool(promote):
        raise typer.BadParameter("give words to note, or --promote ID")
    if kind and not promote:
        raise typer.BadParameter("needs --promote ID", param_hint="--kind")
    if promote:
        promote_command(workspace_of(context), promote, kind, session, form)
    else:
        note_command(workspace_of(context), words_or_stdin(text), session, form)


@session_commands.command("end")
def session_end(
    context: typer.Context,
    outcome: Annotated[list[str] | None, words("OUTCOME", "what the session achieved, and what is left")] = None,
    session: Session = "",
    form: Form = Format.TEXT,
) -> None:
    """End the session and save its outcome, files and commits."""
    from repomem.cli.sessions.session import end_command

    end_command(workspace_of(context), words_or_stdin(outcome), session, form)


@session_commands.command("list")
def session_list(
    context: typer.Context,
    last: Annotated[
        int, typer.Option("--last", "-n", metavar="N", min=1, max=MOST_SESSIONS, help="how many to print in full")
    ] = 10,
    form: Form = Format.TEXT,
) -> None:
    """Print sessions, newest first, and a summary of older ones."""
    from repomem.cli.sessions.session import list_command

    list_command(workspace_of(context), last, form)


@session_commands.command("show")
def session_show(
    context: typer.Context,
    wanted: Annotated[str, typer.Argument(metavar="ID", help="the id of a session, or its first characters")] = "",
    last: Annotated[
        bool, typer.Option("--last", help="the newest session with memories, or the newest if none has any (default)")
    ] = False,
    form: Form = Format.TEXT,
) -> None:
    """Print a session: its goal, outcome and memories, each with the sentence it was taken from.

    repomem forget --noise ID hides a wrongly captured memory and stops the capture of similar texts.
    """
    from repomem.cli.sessions.session import show_command

    if wanted and last:
        raise typer.BadParameter("give an id or --last, not both")
    show_command(workspace_of(context), wanted, form)


@session_commands.command("import")
def session_import(
    context: typer.Context,
    hosts: Annotated[
        list[str] | None,
        typer.Argument(metavar="HOST", help="agents, such as claude-code, codex or gemini; default: all"),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="all sessions of this repository, not only the newest 100 of each agent")
    ] = False,
    form: Form = Format.TEXT,
) -> None:
    """Import past sessions of agents from this machine.

    Saves each session's goal, commands, decisions and open threads. Uses no LLM, skips sessions of other projects,
    and removes secrets. Importing twice adds nothing.
    """
    from repomem.cli.sessions.import_sessions import import_command

    import_command(workspace_of(context), hosts or (), form, is_all=every)
