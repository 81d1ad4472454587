"""The relevance gate: whether anything in the repository is relevant to a question. Irrelevant briefs are harmful.

It uses query coverage by a file and by an earlier commit's message, and the nearest chunk's similarity if the model is
the one that the weights were found for. The weights come from a logistic regression between a repository's own
questions and those of others. At the thresholds, 97 % of its own questions open the gate fully, and 99 % of its commit
messages at least partly: docs/evaluation.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from repomem.core.text.words import DEFINES
from repomem.core.types.brief import Gate
from repomem.core.types.indexed import IndexedFile
from repomem.ranking.gather import Evidence
from repomem.ranking.query import Query

BEST_FILES: Final = 5  # one of the best files must cover much of the question


@dataclass(frozen=True, slots=True)
class _GateWeights:
    """The weight of each piece of evidence, and the thresholds of the gate."""

    most: float  # the higher query coverage, of the best file or the best commit message
    less: float  # the lower of the two
    likeness: float  # the nearest chunk's cosine above that of any two texts
    length: float  # the logarithm of the number of words: long texts have many words that the index lacks
    use: float  # at least this: relevant
    least: float  # at least this: perhaps relevant


BY_LIKENESS: Final = _GateWeights(most=0.24, less=0.05, likeness=0.66, length=0.05, use=0.43, least=0.19)
BY_WORDS: Final = _GateWeights(most=0.73, less=0.14, likeness=0.0, length=0.13, use=0.64, least=0.49)


def relevance_gate(
    query: Query, evidence: Evidence, best: Sequence[IndexedFile], in_history: float, *, is_likeness_known: bool
) -> Gate:
    """The gate's decision from the best files and `in_history`, the query coverage of the best earlier commit.

    Absent words count as the rarest, so common words alone never open the gate.
    """
    if not query.words:
        return Gate("none", "the question has no words to look for")
    candidates = [file.version for file in best[:BEST_FILES]]
    named = _named(query, evidence, candidates)
    if named:
        return Gate("use", named)
    if not query.has_content:
        return Gate("none", "the question has only words that any task has")
    in_code = max((evidence.coverage.get(version, 0.0) for version in candidates), default=0.0)
    likeness = max((evidence.similarity.get(version, 0.0) for version in candidates), default=0.0)
    less, most = sorted((in_code, in_history))
    reason = f"one place covers {most:.0%} of the question, by weight"
    if max(most, likeness) == 0.0:
        return Gate("none", reason)
    measure = BY_LIKENESS if is_likeness_known else BY_WORDS
    strength = measure.most * most + measure.less * less + measure.likeness * likeness
    strength += measure.length * math.log1p(len(query.words))
    if strength >= measure.use:
        return Gate("use", reason)
    return Gate("limited" if strength >= measure.least else "none", reason)


def _named(query: Query, evidence: Evidence, candidates: Sequence[int]) -> str:
    """The reason if the question names something in this repository; else empty."""
    if evidence.traced.nearness:
        return "a stack trace in the question leads here"
    if any(DEFINES + name in defined for defined in evidence.defined.values() for name in query.names):
        return "the question names a definition here"
    if any(version in evidence.named for version in candidates):
        return "the question names a file"
    return ""
