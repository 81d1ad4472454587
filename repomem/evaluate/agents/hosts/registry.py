"""Which host a command line starts, by the name of its program."""

import shlex
import shutil
from pathlib import PurePath

from repomem.core.errors import RepomemError
from repomem.evaluate.agents.hosts.claude import CLAUDE, SCRIPT
from repomem.evaluate.agents.hosts.codex import CODEX
from repomem.evaluate.agents.hosts.events import HostAdapter
from repomem.evaluate.agents.hosts.gemini import GEMINI
from repomem.evaluate.agents.hosts.opencode import OPENCODE

PROGRAMS = {"claude": CLAUDE, "codex": CODEX, "gemini": GEMINI, "opencode": OPENCODE}
PROMPT = "{prompt}"  # in a word of the command: replaced by the prompt, else the prompt is on stdin


def words_of_command(command: str) -> tuple[str, ...]:
    """The words of a command line. Raises RepomemError if it has none or its program is not installed."""
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise RepomemError(f"the command of the agent cannot be read: {error}", "check its quotation marks") from error
    if not words or shutil.which(words[0]) is None:
        name = words[0] if words else ""
        raise RepomemError(f"no program {name!r} is installed", "give the agent's command, such as 'claude -p'")
    return words


def host_of(words: tuple[str, ...]) -> HostAdapter:
    """The adapter of the program; SCRIPT for one that is not known."""
    return PROGRAMS.get(PurePath(words[0]).stem, SCRIPT)
