"""The options of `repomem eval` that need --agent."""

from pathlib import Path
from typing import Annotated

import typer

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
    int | None, typer.Option("--tasks", metavar="N", min=1, max=1_000, help="with --agent: commits; default: 10")
]
MemoryTasks = Annotated[
    bool,
    typer.Option("--memory-tasks", help="with --agent: only commits on code of an earlier memory, with your memories"),
]
Timeout = Annotated[
    float | None,
    typer.Option("--timeout", metavar="S", min=1, max=86_400, help="with --agent: seconds of a run; default: 900"),
]
Turns = Annotated[
    int | None, typer.Option("--turns", metavar="N", min=1, max=10_000, help="with --agent: model answers in a run")
]
MaxCost = Annotated[
    float | None,
    typer.Option(
        "--max-cost", metavar="USD", min=0, max=1_000_000, help="with --agent: start no run after so much, if reported"
    ),
]
TestCommand = Annotated[
    str, typer.Option("--test-command", metavar="CMD", help="with --agent: default: the profile's test command")
]
Arms = Annotated[
    str,
    typer.Option("--arms", metavar="LIST", help="with --agent: without,with and file; default: all that there are"),
]
Keep = Annotated[
    Path | None,
    typer.Option("--keep", metavar="DIR", help="with --agent: folder for results and logs; default: in your cache"),
]
Seed = Annotated[int | None, typer.Option("--seed", metavar="N", help="with --agent: of the order of runs")]
