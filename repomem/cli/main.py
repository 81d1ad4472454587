"""The command line: names, options and help. What a command does lies in the module of its name, loaded when it runs.

Help is plain text, the same on a terminal and in a pipe: drawing it with rich would triple the time it takes.
"""

from pathlib import Path
from typing import Annotated

import typer

from repomem.cli.commands.agents import agents_app
from repomem.cli.commands.check import check_app
from repomem.cli.commands.evaluate import evaluate_app
from repomem.cli.commands.hooks import hooks_app
from repomem.cli.commands.memories import ledger_app, memory_app
from repomem.cli.commands.sessions import session_app
from repomem.cli.commands.setup import setup_app
from repomem.cli.commands.store import store_app
from repomem.cli.commands.sync import sync_app
from repomem.cli.commands.watch import watch_app
from repomem.cli.terminal.console import FailureTold, finish, out, words_or_stdin
from repomem.cli.terminal.formats import BriefFormat, Format, Host, ItemKind

MOST_TOKENS = 1_000_000_000  # the largest number that an option may hold
MOST_HITS = 10_000
MOST_COMMITS = 1_000_000


app = typer.Typer(
    name="repomem",
    help="The memory that a coding agent lacks: a short, true brief about a repository, within a token budget.",
    epilog="""\b
Start here:
  repomem init                             index, git hooks, your agents, a first brief
  repomem recall                           the map of the repository
  repomem recall "fix the retry backoff"   where to look and what happened there
  repomem remember "we retry three times"  what the next session must know
""",
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

QueryWords = Annotated[
    list[str] | None, typer.Argument(metavar="QUERY", show_default=False, help="words; - reads them from stdin")
]
ScopePath = Annotated[str, typer.Option("--path", metavar="PATH", show_default=False, help="a folder, file or glob")]
Form = Annotated[Format, typer.Option("--format", help="how to answer")]


app.add_typer(setup_app)
app.add_typer(memory_app)
app.add_typer(ledger_app)
app.add_typer(sync_app)
app.add_typer(session_app)
app.add_typer(hooks_app)
app.add_typer(agents_app)
app.add_typer(watch_app)
app.add_typer(evaluate_app)
app.add_typer(check_app)
app.add_typer(store_app)


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
    context.obj = directory


@app.command(
    epilog="""\b
Examples:
  repomem index               bring the index up to date
  repomem -C ../other index   that of another repository
"""
)
def index(
    context: typer.Context,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="delete the index first; git holds all of it")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="print nothing")] = False,
    form: Form = Format.TEXT,
) -> None:
    """Bring the index up to date with the work tree and the history.

    Only what changed is read. Interrupted, it goes on where it stopped. recall and search do this by themselves.
    """
    from repomem.cli.index.index import IndexRequest, index_command

    request = IndexRequest(context.obj, form, is_rebuild=rebuild, is_quiet=quiet)
    finish(lambda: index_command(request))


@app.command(
    epilog="""\b
Examples:
  repomem recall                                 the map of the repository
  repomem recall "add a timeout to the client"   a brief for a task
  repomem recall --budget 600 --path src/api "retry"
  repomem recall --at v1.2 "retry"               as it would have been then
  repomem recall --also ../client "retry"        with what another repository has
  git log -1 --format=%B | repomem recall -
"""
)
def recall(  # noqa: PLR0913, PLR0917  # an option is an argument
    context: typer.Context,
    query: QueryWords = None,
    budget: Annotated[
        int | None,
        typer.Option(
            "--budget", metavar="N", min=0, max=MOST_TOKENS, show_default=False, help="the most tokens it may take"
        ),
    ] = None,
    path: ScopePath = "",
    kind: Annotated[
        list[ItemKind] | None,
        typer.Option("--kind", metavar="KIND", show_default=False, help="only items of this kind, as in rule"),
    ] = None,
    since: Annotated[
        str, typer.Option("--since", metavar="DAY", show_default=False, help="history and memories from that day on")
    ] = "",
    until: Annotated[
        str, typer.Option("--until", metavar="DAY", show_default=False, help="history and memories up to that day")
    ] = "",
    at: Annotated[
        str, typer.Option("--at", metavar="REV", show_default=False, help="as it would have been at that commit")
    ] = "",
    index_first: Annotated[
        bool, typer.Option("--index", help="with --at: index what the index lacks of that commit")
    ] = False,
    also: Annotated[
        list[Path] | None,
        typer.Option("--also", metavar="DIR", show_default=False, help="ask the repository in DIR too"),
    ] = None,
    alone: Annotated[
        bool, typer.Option("--alone", help="without the other repositories of your configuration")
    ] = False,
    form: Annotated[
        BriefFormat | None,
        typer.Option("--format", show_default=False, help="text on a terminal, else markdown, unless given"),
    ] = None,
) -> None:
    """Print what an agent should know before it starts: a brief within a token budget.

    Without a query it is the map of the repository.
    """
    from repomem.cli.recall.recall import RecallRequest, out_failed_tool, recall_command

    failure_told: FailureTold | None = out_failed_tool if form is BriefFormat.MCP else None
    kinds = tuple(kind or ())

    def command() -> None:
        asked = words_or_stdin(query)
        recall_command(
            RecallRequest(
                context.obj, asked, budget, path, form, since, until, at, index_first, kinds, tuple(also or ()), alone
            )
        )

    finish(command, failure_told)


@app.command(
    epilog="""\b
Examples:
  repomem search "parse the config file"
  repomem search -k 3 --path src --language python retry
  repomem search --stdin <queries.txt   one JSON object a line
"""
)
def search(  # noqa: PLR0913, PLR0917  # an option is an argument
    context: typer.Context,
    query: QueryWords = None,
    limit: Annotated[
        int | None,
        typer.Option("-k", "--limit", metavar="N", min=1, max=MOST_HITS, show_default=False, help="how many hits"),
    ] = None,
    path: ScopePath = "",
    language: Annotated[str, typer.Option("--language", metavar="NAME", show_default=False, help="as in python")] = "",
    stdin: Annotated[
        bool, typer.Option("--stdin", help="one query a line from stdin, one JSON object a line to stdout")
    ] = False,
    form: Form = Format.TEXT,
) -> None:
    """Search the code alone: the best places first, each with its lines."""
    from repomem.cli.recall.search import SearchRequest, search_command, search_lines_command

    if stdin == bool(query):
        raise typer.BadParameter("give words to search for, or --stdin", param_hint="QUERY")
    request = SearchRequest(context.obj, limit, path, language, form)
    finish(lambda: search_lines_command(request) if stdin else search_command(request, words_or_stdin(query)))


@app.command(
    epilog="""\b
Examples:
  repomem show src/api.py:12-40   lines, what they define and call
  repomem show Session.send       a symbol: where it is defined, and who uses it
  repomem show 1a2b3c4d           a commit, and what of it still stands
  repomem show 01KRGY             a memory: what was said, of which code, and what became of it
"""
)
def show(
    context: typer.Context,
    wanted: Annotated[str, typer.Argument(metavar="ID", help="an id as a brief gives it, or a symbol")],
    form: Form = Format.TEXT,
) -> None:
    """Print one thing whole: a file, a span of lines, a commit, a memory or a session; of a symbol, who uses it.

    A use that is known to mean it, by scope or by import, comes first. One that has only its name says so.
    """
    from repomem.cli.recall.show import ShowRequest, show_command

    finish(lambda: show_command(ShowRequest(context.obj, wanted, form)))


@app.command(
    epilog="""\b
Examples:
  repomem log src/api.py          what happened to a file, renames followed
  repomem log src/api.py:Client   what happened to a symbol, and what was said about it
  repomem log --memories          all that was said, the newest first
"""
)
def log(
    context: typer.Context,
    target: Annotated[str, typer.Argument(metavar="PATH[:SYMBOL]", show_default=False)] = "",
    last: Annotated[
        int, typer.Option("--last", "-n", metavar="N", min=1, max=MOST_COMMITS, help="how many commits")
    ] = 20,
    memories: Annotated[
        bool, typer.Option("--memories", help="only what was said and what sessions came to, whatever became of it")
    ] = False,
    form: Form = Format.TEXT,
) -> None:
    """Tell the story of a file or symbol, newest first: commits with what of them stands, and what was said."""
    from repomem.cli.recall.show import ShowRequest, log_command

    finish(lambda: log_command(ShowRequest(context.obj, target, form), last, is_said_only=memories))


@app.command()
def status(context: typer.Context, form: Form = Format.TEXT) -> None:
    """Print what is known, how fresh it is and how large. Changes nothing."""
    from repomem.cli.setup.status import status_command

    finish(lambda: status_command(context.obj, form))


@app.command()
def config(context: typer.Context, form: Form = Format.TEXT) -> None:
    """Print every option with its value and where that comes from.

    A flag wins over the environment (REPOMEM_SECTION_KEY), that over the user's file, that over .repomem.toml.
    """
    from repomem.cli.setup.config import config_command

    finish(lambda: config_command(context.obj, form))


@app.command(
    epilog="""\b
A host starts it, with these words:
  {"mcpServers": {"repomem": {"command": "repomem", "args": ["mcp"]}}}
"""
)
def mcp(context: typer.Context) -> None:
    """Serve recall, search, show, log, remember and forget as MCP tools on stdin and stdout.

    Each call sees the work tree as it is then. The server ends when its stdin does.
    """
    from repomem.cli.agents.mcp import mcp_command

    finish(lambda: mcp_command(context.obj))


@app.command(
    # a host's configuration may be newer than this program, and some hosts take exit code 2 for a veto
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    epilog="""\b
Example, what a host runs at the start of a session:
  repomem hook session-start --host claude-code
""",
)
def hook(
    context: typer.Context,
    event: Annotated[
        str, typer.Argument(metavar="EVENT", show_default=False, help="session-start, prompt, edit, stop, …")
    ] = "",
    host: Annotated[
        str, typer.Option("--host", metavar=f"<{'|'.join(Host)}>", help="whose dialect to speak")
    ] = "plain",
) -> None:
    """Answer the hook of an agent host: its JSON comes on stdin, what its agent should know goes to stdout.

    At the start of a session that is the brief, with a prompt what is new for it; at a stop what the session has shown
    is kept. Only where repomem has indexed before. Whatever goes wrong, it exits with 0. REPOMEM=0 keeps it silent.
    """
    from repomem.cli.agents.hook import HookRequest, hook_command

    hook_command(HookRequest(context.obj, event, host))


@app.command(
    epilog="""\b
Examples:
  repomem consolidate --dry-run        print what it would do, and change nothing
  repomem consolidate --restore 01KRGY bring a memory back that was archived or grouped
"""
)
def consolidate(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="only print the plan")] = False,
    llm: Annotated[
        str,
        typer.Option("--llm", metavar="MODEL", show_default=False, help="let a model add a sentence to each group"),
    ] = "",
    restored: Annotated[
        str, typer.Option("--restore", metavar="ID", show_default=False, help="bring this memory back")
    ] = "",
    form: Form = Format.TEXT,
) -> None:
    """Group memories that say the same, archive what is superseded or long unused, and distil what shows again.

    Nothing is deleted. It runs by itself when it is due. A model is asked only with --llm; it gets the groups' words.
    """
    from repomem.cli.memories.consolidate import ConsolidateRequest, consolidate_command, restore_command

    if restored and (dry_run or llm):
        raise typer.BadParameter("goes with no other option but --format", param_hint="--restore")
    request = ConsolidateRequest(context.obj, form, llm, is_dry_run=dry_run)
    finish(lambda: restore_command(context.obj, restored, form) if restored else consolidate_command(request))


@app.command(hidden=True)
def maintain(context: typer.Context) -> None:
    """Tidy the tables; started by repomem itself."""
    from repomem.cli.index.index import maintain_command

    finish(lambda: maintain_command(context.obj))
