"""A cache of rows by key, bounded in bytes: the least recently used are evicted first."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from typing import Generic, TypeVar

Key = TypeVar("Key")
Row = TypeVar("Row")


class ByteCache(Generic[Key, Row]):
    """The most recently used rows; `size` estimates the bytes of those of one key."""

    def __init__(self, limit: int, size: Callable[[list[Row]], int]) -> None:
        self._limit = limit
        self._size = size
        self._rows: OrderedDict[Key, tuple[list[Row], int]] = OrderedDict()
        self._bytes = 0

    def cached(self, keys: Iterable[Key]) -> dict[Key, list[Row]]:
        """The rows of those keys that are cached."""
        found = [key for key in keys if key in self._rows]
        for key in found:
            self._rows.move_to_end(key)
        return {key: self._rows[key][0] for key in found}

    def keep(self, fresh: Mapping[Key, list[Row]]) -> None:
        """Cache rows of keys that are not cached; this may evict some of them too."""
        for key, rows in fresh.items():
            size = self._size(rows)
            self._rows[key] = rows, size
            self._bytes += size
        while self._bytes > self._limit:
            _, (_, size) = self._rows.popitem(last=False)
            self._bytes -= size

    def clear(self) -> None:
        self._rows.clear()
        self._bytes = 0
