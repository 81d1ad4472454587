"""The options of `repomem eval`; from `Agent` on, those of its runs of an agent."""

from pathlib import Path
from typing import Annotated

import typer

from repomem.cli.commands.options import MOST_TOKENS

REPLAYED_COMMITS = 30  # by default
MOST_REPLAYED = 5_000  # commits that `eval` examines at most

Commits = Annotated[
    int, typer.Option("--commits", "-n", metavar="N", min=1, max=MOST_REPLAYED, help="how many commits to replay")
]
BriefBudget = Annotated[
    int | None,
    typer.Option(
        "--budget", metavar="N", min=0, max=MOST_TOKENS, help="length of each brief, in tokens; default: recall.budget"
    ),
]
Html = Annotated[Path | None, typer.Option("--html", metavar="FILE", help="also write a page with tables and plots")]
Fresh = Annotated[bool, typer.Option("--fresh", help="ignore the saved results of earlier runs")]
OwnMemories = Annotated[
    bool, typer.Option("--memory", help="measure your memories instead: were they shown where their code changed?")
]
Agent = Annotated[
    str | None,
    typer.Option(
        "--agent",
        metavar="COMMAND",
        help="run this agent on past commits instead, in pairs with and without repomem: claude -p, codex exec, "
        "gemini, opencode run or any program that reads the prompt on stdin",
    ),
]
Tasks = Annotated[
    int | None,
    typer.Option("--tasks", metavar="N", min=1, max=1_000, help="with --agent: maximum number of commits; default: 10"),
]
MemoryTasks = Annotated[
    bool,
    typer.Option(
        "--memory-tasks",
        help="with --agent: only commits that change the code of an older memory; the agent gets those memories",
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option(
        "--timeout", metavar="S", min=1, max=86_400, help="with --agent: maximum seconds per run; default: 900"
    ),
]
Turns = Annotated[
    int | None,
    typer.Option(
        "--turns", metavar="N", min=1, max=10_000, help="with --agent: maximum number of model answers per run"
    ),
]
MaxCost = Annotated[
    float | None,
    typer.Option(
        "--max-cost",
        metavar="USD",
        min=0,
        max=1_000_000,
        help="with --agent: start no more runs once the reported costs reach this",
    ),
]
TestCommand = Annotated[
    str,
    typer.Option(
        "--test-command", metavar="CMD", help="with --agent: how to run the tests; default: the profile's command"
    ),
]
Arms = Annotated[
    str,
    typer.Option(
        "--arms",
        metavar="LIST",
        help="with --agent: what to compare: without (always), with, file (such as AGENTS.md); default: all",
    ),
]
Keep = Annotated[
    Path | None,
    typer.Option("--keep", metavar="DIR", help="with --agent: folder for results and logs; default: in your cache"),
]
Seed = Annotated[int | None, typer.Option("--seed", metavar="N", help="with --agent: seed for the order of runs")]
