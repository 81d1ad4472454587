"""What a fit keeps and what it leaves: only weights that also hold on the newest third, and never in the work tree."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.ranking_scenes import candidate, telling
from support.repositories import Commit, MakeRepository, RunGit

from repomem.adapters.git.run import Repository
from repomem.evaluate.figures import Outcome, Row
from repomem.evaluate.fitting import LEAST, Fit, fit_of, fit_own
from repomem.evaluate.run import Evaluation
from repomem.ranking.fit import Example
from repomem.ranking.signals import RECALL
from repomem.recall.own_weights import OwnWeights, drop_weights, folder_of, own_weights, serving_weights
from repomem.workspace.workspace import configured

TO_HISTORY = telling("history", "words", 90)
TURNED = [*telling("history", "words", 60), *telling("words", "history", 30)]
FOUND_ALREADY = [Example(1, (candidate(is_answer=True, words=1.0),))] * LEAST


@pytest.fixture
def repository(make_repository: MakeRepository) -> Repository:
    return configured(make_repository(Commit({"a.py": "x = 1\n"}, "first")), os.environ)[0]


def fitted_here(repository: Repository, examples: Sequence[Example]) -> Fit:
    outcomes = [Outcome(f"c{at}", {}, {}, 0.0, 0.0, 0, None, each) for at, each in enumerate(examples)]
    rows = [Row(one.commit, "2026-01-01", "a subject", ("a.py",), one) for one in outcomes]
    return fit_own(repository, Evaluation("r", "id", "c9", 1500, 90, 90, rows, None, [], []))


def test_weights_that_hold_on_the_newest_third_are_kept_with_where_they_come_from(repository: Repository) -> None:
    fit = fitted_here(repository, TO_HISTORY)
    own = own_weights(folder_of(repository))
    assert isinstance(own, OwnWeights)
    assert own.weights == fit.fitted != RECALL
    assert (own.origin.head, own.origin.trial) == ("c9", fit.trial)
    assert (own.origin.trial.fitted_on, own.origin.trial.held_back) == (60, 30)
    notices: list[str] = []
    assert serving_weights(folder_of(repository), notices) == fit.fitted
    assert notices == []


def test_nothing_is_written_in_the_work_tree(repository: Repository, run_git: RunGit) -> None:
    fitted_here(repository, TO_HISTORY)
    assert repository.top
    assert run_git(repository.top, "status", "--porcelain", "--ignored") == ""


@pytest.mark.parametrize(
    ("examples", "doubt"),
    [
        (TURNED, "they gain -"),
        (FOUND_ALREADY, "nothing near the shipped weights ranks the older 40 commits better"),
        (TO_HISTORY[: LEAST - 1], "59 commits were replayed, and 60 are needed"),
    ],
    ids=["turned", "found already", "too few"],
)
def test_a_fit_in_doubt_leaves_what_was_kept_before(
    repository: Repository, examples: Sequence[Example], doubt: str
) -> None:
    assert fitted_here(repository, examples).doubt.startswith(doubt)
    assert own_weights(folder_of(repository)) == ""
    before = fitted_here(repository, TO_HISTORY).fitted
    fitted_here(repository, examples)
    assert serving_weights(folder_of(repository), []) == before


def test_only_the_older_part_is_fitted_to() -> None:
    assert fit_of(TURNED).fitted == fit_of(TO_HISTORY).fitted


def test_dropping_weights_says_whether_there_were_any(repository: Repository) -> None:
    assert not drop_weights(folder_of(repository))
    fitted_here(repository, TO_HISTORY)
    assert drop_weights(folder_of(repository))
    assert serving_weights(folder_of(repository), []) == RECALL


def test_a_folder_in_the_place_of_the_file_is_told_and_not_deleted(repository: Repository) -> None:
    notices: list[str] = []
    (folder_of(repository) / "weights.json").mkdir(parents=True)
    assert serving_weights(folder_of(repository), notices) == RECALL
    assert len(notices) == 1
    assert "cannot be read" in notices[0]
    assert Path(folder_of(repository) / "weights.json").is_dir()
