"""The days that a question names: "in March", "last week", "yesterday", "2026-03-01", "in 2025". English only."""

from datetime import date, datetime, timedelta

from repomem.core.text.lazy_pattern import lazy_pattern

Days = list[tuple[str, str]]
"""First and last days, YYYY-MM-DD."""

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_BEFORE_MONTH = "in|since|during|of|last|early|late|mid|until|before|after"
_MONTH = lazy_pattern(rf"\b(?:{_BEFORE_MONTH}) ({'|'.join(MONTHS)})\b(?:,? (\d{{4}}))?")
_DAY = lazy_pattern(r"\b\d{4}-\d\d(?:-\d\d)?\b")
_YEAR = lazy_pattern(r"\b(?:in|since|during) (20\d\d)\b")
_AGO = {"yesterday": (1, 1), "last week": (13, 1), "this week": (7, 0), "last month": (61, 1), "this month": (31, 0)}


def days_in(text: str, *, now: str) -> Days:
    """The spans of days that a text names; `now` (ISO) is what relative ones count from, such as the newest record."""
    lower = text.lower()
    spans = [_prefix(day) for day in _DAY.findall(lower)]
    spans += [_prefix(year) for year in _YEAR.findall(lower)]
    today = _date_of(now)
    if today is None:
        return spans
    for name, year in _MONTH.findall(lower):
        number = MONTHS.index(name) + 1
        spans.append(_prefix(f"{year or today.year - (number > today.month)}-{number:02}"))
    spans += [_back(today, *_AGO[words]) for words in _AGO if words in lower]
    return spans


def hours_between(one: str, other: str) -> float:
    """The hours between two times (ISO); endless if one is unknown."""
    if not one or not other:
        return float("inf")
    return abs((datetime.fromisoformat(other) - datetime.fromisoformat(one)).total_seconds()) / 3600


def _prefix(day: str) -> tuple[str, str]:
    return day, f"{day}~"  # sorts after every longer date with this prefix


def _back(today: date, first: int, last: int) -> tuple[str, str]:
    return (today - timedelta(days=first)).isoformat(), (today - timedelta(days=last)).isoformat()


def _date_of(at: str) -> date | None:
    try:
        return date.fromisoformat(at[:10])
    except ValueError:
        return None
