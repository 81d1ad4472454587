"""The last evaluation is found again without a replay, and never where its outcomes are gone."""

import json
import os
from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository

from repomem.evaluate.figures import Evaluation
from repomem.evaluate.last_evaluation import last_evaluation
from repomem.evaluate.outcomes import cache_folder
from repomem.evaluate.replay import ReplayOptions
from repomem.evaluate.run import evaluate
from repomem.workspace.run import Run
from repomem.workspace.workspace import configured

MONEY = "def invoice_total(amounts):\n    return sum(amounts)\n"
HISTORY = (
    Commit({"src/money.py": MONEY}, "feat: start with one module"),
    Commit({"src/money.py": MONEY + "# cents\n"}, "fix: make invoice_total exact to the cent"),
)


@pytest.fixture
def repository(make_repository: MakeRepository) -> Path:
    return make_repository(*HISTORY)


def evaluated(folder: Path, budget: int = 1500) -> Evaluation:
    return evaluate(*configured(folder, os.environ), ReplayOptions(30, budget), Run())


def last(folder: Path) -> Evaluation | None:
    return last_evaluation(configured(folder, os.environ)[0])


def test_the_last_evaluation_is_found_again(repository: Path) -> None:
    assert last(repository) is None
    evaluated(repository)
    found = evaluated(repository, budget=800)
    kept = last(repository)
    assert kept
    assert (kept, kept.budget, kept.at[:2]) == (found, 800, "20")


def test_without_its_outcomes_there_is_none(repository: Path) -> None:
    evaluated(repository)
    [outcomes] = cache_folder().glob("*.jsonl")
    outcomes.unlink()
    assert last(repository) is None


def test_a_damaged_list_is_none(repository: Path) -> None:
    evaluated(repository)
    [file] = cache_folder().glob("*-last.json")
    assert json.loads(file.read_text())["commits"]
    for text in ("", "[]", "{}", '{"outcomes": 3}', '{"outcomes": "../../secret", "commits": []}'):
        file.write_text(text)
        assert last(repository) is None
