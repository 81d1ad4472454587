"""Whether weights are kept: the chance is the one worked out by hand, and each doubt says why."""

import pytest
from support.ranking_scenes import telling

from repomem.ranking.fit import MEASURES
from repomem.ranking.signals import RECALL
from repomem.ranking.trial import Trial, chance_of, trial_of


def trial(before: float, after: float, chance: float = 0.01, mrr: float | None = None) -> Trial:
    now = dict.fromkeys(MEASURES, after) | ({} if mrr is None else {"MRR": mrr})
    return Trial(60, 30, dict.fromkeys(MEASURES, before), now, chance)


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        ([0.2] * 5 + [0.0] * 15, 1 / 32),
        ([0.2] * 4 + [0.0] * 16, 1 / 16),
        ([0.3, 0.3, 0.3, -0.3], 5 / 16),
        ([0.0] * 20, 1.0),
    ],
)
def test_chance_is_how_often_swapped_names_gain_as_much(differences: list[float], expected: float) -> None:
    assert chance_of(differences) == pytest.approx(expected, abs=0.01)
    assert chance_of(differences) == chance_of(differences)


@pytest.mark.parametrize(
    ("tried", "doubt"),
    [
        (trial(0.6, 0.65), ""),
        (trial(0.6, 0.605), "they gain +0.0050 in the mean of the measures, and 0.01 is asked for"),
        (trial(0.6, 0.5), "they gain -0.1000 in the mean of the measures, and 0.01 is asked for"),
        (trial(0.6, 0.7, mrr=0.55), "MRR falls by 0.0500, and 0.01 is allowed"),
        (trial(0.6, 0.65, chance=0.2), "chance gains as much in 20% of the cases, and 5% is allowed"),
    ],
)
def test_weights_are_kept_only_without_a_doubt(tried: Trial, doubt: str) -> None:
    assert tried.doubt == doubt


def test_weights_that_are_right_stand_and_the_same_ones_do_not() -> None:
    unseen = telling("history", "words", 30, seed=3)
    better = RECALL.lifted("words", 0.2)
    assert trial_of(60, unseen, RECALL, better).doubt == ""
    same = trial_of(60, unseen, RECALL, RECALL)
    assert (same.gain, same.chance, same.held_back) == (0.0, 1.0, 30)
    assert same.doubt
