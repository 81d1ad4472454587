"""A cache for long-lived processes: the last value of each kind, with the source it was read from.

A single command gains nothing from it. A server saves most of a recall, and holds at most one value of each kind for as
long as its workspace is open.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

Value = TypeVar("Value")


@dataclass(frozen=True)
class CacheKey(Generic[Value]):
    """The key of one kind of cached value, declared by the module that reads it."""

    name: str


class Cache:
    def __init__(self) -> None:
        self._values: dict[CacheKey[object], tuple[object, object]] = {}

    def get(self, key: CacheKey[Value], source: object, read: Callable[[], Value]) -> Value:
        """The cached value, read now if there is none or it came from another source."""
        slot = cast("CacheKey[object]", key)
        known = self._values.get(slot)
        if known is None or known[0] != source:
            self._values.pop(slot, None)  # so that old and new value are not in memory together
            known = self._values[slot] = source, read()
        return cast("Value", known[1])
