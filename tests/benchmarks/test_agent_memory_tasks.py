"""The memory tasks: enough of each kind, and every check tells the naive solution from the respecting one."""

import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.agent_scenes import ROOT, SCRIPTED

from benchmarks.agents.briefs import BUDGET
from benchmarks.agents.build import Built, agent_tasks, built, write
from benchmarks.agents.check import failed
from benchmarks.agents.definitions import Edit, InventedRepository, MemoryTask, edited, repositories
from benchmarks.agents.report import script
from repomem.adapters.git.repository import Repository
from repomem.evaluate.agents.results_file import ResultsFile
from repomem.evaluate.agents.run import Runner, RunOptions
from repomem.evaluate.agents.tasks import Arm

REPOSITORIES = list(repositories())
TASKS = [task for repository in REPOSITORIES for task in repository.tasks]
KINDS = {"decision", "rule", "failed attempt", "environment trap", "command that works", "open end"}


def named(task: MemoryTask) -> InventedRepository:
    return next(each for each in REPOSITORIES if each.name == task.repository)


def broken(task: MemoryTask, edits: Sequence[Edit], conditions: Sequence[Sequence[str]], folder: Path) -> list[str]:
    """The conditions that do not hold after edits."""
    write(folder, edited(named(task).later, edits))
    return [reason for condition in conditions if (reason := failed(list(condition)))]


def test_there_are_tasks_of_every_kind_and_state() -> None:
    states = Counter(task.state for task in TASKS)
    assert (len(REPOSITORIES), len({each.language for each in REPOSITORIES})) == (8, 8)
    assert len(TASKS) == len({task.name for task in TASKS})
    assert len(TASKS) >= 40
    assert states["stale"] >= 10
    assert states["none"] >= 10
    assert {task.kind for task in TASKS if task.state == "current"} == KINDS
    assert all(task.tell and task.guide and task.respected and task.records for task in TASKS if task.state != "none")
    assert all(bool(task.later) == (task.state == "stale") for task in TASKS)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_the_check_fails_on_the_naive_solution_and_passes_on_the_respecting_one(
    task: MemoryTask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    solutions: dict[str, Sequence[Edit]] = {"naive": task.naive, "respecting": task.respecting}
    for name, edits in solutions.items():
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        assert broken(task, edits, task.works, tmp_path / name) == [], name
        if task.respected:
            assert bool(broken(task, edits, task.respected, tmp_path / name)) is (name == "naive")
    (tmp_path / "nothing").mkdir()
    monkeypatch.chdir(tmp_path / "nothing")
    assert broken(task, [], task.works, tmp_path / "nothing") != []


@pytest.mark.parametrize("task", [task for task in TASKS if task.state == "current"], ids=lambda task: task.name)
def test_neither_the_task_nor_the_code_gives_the_memory_away(task: MemoryTask) -> None:
    assert not re.search(task.tell, task.prompt)
    assert not any(re.search(task.tell, text) for text in named(task).later.values())


@pytest.fixture(scope="module")
def kiosk(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """One of the repositories. Tests leave it as it is."""
    return built(named(next(task for task in TASKS if task.repository == "kiosk")), tmp_path_factory.mktemp("built"))


@pytest.mark.slow
def test_the_scripted_agent_does_as_its_brief_or_its_file_says(
    kiosk: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (tmp_path / "script.json").write_text(json.dumps(script()), encoding="utf-8")
    words = (sys.executable, str(SCRIPTED), str(tmp_path / "script.json"))
    options = RunOptions(words, tuple(Arm), 60.0, None, None, BUDGET, 0)
    runner = Runner(Repository.open(kiosk.folder), options, ResultsFile(tmp_path / "keep", ""))
    tasks = {task.name: task for task in agent_tasks(kiosk)}
    respected = {
        (name, arm): runner.run_once(tasks[name], arm).respected
        for name in ("kiosk-umlauts", "kiosk-sunday")
        for arm in Arm
    }
    assert respected == {
        ("kiosk-umlauts", Arm.WITHOUT): False,
        ("kiosk-umlauts", Arm.WITH): True,
        ("kiosk-umlauts", Arm.FILE): True,
        ("kiosk-sunday", Arm.WITHOUT): True,
        ("kiosk-sunday", Arm.WITH): True,  # the brief marks the stale memory
        ("kiosk-sunday", Arm.FILE): False,  # a file does not
    }


@pytest.mark.slow
def test_a_repository_is_made_by_the_real_commands_and_is_always_the_same(kiosk: Built) -> None:
    small = kiosk.definition
    tasks = agent_tasks(kiosk)
    assert {task.base for task in tasks} == {"c43667bd257b969ac84f6cc6fc4271f9ad7df258"}
    said = [str(record.said.text) for record in tasks[0].memories if record.said]
    assert all(any(re.search(task.tell, text) for text in said) for task in small.tasks if task.records)
    assert {record.origin.at[:10] for record in tasks[0].memories} == {"2024-03-05"}
    brief = kiosk.repomem("recall", "--budget", "1000", next(t.prompt for t in small.tasks if t.state == "stale"))
    [line] = [line for line in brief.splitlines() if "split at the colon" in line]
    assert "verify before relying on it" in line
