"""Weights for one repository, fitted to its own replayed history and kept only where they stand a trial.

replayed commits, oldest first -> older two thirds: fit -> newest third, unseen: trial -> (kept in its folder)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from repomem.adapters.git.run import Repository
from repomem.evaluate.run import Evaluation
from repomem.ranking.fit import Example, Examples, fitted
from repomem.ranking.signals import RECALL, Weights
from repomem.ranking.trial import Trial, trial_of
from repomem.recall.own_weights import Origin, OwnWeights, keep_weights
from repomem.workspace.workspace import private_folder

LEAST = 60  # commits: of twenty held back a quarter must gain to be told from chance


@dataclass(frozen=True, slots=True)
class Fit:
    """What came of it."""

    shipped: Weights
    fitted: Weights  # the shipped ones where there were too few commits
    trial: Trial | None  # None where there was nothing to try
    doubt: str  # why nothing was kept, to go behind "because"; empty where the weights were kept


def fit_own(repository: Repository, found: Evaluation) -> Fit:
    """Fit weights to what was replayed under the shipped ones, and keep them where they are better.

    StoreError where they cannot be kept.
    """
    fit = fit_of([row.outcome.example for row in found.rows])
    if fit.trial and not fit.doubt:
        since = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        keep_weights(private_folder(repository), OwnWeights(fit.fitted, Origin(since, found.head, fit.trial)))
    return fit


def fit_of(examples: Sequence[Example]) -> Fit:
    """The fit to the older two thirds of some examples, oldest first, tried on the rest. Keeps nothing."""
    if len(examples) < LEAST:
        return Fit(RECALL, RECALL, None, f"{len(examples)} commits were replayed, and {LEAST} are needed")
    older = len(examples) * 2 // 3
    weights = fitted([Examples(examples[:older])], RECALL)
    if weights == RECALL:
        return Fit(RECALL, weights, None, f"nothing near the shipped weights ranks the older {older} commits better")
    trial = trial_of(older, examples[older:], RECALL, weights)
    return Fit(RECALL, weights, trial, trial.doubt)
