"""The measures of the benchmarks, checked by hand."""

import math

import pytest

from benchmarks.scores import Target, ndcg


def test_ndcg_discounts_by_place() -> None:
    found = [("x.py", 1, 9), ("a.py", 1, 9)]
    assert ndcg(found, [Target("a.py")], 10) == pytest.approx(1 / math.log2(3))
    assert ndcg(found[::-1], [Target("a.py")], 10) == 1.0


def test_a_second_chunk_of_a_file_gains_nothing_but_takes_a_rank() -> None:
    twice = [("a.py", 1, 9), ("a.py", 10, 19), ("b.py", 1, 9)]
    expected = (1 + 1 / math.log2(4)) / (1 + 1 / math.log2(3))
    assert ndcg(twice, [Target("a.py"), Target("b.py")], 10) == pytest.approx(expected)


def test_lines_must_overlap_where_a_target_has_lines() -> None:
    target = Target("src/a.py", 10, 20)
    assert target.is_hit_by("src/a.py", 20, 30)
    assert not target.is_hit_by("src/a.py", 21, 30)
    assert not target.is_hit_by("src/ba.py", 10, 20)


def test_a_path_may_be_given_from_a_folder_on() -> None:
    assert Target("lib/a.py").is_hit_by("project/lib/a.py", 1, 1)
    assert not Target("b/a.py").is_hit_by("lib/a.py", 1, 1)
