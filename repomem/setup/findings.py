"""What `repomem doctor` says of one thing that it looked at."""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """How serious a finding is."""

    OK = "ok"
    NOTE = "note"  # works, or cannot be told; worth knowing
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    name: str
    state: State
    text: str
    remedy: str = ""  # the one command, or the step, that restores it
