"""Dates as options take them."""

from typing import TYPE_CHECKING

from repomem.core.errors import RepomemError
from repomem.core.times import is_calendar_day, looks_like_day

if TYPE_CHECKING:
    from repomem.workspace.snapshot import Window


def window_of(since: str, until: str) -> "Window":
    """The window of `--since` and `--until`; RepomemError for an invalid date, and for a window without a day."""
    from repomem.workspace.snapshot import Window

    window = Window(_day(since, "--since"), _day(until, "--until"))
    if since and until and since > until:
        raise RepomemError(f"--since {since} is after --until {until}", "swap them")
    return window


def _day(text: str, option: str) -> str:
    if text and not is_calendar_day(text):
        what = "a valid date" if looks_like_day(text) else "a date"
        raise RepomemError(f"{option} {text!r} is not {what}", f"expected YYYY-MM-DD: {option} 2026-01-31")
    return text
