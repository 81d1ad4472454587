"""Moves the clock of a Python process by WEEK_CLOCK_SHIFT seconds: Python imports this module at its start."""

import datetime as dt
import os
import time
from typing import Any

SHIFT = float(os.environ.get("WEEK_CLOCK_SHIFT", "0"))
Datetime = dt.datetime
_seconds, _nanoseconds = time.time, time.time_ns


class _Checked(type):
    """Lets `isinstance` accept what was made by the original class, which compiled libraries use."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, Datetime)


class Shifted(dt.datetime, metaclass=_Checked):
    """`datetime` whose `now` is shifted."""

    __slots__ = ()  # compiled libraries compare the size of its objects

    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> Any:
        """The shifted moment, as the original class."""
        return Datetime.fromtimestamp(time.time(), tz)


if SHIFT:
    time.time = lambda: _seconds() + SHIFT
    time.time_ns = lambda: _nanoseconds() + int(SHIFT * 1_000_000_000)
    dt.datetime = Shifted  # type: ignore[misc]
