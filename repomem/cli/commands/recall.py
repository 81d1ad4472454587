"""The commands under Recall: briefs, search, and single items."""

from pathlib import Path
from typing import Annotated

import typer

from repomem.cli.commands.options import MOST_TOKENS, FilesIn, Form, words
from repomem.cli.terminal.console import finish, from_top, warm_workspace_of, words_or_stdin, workspace_of
from repomem.cli.terminal.formats import BriefFormat, Format, ItemKind
from repomem.cli.terminal.help import Commands
from repomem.profile.profile_lines import LINES_OF_BRIEFS, Action, Slot, slot_or_label

MOST_HITS = 10_000

Budget = Annotated[
    int | None,
    typer.Option(
        "--budget",
        metavar="N",
        min=0,
        max=MOST_TOKENS,
        help="maximum length, in tokens, at least 300; default: recall.budget, 1500",
    ),
]
Kinds = Annotated[
    list[ItemKind] | None,
    typer.Option("--kind", metavar="KIND", help=f"only items of this kind: {', '.join(ItemKind)}"),
]
Since = Annotated[str, typer.Option("--since", metavar="DATE", help="only commits and memories from this date on")]
Until = Annotated[str, typer.Option("--until", metavar="DATE", help="only commits and memories up to this date")]
Also = Annotated[
    list[Path] | None, typer.Option("--also", metavar="DIR", help="include the repository in DIR; repeatable")
]
At = Annotated[str, typer.Option("--at", metavar="REV", help="show the brief as of this commit, tag or day")]
IndexFirst = Annotated[
    bool, typer.Option("--index", help="with --at: index that commit first, if it is not indexed yet")
]
Why = Annotated[
    bool, typer.Option("--why", help="show why each memory and place is included, and which memories came close")
]
SinceMe = Annotated[
    bool,
    typer.Option(
        "--since-me",
        help="show instead what others changed in your code since your last session, in 400 tokens by default",
    ),
]

recall_commands = Commands("Recall")


@recall_commands.command(
    epilog="""\b
Examples:
  repomem recall                                 a map of the repository
  repomem recall "add a timeout to the client"   a brief for a task
  repomem recall --budget 600 --path src/api "retry"
  repomem recall --at v1.2 "retry"               the brief as of that tag
  repomem recall --also ../client "retry"        include another repository
  repomem recall --since-me                      what others changed in your code since your last session
  repomem recall --why "retry"                   why each memory is included
  git log -1 --format=%B | repomem recall -
"""
)
def recall(  # noqa: PLR0913, PLR0917  # an option is an argument
    context: typer.Context,
    query: Annotated[list[str] | None, words("QUERY", "the task, in your own words")] = None,
    budget: Budget = None,
    path: Annotated[
        str,
        typer.Option(
            "--path",
            metavar="PATH",
            help="limit code to this folder, file or glob; commits and memories are not filtered",
        ),
    ] = "",
    kind: Kinds = None,
    since: Since = "",
    until: Until = "",
    at: At = "",
    index_first: IndexFirst = False,
    also: Also = None,
    alone: Annotated[
        bool, typer.Option("--alone", help="leave out the other repositories named in your configuration")
    ] = False,
    why: Why = False,
    since_me: SinceMe = False,
    form: Annotated[
        BriefFormat | None,
        typer.Option("--format", help="output format; default: text on a terminal, else markdown"),
    ] = None,
) -> None:
    """Print a brief for a task: where to look and what to know.

    Without a query, prints a map of the repository. Brings the index up to date first.
    """
    from repomem.cli.recall.recall import RecallRequest, out_failed_tool, recall_command, since_me_command

    kinds = tuple(each.in_json for each in kind or ())

    def command() -> None:
        asked = words_or_stdin(query)
        others = tuple(also or ())
        request = RecallRequest(
            context.obj, asked, budget, path, form, since, until, at, index_first, kinds, others, alone, why
        )
        (since_me_command if since_me else recall_command)(request)

    if form is BriefFormat.MCP:
        finish(command, out_failed_tool)
    command()


@recall_commands.command(
    epilog="""\b
Examples:
  repomem search "parse the config file"
  repomem search -k 3 --path src --language python retry
  repomem search --stdin <queries.txt   print one JSON object per query
"""
)
def search(  # noqa: PLR0913, PLR0917  # an option is an argument
    context: typer.Context,
    query: Annotated[list[str] | None, words("QUERY", "what to search for")] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "-k",
            "--limit",
            metavar="N",
            min=1,
            max=MOST_HITS,
            help="maximum number of results; default: search.limit, 10",
        ),
    ] = None,
    path: FilesIn = "",
    language: Annotated[
        str, typer.Option("--language", metavar="NAME", help="only this language, such as python")
    ] = "",
    stdin: Annotated[
        bool, typer.Option("--stdin", help="read one query per line from stdin; print one JSON object per line")
    ] = False,
    form: Form = Format.TEXT,
) -> None:
    """Search the code and print the best matches, with their lines.

    Brings the index up to date first.
    """
    from repomem.cli.recall.search import search_command, search_lines_command
    from repomem.workspace.snapshot import Scope

    if stdin == bool(query):
        raise typer.BadParameter("give words to search for, or --stdin")
    workspace = warm_workspace_of(context)
    scope = Scope(from_top(workspace, context.obj, path), language)
    if stdin:
        search_lines_command(workspace, scope, limit)
    else:
        search_command(workspace, words_or_stdin(query), scope, limit, form)


@recall_commands.command(
    epilog="""\b
Examples:
  repomem show src/api.py:12-40   lines, with the names that they define and use
  repomem show Session.send       a symbol: its code and its callers
  repomem show 1a2b3c4d           a commit, and how much of it is still in the code
  repomem show 01KRGY             a memory: its text, its code, and its history
"""
)
def show(
    context: typer.Context,
    wanted: Annotated[str, typer.Argument(metavar="ID", help="an id that a brief prints, a symbol, or HEAD~1")],
    form: Form = Format.TEXT,
) -> None:
    """Print a file, lines, symbol, commit, memory or session.

    For a symbol, also lists its callers: first those that scope or imports confirm, then those that only match by name,
    which are marked.
    """
    from repomem.cli.recall.show import show_command

    workspace = workspace_of(context)
    show_command(workspace, from_top(workspace, context.obj, wanted), form)


@recall_commands.command(
    epilog="""\b
Examples:
  repomem profile                               the facts, each with its source
  repomem profile test                          only how to test
  repomem profile test "make check"             replace the test command
  repomem profile owners --append "ask Ana"     add a fact
  repomem profile pitfalls --clear              show no reverted changes
"""
)
def profile(
    context: typer.Context,
    slot: Annotated[
        str | None,
        typer.Argument(
            metavar="SLOT",
            parser=slot_or_label,
            autocompletion=lambda: list(Slot),
            help=f"kind of fact: {', '.join(Slot)} (entry: main programs, pitfalls: reverted changes); without TEXT "
            f"also {', '.join(LINES_OF_BRIEFS)}",
        ),
    ] = None,
    text: Annotated[list[str] | None, words("TEXT", "the new text")] = None,
    append: Annotated[bool, typer.Option("--append", help="add TEXT to the facts of this kind")] = False,
    clear: Annotated[bool, typer.Option("--clear", help="show no fact of this kind, until one is added")] = False,
    form: Form = Format.TEXT,
) -> None:
    """Print facts about this repository, or correct one.

    How to build, test, lint and format, the layout, the conventions and the owners, as of the last index run, in at
    most 300 tokens. Only a person at a terminal can correct a fact.
    """
    from repomem.cli.recall.profile import profile_command

    if append and clear:
        raise typer.BadParameter("give --append or --clear, not both")
    if (append or clear) and not slot:
        raise typer.BadParameter("needs a SLOT", param_hint="--append" if append else "--clear")
    if slot and slot in LINES_OF_BRIEFS and (text or append or clear):
        raise typer.BadParameter(f"{slot!r} is {LINES_OF_BRIEFS[slot]}", param_hint="SLOT")
    action = Action.CLEAR if clear else Action.APPEND if append else Action.REPLACE
    profile_command(workspace_of(context), slot, words_or_stdin(text), action, form)
