"""The memories that a session made itself: they are in its context, so no prompt tells it them again."""

import re
from collections.abc import Sequence

from repomem.adapters.transcripts.steps import StepKind, Transcript
from repomem.core.records import Event, Record
from repomem.core.ulid import time_of

_REMEMBERED = re.compile(r"^remembered ([0-9A-Z]+): ", re.MULTILINE)  # as `repomem remember` answers


def said_since(records: Sequence[Record], newest: str, session: str) -> tuple[str, ...]:
    """The memories and notes that were captured from a session after the record `newest`, by their ids."""
    later = (each for each in records if each.id > newest and each.event in {Event.REMEMBER, Event.SESSION_NOTE})
    return tuple(each.id for each in later if each.origin.session == session)


def remembered_by(transcript: Transcript, records: Sequence[Record], since: float) -> tuple[str, ...]:
    """The ids of the memories that commands of the main agent recorded since a time, in seconds of the epoch.

    What it recorded before, a compaction may have taken out of its context.
    """
    ran = (step for step in transcript.steps if step.kind is StepKind.RAN and not step.agent)
    short = {name for step in ran for name in _REMEMBERED.findall(step.output)}
    later = (each.id for each in records if each.event is Event.REMEMBER and time_of(each.id) > since)
    return tuple(name for name in later if any(name.startswith(each) for each in short))
