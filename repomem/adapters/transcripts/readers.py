"""Transcripts of agent hosts, as their lines stand in files, made into steps. Nothing is opened here, nothing raised.

A transcript is read whole: results are joined to calls that may stand far above, and branches are known dead only
from the end. Steps keep their keys when it is read again, longer, or without its middle.
"""

from collections.abc import Callable, Iterable, Mapping

from repomem.adapters.transcripts import claude_code, codex, copilot, cursor, gemini, opencode
from repomem.adapters.transcripts.steps import Transcript

READERS: Mapping[str, Callable[[Iterable[bytes | str]], Transcript]] = {
    module.HOST: module.read for module in (claude_code, codex, gemini, cursor, copilot, opencode)
}


def read(host: str, lines: Iterable[bytes | str]) -> Transcript:
    """The session that the lines of a host's transcript tell of; a host that nobody knows tells nothing."""
    reader = READERS.get(host)
    return reader(lines) if reader else Transcript(host, "", "", ())
