"""The results of pairs: means, paired differences with their statistics, and every pair. Pure.

`cli/evaluate` prints them.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from statistics import fmean

from repomem.evaluate.agents.measures import RunOutcome
from repomem.evaluate.agents.tasks import AgentTask, Arm

SEED = 20_240  # of the resamples: the same pairs give the same interval
RESAMPLES = 10_000  # the ends of a 95 % interval then vary by a few hundredths of its width
LEVEL = 0.95

Measure = Callable[[RunOutcome], float | None]
MEASURES: Mapping[str, Measure] = {
    "solved": lambda run: float(run.solved),
    "memory respected": lambda run: None if run.respected is None else float(run.respected),
    "wrong edits": lambda run: run.wrong_edits,
    "files opened before the first right edit": lambda run: run.files_before,
    "bytes read before the first right edit": lambda run: run.bytes_before,
    "bytes read": lambda run: run.bytes_read,
    "commands": lambda run: run.commands,
    "turns": lambda run: run.turns,
    "input tokens": lambda run: run.input_tokens or None,
    "output tokens": lambda run: run.output_tokens or None,
    "cost in US dollars": lambda run: run.cost,
    "seconds": lambda run: run.seconds,
}


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The differences second − first of pairs."""

    pairs: int
    first: float  # mean of each
    second: float
    difference: float  # mean
    low: float  # confidence interval of the mean difference, at LEVEL
    high: float
    more: int  # pairs in which the second is larger
    fewer: int
    p: float  # of the sign test, two-sided


def paired_difference(pairs: Sequence[tuple[float, float]]) -> PairedDifference:
    """The mean difference of at least one pair, its interval and the sign test."""
    differences = [second - first for first, second in pairs]
    low, high = bootstrap_interval(differences)
    more, fewer = sum(each > 0 for each in differences), sum(each < 0 for each in differences)
    return PairedDifference(
        len(pairs),
        fmean(first for first, _ in pairs),
        fmean(second for _, second in pairs),
        fmean(differences),
        low,
        high,
        more,
        fewer,
        sign_test(more, fewer),
    )


def bootstrap_interval(values: Sequence[float], seed: int = SEED) -> tuple[float, float]:
    """The percentile interval of the mean at LEVEL (Efron and Tibshirani, Introduction to the Bootstrap, 1993, §13.3).

    B resamples of n values with replacement give B means; the ends are their (1 − LEVEL) / 2 and (1 + LEVEL) / 2
    quantiles. With few values it is too narrow.
    """
    draw = random.Random(seed)  # noqa: S311  # statistics, no secret
    size = len(values)
    means = sorted(fmean(draw.choices(values, k=size)) for _ in range(RESAMPLES))
    tail = round((1 - LEVEL) / 2 * RESAMPLES)
    return means[tail], means[-tail - 1]


def sign_test(more: int, fewer: int) -> float:
    """The exact two-sided p of a sign test without ties (Dixon and Mood 1946).

    With n = more + fewer and k the smaller of both: min(1, 2 · Σ_{i≤k} C(n, i) / 2ⁿ). 1 without differences.
    """
    size = more + fewer
    tail: int = sum(comb(size, at) for at in range(min(more, fewer) + 1))
    return min(1.0, 2.0 * tail / float(2**size))


@dataclass(frozen=True, slots=True)
class Pair:
    """One task and its run in each arm that was finished."""

    task: AgentTask
    runs: Mapping[Arm, RunOutcome]


@dataclass(frozen=True, slots=True)
class Comparison:
    """An arm compared with `without`, over the pairs that have both."""

    arm: Arm
    measures: Mapping[str, PairedDifference]  # those that any pair has in both arms


@dataclass(frozen=True, slots=True)
class AgentEvaluation:
    name: str  # of the repository
    id: str
    head: str
    agent: str  # its command
    host: str
    planned: int  # runs
    pairs: Sequence[Pair]
    comparisons: Sequence[Comparison]
    skipped: Sequence[str]  # "commit: reason" of candidates that did not qualify
    folder: str  # with the logs
    is_interrupted: bool = False

    @property
    def finished(self) -> int:
        """How many runs have ended."""
        return sum(len(pair.runs) for pair in self.pairs)


def comparisons_of(pairs: Sequence[Pair]) -> list[Comparison]:
    """Each other arm compared with `without`."""
    found = (Comparison(arm, _measures(pairs, arm)) for arm in (Arm.WITH, Arm.FILE))
    return [each for each in found if each.measures]


def _measures(pairs: Sequence[Pair], arm: Arm) -> dict[str, PairedDifference]:
    both = [(pair.runs[Arm.WITHOUT], pair.runs[arm]) for pair in pairs if {Arm.WITHOUT, arm} <= pair.runs.keys()]
    found: dict[str, PairedDifference] = {}
    for name, measure in MEASURES.items():
        values = [(measure(first), measure(second)) for first, second in both]
        if known := [(one, two) for one, two in values if one is not None and two is not None]:
            found[name] = paired_difference(known)
    return found
