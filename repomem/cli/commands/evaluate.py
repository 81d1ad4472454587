"""The command `repomem eval`: its options and help, as in `cli.main`."""

from pathlib import Path
from typing import Annotated

import typer

from repomem.cli.terminal.console import finish
from repomem.cli.terminal.formats import Format

evaluate_app = typer.Typer(rich_markup_mode=None)
COMMITS = 30  # replayed where no number is given
MOST_COMMITS = 5_000  # as many as are looked through
MOST_TOKENS = 1_000_000_000  # the largest number that an option may hold


@evaluate_app.command(
    name="eval",
    epilog="""\b
Examples:
  repomem eval                     the newest 30 commits that say what they do
  repomem eval --commits 100 --html eval.html
  repomem eval --budget 800        would a shorter brief do?
""",
)
def evaluate(  # an option is an argument
    context: typer.Context,
    commits: Annotated[
        int, typer.Option("--commits", "-n", metavar="N", min=1, max=MOST_COMMITS, help="how many commits to replay")
    ] = COMMITS,
    budget: Annotated[
        int | None,
        typer.Option("--budget", metavar="N", min=0, max=MOST_TOKENS, show_default=False, help="tokens of each brief"),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", show_default=False, help="also write a page with tables and plots"),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="measure again what an earlier run has kept")] = False,
    form: Annotated[Format, typer.Option("--format", help="how to answer")] = Format.TEXT,
) -> None:
    """Replay this repository's own history: would the brief have pointed at the files that the next commit changed?

    The question is the commit's message, the index that of its parent. A message is a kinder question than yours will
    be: its author knew the answer. Your index, memories and work tree are not touched; interrupted, it goes on.
    """
    from repomem.cli.evaluate.evaluate import EvaluateRequest, evaluate_command

    finish(lambda: evaluate_command(EvaluateRequest(context.obj, commits, budget, html, form, fresh)))
