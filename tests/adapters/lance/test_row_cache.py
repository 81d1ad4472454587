"""Rows that were read lately: read once, within a bound, and never instead of what is asked for."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from repomem.adapters.lance.store import MOST_ASKED, RowCache


@dataclass
class Table:
    """Rows of ids; some have none. It notes which ids were read."""

    absent: frozenset[int] = frozenset()
    reads: list[list[int]] = field(default_factory=list)

    def read(self, ids: Sequence[int]) -> dict[int, list[str]]:
        self.reads.append(list(ids))
        return {number: [f"{number} a", f"{number} b"] for number in ids if number not in self.absent}


def test_rows_come_by_id_and_are_read_once() -> None:
    table, cache = Table(), RowCache[str](1_000, len)
    assert cache.rows([3, 1, 3], table.read) == ["1 a", "1 b", "3 a", "3 b"]
    assert cache.rows([2, 3], table.read) == ["2 a", "2 b", "3 a", "3 b"]
    assert table.reads == [[1, 3], [2]]


def test_an_id_without_rows_is_read_again() -> None:
    table, cache = Table(frozenset([1])), RowCache[str](1_000, len)
    assert cache.rows([1], table.read) == []
    table.absent = frozenset()
    assert cache.rows([1], table.read) == ["1 a", "1 b"]


def test_the_rows_asked_for_longest_ago_make_room() -> None:
    table, cache = Table(), RowCache[str](12, len)  # two ids
    for ids in ([1], [2], [1], [3], [1], [2]):
        cache.rows(ids, table.read)
    assert table.reads == [[1], [2], [3], [2]]


def test_more_than_there_is_room_for_is_given_all_the_same() -> None:
    table, cache = Table(), RowCache[str](12, len)
    assert len(cache.rows(range(10), table.read)) == 20


def test_who_goes_through_all_pushes_nothing_out() -> None:
    table, cache = Table(), RowCache[str](12, len)
    cache.rows([1, 2], table.read)
    cache.rows(range(MOST_ASKED + 1), table.read)
    cache.rows([1, 2], table.read)
    assert len(table.reads) == 2


def test_a_cleared_cache_is_empty() -> None:
    table, cache = Table(), RowCache[str](1_000, len)
    cache.rows([1], table.read)
    cache.clear()
    cache.rows([1], table.read)
    assert table.reads == [[1], [1]]
