"""The memories that a session made itself: they are in its context, so prompts do not repeat them."""

from collections.abc import Sequence

from repomem.adapters.transcripts.steps import Transcript
from repomem.core.records import Event, Record
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.ulid import time_of

_REMEMBERED = lazy_pattern(  # as `repomem remember` answers, or its JSON, which a host may show of an answer over MCP
    r'(?m)^remembered ([0-9A-Z]+): |"repomem\.remember/1"[^{}]{0,99}"id": ?"([0-9A-Z]+)"'
)


def said_since(records: Sequence[Record], newest: str, session: str) -> tuple[str, ...]:
    """The memories and notes that were captured from a session after the record `newest`, by their ids."""
    later = (each for each in records if each.id > newest and each.event in {Event.REMEMBER, Event.SESSION_NOTE})
    return tuple(each.id for each in later if each.origin.session == session)


def remembered_by(transcript: Transcript, records: Sequence[Record], since: float) -> tuple[str, ...]:
    """The ids of the memories that the main agent recorded by commands or over MCP since a time, in seconds.

    Those recorded earlier may be gone from its context after a compaction.
    """
    outputs = (step.output for step in transcript.steps if step.output and not step.agent)
    short = {found[1] or found[2] for output in outputs for found in _REMEMBERED.finditer(output)}
    later = (each.id for each in records if each.event is Event.REMEMBER and time_of(each.id) > since)
    return tuple(name for name in later if any(name.startswith(each) for each in short))
