"""Paired differences against values worked out by hand."""

import pytest

from repomem.evaluate.agents.report import bootstrap_interval, paired_difference, sign_test


@pytest.mark.parametrize(
    ("more", "fewer", "p"),
    [
        (0, 0, 1.0),
        (1, 1, 1.0),  # 2 · (1 + 2) / 4, at most 1
        (5, 0, 2 / 32),
        (0, 6, 2 / 64),
        (8, 2, 2 * (1 + 10 + 45) / 1024),
        (2, 8, 2 * (1 + 10 + 45) / 1024),
    ],
)
def test_the_sign_test_is_exact(more: int, fewer: int, p: float) -> None:
    assert sign_test(more, fewer) == pytest.approx(p)


def test_means_differences_and_signs_are_those_of_the_pairs() -> None:
    found = paired_difference([(1.0, 3.0), (2.0, 2.0), (4.0, 1.0), (5.0, 4.0)])
    assert (found.pairs, found.first, found.second, found.difference) == (4, 3.0, 2.5, -0.5)
    assert (found.more, found.fewer, found.p) == (1, 2, 1.0)
    assert found.low < -0.5 < found.high


def test_the_interval_of_two_values_has_the_three_means_that_resamples_can_have() -> None:
    low, high = bootstrap_interval([0.0, 10.0])  # means 0, 5 and 10 with probability 1/4, 1/2 and 1/4
    assert (low, high) == (0.0, 10.0)


def test_the_interval_of_many_values_is_near_the_normal_one() -> None:
    values = [0.0, 1.0] * 200  # mean 0.5, standard error 0.025, so 0.451 to 0.549
    low, high = bootstrap_interval(values)
    assert [low, high] == pytest.approx([0.451, 0.549], abs=0.006)


def test_the_same_values_give_the_same_interval() -> None:
    values = [0.31, -1.42, 4.07, 1.13, -5.9, 2.65, 3.58, 9.79, 3.23, 8.46]
    assert bootstrap_interval(values) == bootstrap_interval(values)
    assert bootstrap_interval(values) != bootstrap_interval(values, seed=1)


def test_equal_pairs_differ_in_nothing() -> None:
    found = paired_difference([(2.0, 2.0)] * 3)
    assert (found.difference, found.low, found.high, found.p) == (0.0, 0.0, 0.0, 1.0)
