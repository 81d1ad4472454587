"""Whether anything here bears on a question at all. Irrelevant memory costs more than none."""

from collections.abc import Sequence
from typing import Final

from repomem.core.types import Gate, IndexedFile
from repomem.retrieve.gather import Evidence
from repomem.retrieve.query import Query

LOOKED_AT: Final = 5  # of the best files: one of them must hold much of what was asked
USE_COVERAGE: Final = 0.45  # of the question's weight, rare words weighing most; see benchmarks/ranking
LIMITED_COVERAGE: Final = 0.25


def gate(query: Query, evidence: Evidence, best: Sequence[IndexedFile], in_history: float) -> Gate:
    """How much of the question the best files hold, or the best earlier commit (`in_history`, its coverage).

    Rare words carry the weight, and a word that stands nowhere counts as the rarest: common words alone never open
    the gate.
    """
    if not query.words:
        return Gate("none", "the question has no words to look for")
    in_code = max((evidence.coverage.get(file.version, 0.0) for file in best[:LOOKED_AT]), default=0.0)
    if any(file.version in evidence.named for file in best[:LOOKED_AT]):
        return Gate("use", "the question names a file")
    share = max(in_code, in_history)
    said = f"{share:.0%} of what was asked, by weight, stands together in one place"
    if share >= USE_COVERAGE:
        return Gate("use", said)
    return Gate("limited", said) if share >= LIMITED_COVERAGE else Gate("none", said)
