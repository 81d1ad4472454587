"""The days that a question names."""

import pytest

from repomem.ranking.named_days import days_in, hours_between

NOW = "2026-06-15T12:00:00Z"


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("what did we decide in March", "2026-03-31", "2026-04-01"),
        ("what did we decide in November", "2025-11-02", "2026-11-02"),
        ("since May 2024", "2024-05-01", "2025-05-01"),
        ("the bug of 2026-02-03", "2026-02-03", "2026-02-04"),
        ("in 2025 we moved", "2025-12-31", "2026-01-01"),
        ("what changed yesterday", "2026-06-14", "2026-06-15"),
        ("what changed last week", "2026-06-08", "2026-06-15"),
    ],
)
def test_a_span_of_days_is_read(text: str, inside: str, outside: str) -> None:
    assert any(first <= inside <= last for first, last in days_in(text, now=NOW))
    assert not any(first <= outside <= last for first, last in days_in(text, now=NOW))


@pytest.mark.parametrize("text", ["we may march on", "retry 2026 times", "the last month view"])
def test_words_that_look_like_dates_are_ignored(text: str) -> None:
    assert days_in(text, now="") == []


def test_hours_between_two_times() -> None:
    assert hours_between("2026-06-15T12:00:00Z", "2026-06-15T10:30:00Z") == 1.5
    assert hours_between("", NOW) == float("inf")
