"""Turns the lines of a host's transcript into steps; opens no file and raises nothing.

A transcript is read whole: results may follow far behind their calls, and dead branches show only at the end. Steps
keep their keys when a longer version is read, or one without its middle.
"""

from collections.abc import Callable, Iterable, Mapping

from repomem.adapters.transcripts import claude_code, codex, copilot, cursor, gemini, opencode
from repomem.adapters.transcripts.steps import Transcript

READERS: Mapping[str, Callable[[Iterable[bytes | str]], Transcript]] = {
    module.HOST: module.read for module in (claude_code, codex, gemini, cursor, copilot, opencode)
}


def read(host: str, lines: Iterable[bytes | str]) -> Transcript:
    """Read a session of a host from its lines; empty for an unknown host."""
    reader = READERS.get(host)
    return reader(lines) if reader else Transcript(host, "", "", ())
