"""What a process that lives on need not read again: of each sort the last value, beside what it was read from.

A command asks once and gains nothing. A server gains most of a recall, and holds no more than one value of a sort, for
as long as its workspace is open.
"""

from collections.abc import Callable
from typing import TypeVar, cast

Value = TypeVar("Value")


class Held:
    """The values of one workspace."""

    def __init__(self) -> None:
        self._values: dict[str, tuple[object, object]] = {}

    def of(self, sort: str, source: object, read: Callable[[], Value]) -> Value:
        """The held value of a sort, read now where another was read from this source, or none."""
        known = self._values.get(sort)
        if known is None or known[0] != source:
            self._values.pop(sort, None)  # the old one need not be in memory beside the new one
            known = self._values[sort] = source, read()
        return cast("Value", known[1])

    def taken(self, sort: str, source: object) -> object:
        """The value of a sort, from now on no longer held; None where there is none that was read from this source."""
        known = self._values.pop(sort, None)
        return known[1] if known and known[0] == source else None
