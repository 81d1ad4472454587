"""Runs of a scripted agent, end to end: arms, limits, results used again, and nothing of the user's touched."""

import hashlib
import json
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from support.agent_scenes import FIXES, ROOT, TEST_COMMAND, history, scripted, solutions
from support.memory_scenes import said
from support.repositories import MakeRepository
from support.samples import workspace_at

from repomem.adapters.git.log import revisions
from repomem.adapters.git.repository import Repository
from repomem.cli.evaluate.agents import evaluation_json
from repomem.core.errors import RepomemError
from repomem.evaluate.agents.evaluate import AgentRequest, evaluate_agent, plan_of
from repomem.evaluate.agents.hosts.registry import words_of_command
from repomem.evaluate.agents.measures import RunOutcome
from repomem.evaluate.agents.report import AgentEvaluation
from repomem.evaluate.agents.results_file import ResultsFile
from repomem.evaluate.agents.run import Runner, RunOptions
from repomem.evaluate.agents.tasks import AgentTask, Arm, candidates, code_task
from repomem.index.history import records_of
from repomem.workspace.ledger import records_here
from repomem.workspace.run import Run
from repomem.workspace.user.folders import data_folder

BOTH = (Arm.WITHOUT, Arm.WITH)


@pytest.fixture(autouse=True)
def this_repomem(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes import this tree."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


@pytest.fixture
def repository(make_repository: MakeRepository) -> Path:
    return make_repository(*history(), name="port")


def options(command: str, **changed: object) -> RunOptions:
    plain = RunOptions(words_of_command(command), BOTH, 60.0, None, None, 1_500, 0)
    return replace(plain, **changed)  # type: ignore[arg-type]  # fields by name


def task_in(repository: Path) -> AgentTask:
    source = Repository.open(repository)
    records = {one.commit: one for one in records_of(source, revisions(source, 10, "HEAD"))}
    return code_task(source, list(candidates(records))[1], TEST_COMMAND)


def once(repository: Path, keep: Path, arm: Arm, command: str, **changed: object) -> RunOutcome:
    runner = Runner(Repository.open(repository), options(command, **changed), ResultsFile(keep, ""))
    return runner.run_once(task_in(repository), arm)


def evaluated(repository: Path, request: AgentRequest) -> AgentEvaluation:
    with workspace_at(repository) as workspace:
        return evaluate_agent(workspace.repository, plan_of(workspace, request, Run()), Run())


def digest_of(*folders: Path) -> dict[str, str]:
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.slow
def test_with_a_brief_the_agent_reads_less_before_its_first_right_edit(repository: Path, tmp_path: Path) -> None:
    command = scripted(tmp_path, solutions())
    request = AgentRequest(options(command, arms=tuple(Arm)), 3, TEST_COMMAND, tmp_path / "keep")
    with workspace_at(repository):
        pass  # its data folder exists from here on
    before = digest_of(repository, data_folder())
    found = evaluated(repository, request)
    assert digest_of(repository, data_folder()) == before
    assert (found.planned, found.finished, found.is_interrupted) == (9, 9, False)
    assert [reason.partition(": ")[2] for reason in found.skipped] == ["its tests pass without it"]
    assert {run.solved for pair in found.pairs for run in pair.runs.values()} == {True}
    for pair in found.pairs:
        without, brief, file = (pair.runs[arm] for arm in Arm)
        assert (brief.files_before, brief.wrong_edits, brief.commands) == (1, 0, 1)
        assert without.files_before is not None
        assert without.files_before >= 8
        assert brief.bytes_before is not None
        assert without.bytes_before is not None
        assert brief.bytes_before < without.bytes_before / 4
        assert (without.brief_tokens, file.brief_tokens) == (0, 0)
        assert 0 < brief.brief_tokens <= 1_500
        assert file.files_before == without.files_before + 1  # it opens AGENTS.md, which the others do not have
    [brief_compared, _] = found.comparisons
    assert brief_compared.measures["bytes read before the first right edit"].fewer == 3
    shown = json.loads(json.dumps(evaluation_json(found)))
    assert [set(pair["runs"]) for pair in shown["pairs"]] == [set(Arm)] * 3
    logs = tmp_path / "keep" / "logs" / f"{found.pairs[0].task.name}-with"
    assert {path.name for path in logs.iterdir()} == {
        *("stream.jsonl", "stderr.txt", "prompt.txt", "changes.patch", "tests.txt"),
    }
    (tmp_path / "script.json").unlink()  # an agent that ran again would fail
    again = evaluated(repository, request)
    assert [pair.runs for pair in again.pairs] == [pair.runs for pair in found.pairs]


def test_an_agent_that_takes_too_long_is_stopped_and_judged(repository: Path, tmp_path: Path) -> None:
    script = [{**each, "sleep": 600} for each in solutions()]
    found = once(repository, tmp_path / "keep", Arm.WITHOUT, scripted(tmp_path, script), timeout=1.0)
    assert (found.stopped, found.solved, found.files_before, found.edited) == ("timeout", False, None, ())
    assert found.seconds < 60


def test_an_agent_with_too_many_turns_is_stopped(repository: Path, tmp_path: Path) -> None:
    lines = "".join(f'{{"type": "assistant", "message": {{"id": "m{at}"}}}}\n' for at in range(5))
    (tmp_path / "stream").write_text(lines, encoding="utf-8")
    found = once(repository, tmp_path / "keep", Arm.WITHOUT, f"sh -c 'cat {tmp_path}/stream; sleep 600'", turns=3)
    assert (found.stopped, found.solved) == ("turns", False)
    assert found.turns > 3


def test_an_agent_that_fails_is_an_outcome_with_its_reason(repository: Path, tmp_path: Path) -> None:
    found = once(repository, tmp_path / "keep", Arm.WITHOUT, "sh -c 'exit 7'")
    assert (found.stopped, found.solved, found.cost) == ("exit code 7", False, None)


def test_no_run_starts_after_the_limit_of_money(repository: Path, tmp_path: Path) -> None:
    said_lines: list[str] = []
    chosen = options(scripted(tmp_path, solutions()), max_cost=0.000001, arms=(Arm.WITHOUT, Arm.FILE))
    runner = Runner(Repository.open(repository), chosen, ResultsFile(tmp_path / "keep", ""))
    assert len(list(runner.pairs([task_in(repository)], Run(tell=said_lines.append)))) == 1
    assert said_lines[-1].startswith("stopped: the runs have cost $")


def test_wrong_tests_of_an_agent_do_not_make_it_right(repository: Path, tmp_path: Path) -> None:
    cheat: list[dict[str, object]] = [{"task": FIXES["winds"][1], "edits": [["tests/test_winds.py", "", "# passes\n"]]}]
    found = once(repository, tmp_path / "keep", Arm.WITHOUT, scripted(tmp_path, cheat))
    assert (found.solved, found.edited) == (False, ("tests/test_winds.py",))


def test_the_prompt_may_be_an_argument(repository: Path, tmp_path: Path) -> None:
    once(repository, tmp_path / "keep", Arm.WITHOUT, f"{sys.executable} -c 'import sys; print(sys.argv[1])' {{prompt}}")
    [log] = (tmp_path / "keep" / "logs").iterdir()
    assert (log / "stream.jsonl").read_text() == (log / "prompt.txt").read_text() + "\n"
    assert "winds_total" in (log / "prompt.txt").read_text()


PROBE = """
import os, subprocess, sys
for command in (["repomem", "recall", "winds"], [sys.executable, "-m", "repomem", "recall", "winds"],
                ["repomem", "memories", "--format", "json"], ["git", "log", "--format=%s"]):
    done = subprocess.run(command, capture_output=True, text=True)
    print("CODE", done.returncode, done.stdout.replace("\\n", " "))
print("ENV", os.environ["REPOMEM"], [name for name in os.environ if name.startswith("REPOMEM_")])
"""


def probed(repository: Path, tmp_path: Path, arm: Arm, task: AgentTask) -> list[str]:
    (tmp_path / "probe.py").write_text(PROBE)
    command = f"{sys.executable} {tmp_path / 'probe.py'}"
    runner = Runner(Repository.open(repository), options(command), ResultsFile(tmp_path / "keep", ""))
    assert runner.run_once(task, arm).stopped == ""
    stream = tmp_path / "keep" / "logs" / f"{task.name}-{arm}" / "stream.jsonl"
    return stream.read_text().splitlines()


def test_without_repomem_neither_its_command_nor_its_program_answers(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REPOMEM_RECALL_BUDGET", "9")
    lines = probed(repository, tmp_path, Arm.WITHOUT, task_in(repository))
    assert [line.split()[1] for line in lines[:3]] == ["127", "1", "127"]
    assert lines[4] == "ENV 0 []"


@pytest.mark.slow
def test_with_repomem_only_the_memories_of_the_task_are_known(repository: Path, tmp_path: Path) -> None:
    task = task_in(repository)
    said(repository, "Winds are measured in knots at the pier")
    with workspace_at(repository) as workspace:
        records = records_here(workspace)
    lines = probed(repository, tmp_path, Arm.WITH, task)
    assert "knots at the pier" not in "".join(lines)
    lines = probed(repository, tmp_path, Arm.WITH, replace(task, memories=records))
    assert "knots at the pier" in lines[0]
    assert "knots at the pier" in lines[2]
    assert "in knots" not in lines[3]  # the subject of the task's commit


@pytest.mark.parametrize(("time", "tasks"), [(None, 0), (4_000_000_000, 1)])
def test_memory_tasks_are_on_code_of_a_memory_from_before_the_parent(
    make_repository: MakeRepository, tmp_path: Path, time: int | None, tasks: int
) -> None:
    commits = [replace(commit, time=time and time + at) for at, commit in enumerate(history())]
    repository = make_repository(*commits, name="port")
    said(repository, "Tides are added in `port/tides.py`, never averaged", on=("port/tides.py",))
    request = AgentRequest(options("true"), 5, TEST_COMMAND, tmp_path / "keep", with_memories=True)
    refused = pytest.raises(RepomemError, match="on code of an earlier memory")
    with workspace_at(repository) as workspace, nullcontext() if tasks else refused:
        plan = plan_of(workspace, request, Run())
        assert [record.message.split()[2] for record in plan.history.values()] == ["tides_total"]
        assert len(plan.memories) == tasks
