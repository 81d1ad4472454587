"""Weights fitted to commits whose files are known: a search that starts at given weights and does not go far.

A ranking is an order, so what it is good for (recall at five and at ten, and how soon the first answer comes) makes
steps where a weight changes, and has no gradient. A regression on single files has one, but was measured to be no
better than weights by hand: most files are easy, and it fits those. There are fifteen numbers and some hundred commits,
which a search coordinate by coordinate goes through in seconds; it needs no chance and no library, and each of its
steps can be told. Two things hold it back from chance. A file just behind a depth counts in part (`SOFTNESS`), so a
single commit cannot pay for a step; and each step away from the start must gain what chance moves a mean by (`NOISE`),
so few commits move little, and what they do not speak of stays as it was.
"""

import math
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from repomem.core.types import Role
from repomem.ranking.gather import Evidence
from repomem.ranking.query import Query
from repomem.ranking.rank import SYMBOL_LIFT, TINY
from repomem.ranking.signals import DATA_LANGUAGES, SIGNALS, Weights, lowered_role, shares

DEPTHS = (5, 10)  # places at which recall counts; beside it counts the place of the first answer
MEASURES = (*(f"recall@{depth}" for depth in DEPTHS), "MRR")
STEP = 2**0.5  # two steps double a weight or halve it
MOST_STEPS = 4  # to either side of the start
SOFTNESS = 1.0  # places within which a file behind a depth still counts, and one before it not in full
NOISE = 0.1  # over the root of the number of commits: what the sum of the measures must gain with each step
FAR = 100.0  # places: what lies there or is not ranked counts for nothing
SWEEPS = 5  # through all weights; the third changes little
DIGITS = 5  # of a share, behind the point

Numbers = NDArray[np.float64]


class Candidate(NamedTuple):
    """A file that a ranking may name."""

    is_answer: bool
    role: str  # whose factor lowers it; empty where the question asks for it
    is_data: bool
    shares: tuple[float, ...]  # by the order of SIGNALS: of the signal's best


@dataclass(frozen=True, slots=True)
class Example:
    """A question with its candidates, and how many files answer it, also those that are no candidate."""

    answers: int
    candidates: tuple[Candidate, ...]  # by path: in this order come those that tie


def example_of(
    query: Query, evidence: Evidence, answers: AbstractSet[str], is_ranked: Callable[[str], bool]
) -> Example:
    """What a ranking of the files that `is_ranked` knows has to choose from."""
    by_signal = shares(query, evidence)
    lifts = [SYMBOL_LIFT if name == "definition" and query.is_symbol else 1.0 for name in SIGNALS]
    found = [
        Candidate(
            file.path in answers,
            lowered_role(query, file) or "",
            file.language in DATA_LANGUAGES,
            tuple(
                round(lift * by_signal[name].get(version, 0.0), DIGITS)
                for name, lift in zip(SIGNALS, lifts, strict=True)
            ),
        )
        for version, file in sorted(evidence.files.items(), key=lambda one: one[1].path)
        if is_ranked(file.path)
    ]
    return Example(len(answers), tuple(found))


@dataclass(frozen=True)
class Examples:
    """The examples of one repository, at least one, as arrays: a row for each, padded to the longest."""

    examples: Sequence[Example]

    @cached_property
    def _shape(self) -> tuple[int, int]:
        return len(self.examples), max(len(one.candidates) for one in self.examples) or 1

    @cached_property
    def _shares(self) -> Numbers:
        found = np.zeros((*self._shape, len(SIGNALS)))
        for row, one in enumerate(self.examples):
            if one.candidates:
                found[row, : len(one.candidates)] = [each.shares for each in one.candidates]
        return found

    @cached_property
    def _lowered(self) -> dict[str, NDArray[np.bool_]]:
        """Which files each factor lowers, by role, and `data`."""
        names = [*(role.value for role in Role), "data"]
        found = {name: np.zeros(self._shape, np.bool_) for name in names}
        for row, one in enumerate(self.examples):
            for at, each in enumerate(one.candidates):
                if each.role:
                    found[each.role][row, at] = True
                found["data"][row, at] = each.is_data
        return {name: where for name, where in found.items() if where.any()}

    @cached_property
    def _answers(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Row and place of every answer that is a candidate."""
        pairs = [
            (row, at)
            for row, one in enumerate(self.examples)
            for at, each in enumerate(one.candidates)
            if each.is_answer
        ]
        rows, places = zip(*pairs, strict=True) if pairs else ((), ())
        return np.array(rows, np.intp), np.array(places, np.intp)

    def _ranks(self, weights: Weights) -> Numbers:
        """The place of each answer in the ranking under some weights, from 1; infinite where it is not ranked."""
        signals = np.array([weights.signals.get(name, 0.0) for name in SIGNALS])
        scores = self._shares @ (signals / (signals.sum() or 1.0))
        factors = {role.value: factor for role, factor in weights.roles.items()} | {"data": weights.data}
        for name, where in self._lowered.items():
            scores[where] *= factors.get(name, 1.0)
        scores = scores.round(9)
        rows, places = self._answers
        own = scores[rows, places][:, None]
        among = scores[rows]
        is_ahead = (among > own) | ((among == own) & (np.arange(self._shape[1]) < places[:, None]))
        return np.where(own[:, 0] > TINY, 1.0 + is_ahead.sum(axis=1), np.inf)

    def measures(self, weights: Weights, softness: float = 0.0) -> Numbers:
        """Example by MEASURES: shares of 1. With a softness, in places, a file near a depth counts in part."""
        ranks, rows = self._ranks(weights), self._answers[0]
        answers = np.array([one.answers for one in self.examples], np.float64)
        found = np.zeros((len(self.examples), len(MEASURES)))
        for column, depth in enumerate(DEPTHS):
            beyond = np.minimum(ranks, FAR) - depth - 0.5
            within = 1 / (1 + np.exp(beyond / softness)) if softness else beyond < 0
            found[:, column] = np.bincount(rows, within, len(self.examples)) / answers
        np.maximum.at(found[:, -1], rows, 1 / ranks)
        return found


def fitted(repositories: Sequence[Examples], start: Weights) -> Weights:
    """The weights near `start` that rank the examples of some repositories, at least one, best in the mean of them."""
    steps = dict.fromkeys([*start.signals, *(role.value for role in start.roles)], 0)
    margin = NOISE / math.sqrt(sum(len(each.examples) for each in repositories))

    def worth(taken: dict[str, int]) -> float:
        weights = _stepped(start, taken)
        found = [float(each.measures(weights, SOFTNESS).mean(axis=0).sum()) for each in repositories]
        return sum(found) / len(found) - margin * sum(map(abs, taken.values()))

    best = worth(steps)
    for _ in range(SWEEPS):
        before = best
        for name in steps:
            for step in range(-MOST_STEPS, MOST_STEPS + 1):
                found = worth({**steps, name: step})
                if found > best + TINY:
                    best, steps = found, {**steps, name: step}
        if best == before:
            break
    return _stepped(start, steps)


def _stepped(start: Weights, steps: dict[str, int]) -> Weights:
    """The weights so many steps away; a role's factor does not rise above one, for it lowers."""
    signals = {name: round(weight * STEP ** steps[name], 3) for name, weight in start.signals.items()}
    roles = {role: round(min(1.0, factor * STEP ** steps[role.value]), 3) for role, factor in start.roles.items()}
    return Weights(MappingProxyType(signals), MappingProxyType(roles), start.data)
