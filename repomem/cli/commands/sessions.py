"""The commands of `repomem session`: names, options and help, as in `cli.main`."""

from typing import Annotated

import typer

from repomem.cli.terminal.console import finish
from repomem.cli.terminal.formats import Format
from repomem.core.records import Kind

MOST_SESSIONS = 10_000

session_app = typer.Typer(
    name="session",
    help="The working memory of one agent session: its goal, notes, and what came of it.",
    epilog="""\b
Examples:
  repomem session start "Retry failed deliveries"
  repomem session note "The queue delivers twice after a restart"
  repomem session note --promote 01KRGY --kind gotcha   keep a note as a memory
  repomem session end "Retries work; the back-off is not tested yet"
  repomem session list --last 5
  repomem session import claude-code                    what past sessions of a host have shown
""",
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
Form = Annotated[Format, typer.Option("--format", help="how to answer")]
Named = Annotated[
    str,
    typer.Option("--session", metavar="ID", show_default=False, help="not the one that runs here; or REPOMEM_SESSION"),
]


@session_app.command("start")
def session_start(
    context: typer.Context,
    goal: Annotated[
        list[str] | None, typer.Argument(metavar="GOAL", show_default=False, help="words; - reads them from stdin")
    ] = None,
    form: Form = Format.TEXT,
) -> None:
    """Start a session in this work tree. One that the same speaker left open here ends first, as "(not ended)".

    Without a sign of life for 24 hours it counts as running no more.
    """
    from repomem.cli.sessions.session import SessionRequest, start_command

    finish(lambda: start_command(SessionRequest(context.obj, tuple(goal or ()), format=form)))


@session_app.command("note")
def session_note(
    context: typer.Context,
    text: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT", show_default=False, help="words; - reads them from stdin")
    ] = None,
    promote: Annotated[
        str, typer.Option("--promote", metavar="ID", show_default=False, help="keep that note as a memory")
    ] = "",
    kind: Annotated[
        Kind | None,
        typer.Option("--kind", show_default=False, help="of the memory; told from its words where not given"),
    ] = None,
    session: Named = "",
    form: Form = Format.TEXT,
) -> None:
    """Note something for the rest of the session. Notes end with it, unless they are promoted."""
    from repomem.cli.sessions.session import SessionRequest, note_command, promote_command

    if bool(text) == bool(promote):
        raise typer.BadParameter("give words to note, or --promote ID", param_hint="TEXT")
    if kind and not promote:
        raise typer.BadParameter("is for --promote ID", param_hint="--kind")
    request = SessionRequest(context.obj, tuple(text or ()), session, form)
    finish(lambda: promote_command(request, promote, kind) if promote else note_command(request))


@session_app.command("end")
def session_end(
    context: typer.Context,
    outcome: Annotated[
        list[str] | None, typer.Argument(metavar="OUTCOME", show_default=False, help="words; - reads them from stdin")
    ] = None,
    session: Named = "",
    form: Form = Format.TEXT,
) -> None:
    """End the session: its outcome, the files touched and the commits made in it are kept as one entry."""
    from repomem.cli.sessions.session import SessionRequest, end_command

    finish(lambda: end_command(SessionRequest(context.obj, tuple(outcome or ()), session, form)))


@session_app.command("list")
def session_list(
    context: typer.Context,
    last: Annotated[
        int, typer.Option("--last", "-n", metavar="N", min=1, max=MOST_SESSIONS, help="how many sessions, whole")
    ] = 10,
    form: Form = Format.TEXT,
) -> None:
    """Print the newest sessions, newest first, and a digest of those before, by area."""
    from repomem.cli.sessions.session import SessionRequest, list_command

    finish(lambda: list_command(SessionRequest(context.obj, format=form), last))


@session_app.command("import")
def session_import(
    context: typer.Context,
    hosts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[HOST]...", show_default=False, help="claude-code, codex, gemini, …; all where none is given"
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="every session of this repository, not only the newest 100 of a host")
    ] = False,
    form: Form = Format.TEXT,
) -> None:
    """Bring in past sessions of agent hosts from this machine: what was asked, run, decided and left open.

    No model reads them. Sessions of other projects are left out, secrets are taken out, and twice is once.
    """
    from repomem.cli.sessions.import_sessions import ImportRequest, import_command

    finish(lambda: import_command(ImportRequest(context.obj, tuple(hosts or ()), form, is_all=every)))
