"""Records written elsewhere: which are accepted, and their sanitised text."""

import os
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from repomem.core.escape import visible
from repomem.core.records import UNDOABLE, Anchor, Event, MemoryContent, Origin, Record, redacted
from repomem.core.secrets.redact import redact
from repomem.core.types.text import CleanText
from repomem.core.ulid import time_of

FARTHEST = timedelta(days=3660)  # from now: ids continue from the last one, and a clock may be wrong by years
# The others are the housekeeping of one clone.
TRAVELLING = UNDOABLE | {Event.REMEMBER, Event.UNDO, Event.UNPIN, Event.PURGE, Event.REWRITE, Event.PROFILE}
_Value = TypeVar("_Value", Anchor, Origin)


def has_plausible_time(name: str) -> bool:
    """Whether the time in a record's id is past, or not so far ahead that all later ids would follow it."""
    return time_of(name) < (datetime.now(UTC) + FARTHEST).timestamp()


def clean_record(record: Record) -> Record:
    """A record from elsewhere, without secrets and invisible characters."""
    clean = redacted(
        replace(
            record,
            origin=_with_visible(record.origin, "at", "author", "tool", "head", "branch", "session"),
            said=record.said and _cleaned_said(record.said),
            text=_clean_text(record.text),
            other=visible(record.other),
            targets=tuple(map(visible, record.targets)),
            anchors=_cleaned_anchors(record.anchors),
        )
    )
    return clean if clean == record else replace(clean, signature="")


def _cleaned_said(said: MemoryContent) -> MemoryContent:
    return replace(
        said,
        text=_clean_text(said.text),
        why=_clean_text(said.why),
        rejected=tuple(map(_clean_text, said.rejected)),
        importance=min(max(said.importance, 1), 5),
        scope=tuple(map(visible, said.scope)),
        anchors=_cleaned_anchors(said.anchors),
        sentence=_clean_text(said.sentence),
    )


def _cleaned_anchors(anchors: Iterable[Anchor]) -> tuple[Anchor, ...]:
    """The anchors with a possible path. Symbols are cleaned, because they are printed raw."""
    return tuple(
        _with_visible(each, "symbol", "blob", "print", "kind", "derived") for each in anchors if _can_be_path(each.path)
    )


def _with_visible(value: _Value, *names: str) -> _Value:
    """The value with the visible characters of these fields."""
    shown: dict[str, Any] = {name: visible(getattr(value, name)) for name in names}
    return replace(value, **shown)


def _can_be_path(path: str) -> bool:
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:  # a lone surrogate, which JSON can contain
        return False


def _clean_text(text: str) -> CleanText:
    return redact(visible(text))
