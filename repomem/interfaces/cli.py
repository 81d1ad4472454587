"""The command line: names, options and help. What a command does lies in the module of its name, loaded when it runs.

Help is plain text, the same on a terminal and in a pipe: drawing it with rich would triple the time it takes.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from repomem.core.errors import RepomemError
from repomem.core.escape import visible
from repomem.interfaces.console import FailureTold, finish, out
from repomem.interfaces.formats import BriefFormat, Format, Host

MOST_TOKENS = 1_000_000_000  # the largest number that an option may hold
MOST_HITS = 10_000
QUERY_LIMIT = 1 << 20  # characters read from stdin as one query


app = typer.Typer(
    name="repomem",
    help="The memory that a coding agent lacks: a short, true brief about a repository, within a token budget.",
    epilog="""\b
Start here:
  repomem index                            read the work tree and its history
  repomem recall                           the map of the repository
  repomem recall "fix the retry backoff"   where to look and what happened there
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
    from repomem.interfaces.index import IndexRequest, index_command

    request = IndexRequest(context.obj, form, is_rebuild=rebuild, is_quiet=quiet)
    finish(lambda: index_command(request))


@app.command(
    epilog="""\b
Examples:
  repomem recall                                 the map of the repository
  repomem recall "add a timeout to the client"   a brief for a task
  repomem recall --budget 600 --path src/api "retry"
  git log -1 --format=%B | repomem recall -
"""
)
def recall(
    context: typer.Context,
    query: QueryWords = None,
    budget: Annotated[
        int | None,
        typer.Option(
            "--budget", metavar="N", min=0, max=MOST_TOKENS, show_default=False, help="the most tokens it may take"
        ),
    ] = None,
    path: ScopePath = "",
    form: Annotated[
        BriefFormat | None,
        typer.Option("--format", show_default=False, help="text on a terminal, else markdown, unless given"),
    ] = None,
) -> None:
    """Print what an agent should know before it starts: a brief within a token budget.

    Without a query it is the map of the repository.
    """
    from repomem.interfaces.recall import RecallRequest, out_failed_tool, recall_command

    failure_told: FailureTold | None = out_failed_tool if form is BriefFormat.MCP else None
    finish(lambda: recall_command(RecallRequest(context.obj, _text(query), budget, path, form)), failure_told)


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
    from repomem.interfaces.search import SearchRequest, search_command, search_lines_command

    if stdin == bool(query):
        raise typer.BadParameter("give words to search for, or --stdin", param_hint="QUERY")
    request = SearchRequest(context.obj, limit, path, language, form)
    finish(lambda: search_lines_command(request) if stdin else search_command(request, _text(query)))


@app.command(
    epilog="""\b
Examples:
  repomem show src/api.py:12-40   lines, what they define and call
  repomem show 1a2b3c4d           a commit, and what of it still stands
"""
)
def show(
    context: typer.Context,
    wanted: Annotated[str, typer.Argument(metavar="ID", help="an id as a brief gives it")],
    form: Form = Format.TEXT,
) -> None:
    """Print one thing whole: a file, a span of lines or a commit."""
    from repomem.interfaces.show import ShowRequest, show_command

    finish(lambda: show_command(ShowRequest(context.obj, wanted, form)))


@app.command(
    epilog="""\b
Examples:
  repomem log src/api.py          what happened to a file, renames followed
  repomem log src/api.py:Client   what happened to a symbol
"""
)
def log(
    context: typer.Context,
    target: Annotated[str, typer.Argument(metavar="PATH[:SYMBOL]", show_default=False)] = "",
    last: Annotated[int, typer.Option("--last", "-n", metavar="N", min=1, max=MOST_HITS, help="how many commits")] = 20,
    form: Form = Format.TEXT,
) -> None:
    """Tell the story of a file or symbol, newest first, each commit with what of it stands today."""
    from repomem.interfaces.show import ShowRequest, log_command

    finish(lambda: log_command(ShowRequest(context.obj, target, form), last))


@app.command()
def status(context: typer.Context, form: Form = Format.TEXT) -> None:
    """Print what is known, how fresh it is and how large. Changes nothing."""
    from repomem.interfaces.status import status_command

    finish(lambda: status_command(context.obj, form))


@app.command()
def config(context: typer.Context, form: Form = Format.TEXT) -> None:
    """Print every option with its value and where that comes from.

    A flag wins over the environment (REPOMEM_SECTION_KEY), that over the user's file, that over .repomem.toml.
    """
    from repomem.interfaces.config import config_command

    finish(lambda: config_command(context.obj, form))


@app.command()
def trust(
    context: typer.Context,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="do not ask")] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="trust it no longer")] = False,
) -> None:
    """Let this repository's .repomem.toml load a model or move the index, as long as the file stays as it is."""
    from repomem.interfaces.config import distrust_command, trust_command

    finish(lambda: distrust_command(context.obj) if revoke else trust_command(context.obj, is_sure=yes))


@app.command(
    epilog="""\b
A host starts it, with these words:
  {"mcpServers": {"repomem": {"command": "repomem", "args": ["mcp"]}}}
"""
)
def mcp(context: typer.Context) -> None:
    """Serve recall, search, show and log as MCP tools on stdin and stdout.

    Each call sees the work tree as it is then. The server ends when its stdin does.
    """
    from repomem.interfaces.mcp import mcp_command

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
    event: Annotated[str, typer.Argument(metavar="EVENT", show_default=False, help="session-start")] = "",
    host: Annotated[
        str, typer.Option("--host", metavar=f"<{'|'.join(Host)}>", help="whose dialect to speak")
    ] = "plain",
) -> None:
    """Answer the hook of an agent host: its JSON on stdin, the map of the repository on stdout.

    Only where repomem has indexed before. Whatever goes wrong, it prints nothing and exits with 0.
    """
    from repomem.interfaces.hook import HookRequest, hook_command

    hook_command(HookRequest(context.obj, event, host))


@app.command(hidden=True)
def maintain(context: typer.Context) -> None:
    """Tidy the tables; started by repomem itself."""
    from repomem.interfaces.index import maintain_command

    finish(lambda: maintain_command(context.obj))


def _text(words: list[str] | None) -> str:
    """The query, without what cannot be seen; a single dash stands for stdin."""
    if words == ["-"]:
        text = sys.stdin.read(QUERY_LIMIT + 1)
        if len(text) > QUERY_LIMIT:
            raise RepomemError("the query is longer than a million characters", "a task in a few sentences does")
        return visible(text).strip()
    return visible(" ".join(words or ())).strip()
