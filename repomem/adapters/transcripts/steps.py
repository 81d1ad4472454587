"""What an agent session was made of, whatever host wrote it down: the values that readers of transcripts give.

`adapters.transcripts.readers` makes them from a host's own lines; `capture.session_findings` finds in them what is
worth keeping.
"""

from dataclasses import dataclass
from enum import StrEnum


class StepKind(StrEnum):
    """What happened in one step of a session."""

    ASKED = "asked"  # a person's own words: the prompt, without what the host or a hook put around it
    SAID = "said"  # the agent's words to the person
    RAN = "ran"  # a shell command
    EDITED = "edited"  # a file that was written, moved or deleted
    LOOKED = "looked"  # any other tool: it tells that the agent was still at work


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened, in the order in which it did."""

    key: str  # names the step within its session, the same however often and in whatever pieces it is read
    kind: StepKind
    text: str  # the words; of RAN the command; of EDITED the path as it was written down; of LOOKED the tool
    at: str = ""  # YYYY-MM-DDTHH:MM:SSZ; empty where the host does not say
    code: int | None = None  # of RAN: the exit code; None where nobody knows, also while it runs
    output: str = ""  # of RAN: what it printed, without its middle where it is long
    is_refused: bool = False  # of RAN and EDITED: proposed, and the person or the host did not let it happen


@dataclass(frozen=True, slots=True)
class Transcript:
    """One agent session as its host wrote it down."""

    host: str  # claude-code, codex, gemini, cursor, opencode, copilot
    session: str  # the host's own name of it; empty where the lines do not say
    folder: str  # that the agent worked in; empty where the host does not say
    steps: tuple[Step, ...]
    started: str = ""  # YYYY-MM-DDTHH:MM:SSZ
    version: str = ""  # of the host
    branch: str = ""
    head: str = ""  # the commit that was checked out at its start
