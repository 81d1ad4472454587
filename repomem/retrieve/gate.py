"""Whether anything here bears on a question at all. Irrelevant memory costs more than none."""

from collections.abc import Sequence
from typing import Final

from repomem.core.types import Gate, IndexedFile
from repomem.core.words import DEFINES
from repomem.retrieve.gather import Evidence
from repomem.retrieve.query import Query

LOOKED_AT: Final = 5  # of the best files: one of them must hold much of what was asked
USE_COVERAGE: Final = 0.4  # of the question's weight, rare words weighing most
SHORT, LONG = 4, 12  # words: a long text names much that stands nowhere, and still means something here
LEAST_COVERAGE: Final = {SHORT: 0.3, LONG: 0.14}


def gate(query: Query, evidence: Evidence, best: Sequence[IndexedFile], in_history: float) -> Gate:
    """How much of the question the best files hold, or the best earlier commit (`in_history`, its coverage).

    Rare words carry the weight, and a word that stands nowhere counts as the rarest: common words alone never open
    the gate.
    """
    if not query.words:
        return Gate("none", "the question has no words to look for")
    if any(DEFINES + name in defined for defined in evidence.defined.values() for name in query.names):
        return Gate("use", "the question names what is defined here")
    if any(file.version in evidence.named for file in best[:LOOKED_AT]):
        return Gate("use", "the question names a file")
    in_code = max((evidence.coverage.get(file.version, 0.0) for file in best[:LOOKED_AT]), default=0.0)
    share = max(in_code, in_history)
    said = f"{share:.0%} of what was asked, by weight, stands together in one place"
    if share >= USE_COVERAGE:
        return Gate("use", said)
    return Gate("limited", said) if share >= _least(len(query.words)) else Gate("none", said)


def _least(words: int) -> float:
    """The coverage below which nothing bears on a question of so many words."""
    place = (min(max(words, SHORT), LONG) - SHORT) / (LONG - SHORT)
    return LEAST_COVERAGE[SHORT] + place * (LEAST_COVERAGE[LONG] - LEAST_COVERAGE[SHORT])
