"""Times as records and JSON contracts write them: YYYY-MM-DDTHH:MM:SSZ, in UTC, which sort as texts."""

from datetime import UTC, datetime

FORMAT = "%Y-%m-%dT%H:%M:%SZ"


def this_moment() -> str:
    """The current time."""
    return datetime.now(UTC).strftime(FORMAT)


def moment_of(seconds: float) -> str:
    """The time that is so many seconds after 1970."""
    return datetime.fromtimestamp(seconds, UTC).strftime(FORMAT)


def time_of_moment(moment: str) -> datetime:
    """The written time. Raises ValueError for another format."""
    return datetime.strptime(moment, FORMAT).replace(tzinfo=UTC)
