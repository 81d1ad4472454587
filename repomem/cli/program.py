"""The command line as a process: which commands are answered without loading typer."""

import sys
from pathlib import Path

from repomem.cli.terminal.console import DONE, finish, prepare_streams

TOOL_HOOKS = (["hook", "file"], ["hook", "command"], ["hook", "delegate"])
WORDS_OF_HOOK = 5  # repomem hook EVENT --host HOST


def run() -> None:
    """Run the command line in this process, and end it."""
    prepare_streams()
    finish(_command)


def _command() -> int:
    if sys.argv[1:] == ["recall"]:
        _recall_at_once()
        return DONE
    if sys.argv[1:3] in TOOL_HOOKS and sys.argv[3:4] == ["--host"] and len(sys.argv) == WORDS_OF_HOOK:
        _hook_at_once()
    from repomem.cli.main import run_command_line

    return run_command_line()


def _recall_at_once() -> None:
    """An agent's first command, whose answer is cached: typer alone would take half of the time."""
    from repomem.workspace.process import prepare_process

    prepare_process()
    from repomem.cli.recall.recall import RecallRequest, recall_command

    recall_command(RecallRequest(Path()))


def _hook_at_once() -> None:
    """What hosts run for each call of a tool."""
    from repomem.cli.agents.hook import hook_command

    hook_command(Path(), sys.argv[2], sys.argv[4])
