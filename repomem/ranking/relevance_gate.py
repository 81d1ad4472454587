"""Whether anything here bears on a question at all. Irrelevant memory costs more than none.

Words that stand together tell it, in a file or in an earlier commit's message, and the nearest chunk's likeness, where
the model is the one that its weight was found for. The weights are those of a logistic regression between a
repository's own questions and those of others, the thresholds where 97 % of its own questions open it wide, and of its
own commits' messages 99 % a little: docs/evaluation.md has what they let in.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from repomem.core.types import Gate, IndexedFile
from repomem.core.words import DEFINES
from repomem.ranking.gather import Evidence
from repomem.ranking.query import Query

LOOKED_AT: Final = 5  # of the best files: one of them must hold much of what was asked


@dataclass(frozen=True, slots=True)
class _GateWeights:
    """What each piece of evidence adds to the strength of all, and how much strength opens the gate."""

    most: float  # the share of the question's weight that one place holds, rare words weighing most
    less: float  # that which the best place of the other sort holds: file, or earlier commit's message
    likeness: float  # the nearest chunk's cosine beyond that of any two texts
    length: float  # the logarithm of the number of words: a long text names much that stands nowhere
    use: float  # where the question is this repository's
    least: float  # where it may be


BY_LIKENESS: Final = _GateWeights(most=0.24, less=0.05, likeness=0.66, length=0.05, use=0.43, least=0.19)
BY_WORDS: Final = _GateWeights(most=0.73, less=0.14, likeness=0.0, length=0.13, use=0.64, least=0.49)


def gate(
    query: Query, evidence: Evidence, best: Sequence[IndexedFile], in_history: float, *, is_likeness_known: bool
) -> Gate:
    """How far the gate stands open, from the best files and the best earlier commit (`in_history`, its coverage).

    A word that stands nowhere counts as the rarest: common words alone never open it. Likeness counts where it is known
    what the model's cosines mean.
    """
    if not query.words:
        return Gate("none", "the question has no words to look for")
    looked_at = [file.version for file in best[:LOOKED_AT]]
    named = _named(query, evidence, looked_at)
    if named:
        return Gate("use", named)
    in_code = max((evidence.coverage.get(version, 0.0) for version in looked_at), default=0.0)
    likeness = max((evidence.similarity.get(version, 0.0) for version in looked_at), default=0.0)
    less, most = sorted((in_code, in_history))
    said = f"{most:.0%} of what was asked, by weight, stands together in one place"
    if max(most, likeness) == 0.0:
        return Gate("none", said)
    measure = BY_LIKENESS if is_likeness_known else BY_WORDS
    strength = measure.most * most + measure.less * less + measure.likeness * likeness
    strength += measure.length * math.log1p(len(query.words))
    if strength >= measure.use:
        return Gate("use", said)
    return Gate("limited" if strength >= measure.least else "none", said)


def _named(query: Query, evidence: Evidence, looked_at: Sequence[int]) -> str:
    """What of this repository the question names, in words; empty where it names nothing."""
    if evidence.traced.nearness:
        return "a stack trace in the question leads here"
    if any(DEFINES + name in defined for defined in evidence.defined.values() for name in query.names):
        return "the question names what is defined here"
    if any(version in evidence.named for version in looked_at):
        return "the question names a file"
    return ""
