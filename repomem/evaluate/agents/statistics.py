"""Statistics of paired differences. Pure."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from statistics import fmean

SEED = 20_240  # of the resamples: the same pairs give the same interval
RESAMPLES = 10_000  # the ends of a 95 % interval then vary by a few hundredths of its width
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The differences second − first of pairs."""

    pairs: int
    first: float  # mean of each
    second: float
    difference: float  # mean
    low: float  # confidence interval of the mean difference, at LEVEL
    high: float
    more: int  # pairs in which the second is larger
    fewer: int
    p: float  # of the sign test, two-sided


def paired_difference(pairs: Sequence[tuple[float, float]]) -> PairedDifference:
    """The mean difference of at least one pair, its interval and the sign test."""
    differences = [second - first for first, second in pairs]
    low, high = bootstrap_interval(differences)
    more, fewer = sum(each > 0 for each in differences), sum(each < 0 for each in differences)
    return PairedDifference(
        len(pairs),
        fmean(first for first, _ in pairs),
        fmean(second for _, second in pairs),
        fmean(differences),
        low,
        high,
        more,
        fewer,
        sign_test(more, fewer),
    )


def bootstrap_interval(values: Sequence[float], seed: int = SEED) -> tuple[float, float]:
    """The percentile interval of the mean at LEVEL (Efron and Tibshirani, Introduction to the Bootstrap, 1993, §13.3).

    B resamples of n values with replacement give B means; the ends are their (1 − LEVEL) / 2 and (1 + LEVEL) / 2
    quantiles. With few values it is too narrow.
    """
    draw = random.Random(seed)  # noqa: S311  # statistics, no secret
    size = len(values)
    means = sorted(fmean(draw.choices(values, k=size)) for _ in range(RESAMPLES))
    tail = round((1 - LEVEL) / 2 * RESAMPLES)
    return means[tail], means[-tail - 1]


def sign_test(more: int, fewer: int) -> float:
    """The exact two-sided p of a sign test without ties (Dixon and Mood 1946).

    With n = more + fewer and k the smaller of both: min(1, 2 · Σ_{i≤k} C(n, i) / 2ⁿ). 1 without differences.
    """
    size = more + fewer
    tail: int = sum(comb(size, at) for at in range(min(more, fewer) + 1))
    return min(1.0, 2.0 * tail / float(2**size))
