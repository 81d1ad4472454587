"""`python -m repomem` and the `repomem` command."""

import sys
from pathlib import Path

from repomem.cli.terminal.console import finish, prepare_streams


def main() -> None:
    """Run the command line; ends the process."""
    prepare_streams()
    if sys.argv[1:] == ["recall"]:
        _recall_at_once()
    from repomem.cli.main import app

    app(prog_name="repomem")


def _recall_at_once() -> None:
    """What every agent asks first, and what the index keeps ready: typer alone would take half of the time."""
    from repomem.cli.recall.recall import RecallRequest, recall_command

    finish(lambda: recall_command(RecallRequest(Path())))


if __name__ == "__main__":
    main()
