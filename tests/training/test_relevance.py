"""That what says that a memory is about a task is weighed as training makes it."""

import numpy as np
import pytest

from benchmarks.memory.ask_projects import COVERED, Task
from benchmarks.memory.sets import FOLDER
from repomem.ranking.memories import EVIDENCE_OF_CLOSENESS, EVIDENCE_OF_LENGTH, EVIDENCE_OF_WORDS
from training.relevance import Evidence, Pair, figures, fitted, in_cosine, pairs_of


@pytest.mark.slow
def test_the_weights_that_ship_come_from_the_projects_in_the_repository() -> None:
    every = [pair for path in sorted((FOLDER / "tasks").glob("*.json")) for pair in pairs_of(path.stem)]
    shipped = (1.0, EVIDENCE_OF_CLOSENESS, EVIDENCE_OF_WORDS, -EVIDENCE_OF_LENGTH)
    assert np.allclose(in_cosine(fitted(every)[0]), shipped, atol=0.01)  # other processors may round another way


def test_figures_count_the_memories_that_are_shown_beside_the_needed_one() -> None:
    def pair(text: str, cosine: float, *, needed: bool = False, kind: str = COVERED) -> Pair:
        return Pair(Task("a1", kind, "phrase", text), Evidence(cosine, 0.0, 0.0, 0.0), needed, is_welcome=False)

    asked = [pair("retry", 0.9, needed=True), pair("retry", 0.8), pair("lamp", 0.5, needed=True), pair("lamp", 0.7)]
    asked += [pair("roof", 0.6, kind="near"), pair("zebra", 0.1, kind="foreign")]
    found = figures(asked, Evidence(1.0, 0.0, 0.0, 0.0), 0.0)
    assert found == "first 0.500; others shown: covered 1.00, near 1.00, foreign 0.00"
