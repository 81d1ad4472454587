"""Records written elsewhere: which are accepted, and their sanitised text."""

import os
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from repomem.core.records import UNDOABLE, Anchor, Event, MemoryContent, Origin, Record, redacted
from repomem.core.text.escape import visible
from repomem.core.ulid import time_of

FARTHEST = timedelta(days=3660)  # from now: ids continue from the last one, and a clock may be wrong by years
# The others are the housekeeping of one clone.
TRAVELLING = UNDOABLE | {Event.REMEMBER, Event.UNDO, Event.UNPIN, Event.PURGE, Event.REWRITE, Event.PROFILE}
_Value = TypeVar("_Value", Record, MemoryContent, Anchor, Origin)


def has_plausible_time(name: str) -> bool:
    """Whether the time in a record's id is past, or not so far ahead that all later ids would follow it."""
    return time_of(name) < (datetime.now(UTC) + FARTHEST).timestamp()


def clean_record(record: Record) -> Record:
    """A record from elsewhere, without secrets and invisible characters."""
    clean = redacted(
        replace(
            _with_visible(record, "text", "other", "targets"),
            origin=_with_visible(record.origin, "at", "author", "tool", "head", "branch", "session"),
            said=record.said and _cleaned_said(record.said),
            anchors=_cleaned_anchors(record.anchors),
        )
    )
    return clean if clean == record else replace(clean, signature="")


def _cleaned_said(said: MemoryContent) -> MemoryContent:
    return replace(
        _with_visible(said, "text", "why", "rejected", "scope", "sentence"),
        importance=min(max(said.importance, 1), 5),
        anchors=_cleaned_anchors(said.anchors),
    )


def _cleaned_anchors(anchors: Iterable[Anchor]) -> tuple[Anchor, ...]:
    """The anchors with a possible path. Symbols are cleaned, because they are printed raw."""
    return tuple(
        _with_visible(each, "symbol", "blob", "print", "kind", "derived") for each in anchors if _can_be_path(each.path)
    )


def _with_visible(value: _Value, *names: str) -> _Value:
    """The value with the visible characters of these fields, which are texts or tuples of texts."""
    found = {name: getattr(value, name) for name in names}
    shown: dict[str, Any] = {
        name: visible(each) if isinstance(each, str) else tuple(map(visible, each)) for name, each in found.items()
    }
    return replace(value, **shown)


def _can_be_path(path: str) -> bool:
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:  # a lone surrogate, which JSON can contain
        return False
