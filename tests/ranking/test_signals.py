"""Ranking weights as data."""

import pytest

from repomem.ranking.signals import RECALL, SIGNALS, as_values, weights_from


def test_weights_are_written_and_read() -> None:
    assert weights_from(as_values(RECALL)) == RECALL
    assert RECALL.signals.keys() == SIGNALS.keys()


@pytest.mark.parametrize("damage", [float("nan"), -1.0, "much", None])
@pytest.mark.parametrize("key", ["signals", "roles", "data"])
def test_a_weight_that_is_not_a_number_of_at_least_zero_is_rejected(key: str, damage: object) -> None:
    values = as_values(RECALL)
    if key == "data":
        values["data"] = damage
    else:
        values[key][next(iter(values[key]))] = damage
    with pytest.raises((ValueError, TypeError)):
        weights_from(values)


def test_weights_without_a_signal_are_rejected() -> None:
    values = as_values(RECALL)
    del values["signals"]["lately"]
    with pytest.raises(KeyError):
        weights_from(values)
