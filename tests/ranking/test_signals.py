"""Ranking weights as data."""

from math import isfinite

import pytest

from repomem.ranking.signals import RECALL, SEARCH, SHIPPED, SIGNALS, Weights, as_values


@pytest.mark.parametrize(("name", "weights"), [("recall", RECALL), ("search", SEARCH)])
def test_the_shipped_weights_are_a_number_of_at_least_zero_for_each_signal_and_role(
    name: str, weights: Weights
) -> None:
    assert as_values(weights) == SHIPPED[name]
    assert list(weights.signals) == list(SIGNALS)
    numbers = [*weights.signals.values(), *weights.roles.values(), weights.data]
    assert all(type(number) is float and isfinite(number) and number >= 0 for number in numbers)
