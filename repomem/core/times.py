"""Times as records and JSON contracts write them: YYYY-MM-DDTHH:MM:SSZ, in UTC, which sort as texts."""

from contextlib import suppress
from datetime import UTC, date, datetime

from repomem.core.text.lazy_pattern import lazy_pattern

FORMAT = "%Y-%m-%dT%H:%M:%SZ"
_DAY = lazy_pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def this_moment() -> str:
    """The current time."""
    return datetime.now(UTC).strftime(FORMAT)


def moment_of(seconds: float) -> str:
    """The time that is so many seconds after 1970."""
    return datetime.fromtimestamp(seconds, UTC).strftime(FORMAT)


def time_of_moment(moment: str) -> datetime:
    """The written time. Raises ValueError for another format."""
    return datetime.strptime(moment, FORMAT).replace(tzinfo=UTC)


def looks_like_day(text: str) -> bool:
    """Whether a text has the form YYYY-MM-DD; the calendar may lack that day."""
    return bool(_DAY.fullmatch(text))


def is_calendar_day(text: str) -> bool:
    """Whether a text is a day of the calendar, as YYYY-MM-DD."""
    with suppress(ValueError):
        return looks_like_day(text) and bool(date.fromisoformat(text))
    return False


def years_between(first: str, last: str) -> float:
    """The years between two days, YYYY-MM-DD."""
    return (date.fromisoformat(last) - date.fromisoformat(first)).days / 365.25
