"""Dates as options take them."""

import re
from typing import TYPE_CHECKING

from repomem.core.errors import RepomemError

if TYPE_CHECKING:
    from repomem.workspace.snapshot import Window

DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def window_of(since: str, until: str) -> "Window":
    """The window of `--since` and `--until`; RepomemError for an invalid date."""
    from repomem.workspace.snapshot import Window

    return Window(_day(since, "--since"), _day(until, "--until"))


def _day(text: str, option: str) -> str:
    if text and not DAY.fullmatch(text):
        raise RepomemError(f"{option} {text!r} is not a date", f"expected YYYY-MM-DD: {option} 2026-01-31")
    return text
