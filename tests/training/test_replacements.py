"""That the weights of replacements are those that training makes, and mark more right than wrong."""

import numpy as np
import pytest

from repomem.memories.search.replacements import ANSWERS, ANSWERS_CONSTANT, ANSWERS_SHARE, CONSTANT, WEIGHTS
from training.replacements import FOLDER, candidates_of, choices_of, counted, fitted, fitted_choices, replaced_in


@pytest.mark.slow
def test_the_weights_that_ship_come_from_the_projects_in_the_repository() -> None:
    every = [one for path in sorted(FOLDER.glob("*.json")) for one in candidates_of(path.stem)]
    weights, constant = fitted(every)
    assert np.allclose([*weights, constant], [*WEIGHTS, CONSTANT], atol=0.1)  # other processors may round another way
    counts = counted(every, WEIGHTS, CONSTANT)
    assert counts.right >= 0.62 * counts.marked
    assert counts.right >= 0.4 * counts.replaced


@pytest.mark.slow
def test_the_weights_of_answers_come_from_the_tasks_in_the_repository() -> None:
    weights, share, constant = fitted_choices([one for path in FOLDER.glob("*.json") for one in choices_of(path.stem)])
    assert np.allclose([*weights, share, constant], [*ANSWERS, ANSWERS_SHARE, ANSWERS_CONSTANT], atol=0.1)


def test_what_replaces_a_replacement_replaces_the_first_one_too() -> None:
    assert {("m02", "m17"), ("m17", "m26"), ("m02", "m26")} <= replaced_in("d4")
