"""Counts with their nouns, and lists that are cut."""

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun: 1 memory, 2 memories."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def are(number: int) -> str:
    """The verb for a number of things: 1 is, 2 are."""
    return "is" if number == 1 else "are"


def listed(things: Sequence[T], most: int, worded: Callable[[T], str] = str) -> str:
    """The first `most` things in words, and how many more there are."""
    more = f" and {len(things) - most} more" if len(things) > most else ""
    return ", ".join(map(worded, things[:most])) + more
