"""Which commits are tasks, and how their tests are run."""

import sys
from pathlib import Path

import pytest
from support.agent_scenes import TEST_COMMAND, history
from support.repositories import Commit, MakeRepository

from repomem.adapters.git.log import revisions
from repomem.adapters.git.repository import Repository
from repomem.evaluate.agents.judging import verified
from repomem.evaluate.agents.tasks import Arm, candidates, code_task, of_files
from repomem.index.history import records_of


@pytest.mark.parametrize(
    ("form", "command"),
    [
        ("python -m pytest FILE -k NAME", "python -m pytest tests/test_a.py"),
        ("bundle exec rspec FILE:LINE", "bundle exec rspec tests/test_a.py"),
        ("npx vitest run FILE -t NAME", "npx vitest run tests/test_a.py"),
        ("busted FILE --filter=NAME", "busted tests/test_a.py"),
        ("prove -l FILE", "prove -l tests/test_a.py"),
        ("go test ./PACKAGE -run '^NAME$'", ""),
        ("python -m unittest MODULE.CLASS.METHOD", ""),
        ("cargo test NAME", ""),
        ("", ""),
    ],
)
def test_the_command_for_one_test_runs_whole_files_if_it_takes_files(form: str, command: str) -> None:
    assert of_files(form, ["tests/test_a.py"]) == command


def test_data_beside_the_tests_is_no_argument() -> None:
    assert of_files("pytest FILE -k NAME", ["tests/data.json", "tests/a b.py"]) == "pytest 'tests/a b.py'"
    assert of_files("pytest FILE -k NAME", ["tests/data.json"]) == ""


@pytest.fixture
def source(make_repository: MakeRepository) -> Repository:
    return Repository.open(make_repository(*history()))


def test_candidates_change_sources_and_tests_and_their_task_has_no_trailer(source: Repository) -> None:
    records = {one.commit: one for one in records_of(source, revisions(source, 10, "HEAD"))}
    found = list(candidates(records))
    subjects = [record.message.splitlines()[0].split()[-1] for record in found]
    assert subjects == ["free", "knots", "winter", "tides"]  # the first commit has no parent
    task = code_task(source, found[1], TEST_COMMAND)
    assert "Reviewed-by" not in task.prompt
    assert task.prompt.rstrip().endswith("fix: let winds_total report the strongest of the winds in knots")
    assert task.right == {"port/winds.py", "tests/test_winds.py"}
    assert list(task.solved.files) == ["tests/test_winds.py"]
    assert task.changes == {Arm.WITHOUT: {"AGENTS.md": None}, Arm.WITH: {"AGENTS.md": None}}


def test_a_commit_is_used_only_if_its_tests_tell_it_from_its_parent(source: Repository, tmp_path: Path) -> None:
    records = {one.commit: one for one in records_of(source, revisions(source, 10, "HEAD"))}
    unjudged, judged, *_ = candidates(records)
    reasons = []
    for at, (record, command) in enumerate([(unjudged, TEST_COMMAND), (judged, TEST_COMMAND), (judged, "exit 1")]):
        reasons.append(verified(source, record, code_task(source, record, command), tmp_path / str(at)))
    assert reasons == ["its tests pass without it", "", "its tests fail with it"]


def test_a_commit_that_keeps_the_size_of_its_source_is_judged_by_it(
    make_repository: MakeRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    before = {"calc.py": "def add(a, b):\n    return a - b\n", "tests/test_calc.py": "import calc\n"}
    test = "import calc\nassert calc.add(1, 1)\n"
    after = {"calc.py": "def add(a, b):\n    return a + b\n", "tests/test_calc.py": test}
    commits = [Commit(before, "Start a small calculator"), Commit(after, "Add numbers instead of subtracting them")]
    source = Repository.open(make_repository(*commits))
    record = next(candidates({one.commit: one for one in records_of(source, revisions(source, 10, "HEAD"))}))
    task = code_task(source, record, f"PYTHONPATH=. {sys.executable} -S tests/test_calc.py")
    assert [verified(source, record, task, tmp_path / str(at)) for at in range(4)] == [""] * 4  # within a second each
