"""Recently read rows of a long-lived process, by id.

Rows never change under their id, so the cache is never stale. An id without rows is not cached, since it may get some.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from repomem.core.byte_cache import ByteCache

Row = TypeVar("Row")
MOST_ASKED = 2_000  # ids of one question: a larger request scans everything, and would evict the rest


class RowCache(ByteCache[int, Row]):
    """The rows of one kind; `size` estimates the bytes of one."""

    def __init__(self, limit: int, size: Callable[[Row], int]) -> None:
        super().__init__(limit, lambda rows: sum(map(size, rows)))

    def rows(self, ids: Iterable[int], read: Callable[[Sequence[int]], Mapping[int, list[Row]]]) -> list[Row]:
        """The rows of these ids, by id; `read` provides those that are not cached."""
        wanted = sorted(set(ids))
        known = self.cached(wanted)
        missing = [number for number in wanted if number not in known]
        fresh = read(missing) if missing else {}
        if len(wanted) <= MOST_ASKED:
            self.keep(fresh)
        known.update(fresh)
        return [row for number in wanted for row in known.get(number, ())]
