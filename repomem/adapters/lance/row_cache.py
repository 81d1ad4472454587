"""Recently read rows of a long-lived process, by id, evicted oldest first within a bound in bytes.

Rows never change under their id, so the cache is never stale. An id without rows is not cached, since it may get some.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

Row = TypeVar("Row")
MOST_ASKED = 2_000  # ids of one question: a larger request scans everything, and would evict the rest


class Recent(Generic[Row]):
    """A cache of the most recently used rows of one kind; `size` estimates the bytes of a row."""

    def __init__(self, limit: int, size: Callable[[Row], int]) -> None:
        self._limit = limit
        self._size = size
        self._rows: OrderedDict[int, tuple[list[Row], int]] = OrderedDict()
        self._bytes = 0

    def rows(self, ids: Iterable[int], read: Callable[[Sequence[int]], Mapping[int, list[Row]]]) -> list[Row]:
        """The rows of these ids, by id; `read` provides those that are not cached."""
        wanted = sorted(set(ids))
        missing = [number for number in wanted if number not in self._rows]
        fresh = read(missing) if missing else {}
        if len(wanted) > MOST_ASKED:
            return [row for number in wanted for row in self._known(number, fresh)]
        for number, rows in fresh.items():
            self._keep(number, rows)
        found = [row for number in wanted for row in self._known(number, fresh)]
        self._shrink()
        return found

    def clear(self) -> None:
        """Empty the cache."""
        self._rows.clear()
        self._bytes = 0

    def _known(self, number: int, fresh: Mapping[int, list[Row]]) -> list[Row]:
        if number in self._rows:
            self._rows.move_to_end(number)
            return self._rows[number][0]
        return fresh.get(number, [])

    def _keep(self, number: int, rows: list[Row]) -> None:
        size = sum(map(self._size, rows))
        self._rows[number] = rows, size
        self._bytes += size

    def _shrink(self) -> None:
        while self._bytes > self._limit:
            _, (_, size) = self._rows.popitem(last=False)
            self._bytes -= size
