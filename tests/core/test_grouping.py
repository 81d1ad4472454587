"""Runs of numbers, and what two sequences begin with."""

from repomem.core.grouping import runs_of, shared_start


def test_a_run_ends_where_the_next_number_is_further_than_the_gap() -> None:
    assert runs_of([9, 3, 4, 4, 5]) == [[3, 4, 5], [9]]
    assert runs_of([1, 11, 22], gap=10) == [[1, 11], [22]]
    assert runs_of([]) == []


def test_a_shared_start_ends_at_the_first_difference_or_with_the_shorter() -> None:
    assert shared_start("before", "behind") == 2
    assert shared_start([1, 2], [1, 2, 3]) == 2
    assert shared_start("", "a") == 0
