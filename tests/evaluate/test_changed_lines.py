"""What a text says of the lines that a commit changed."""

from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository, RunGit
from support.samples import indexed, workspace_at

from repomem.evaluate.changed_lines import Change, ChangedLines, LineShares, change_of, line_shares, mean_shares
from repomem.evaluate.commands import three_commands
from repomem.evaluate.tasks import ReplayTask
from repomem.recall.answer import ready
from repomem.workspace.run import Run

TELLING = frozenset({"return price * quantity"})
CHANGE = Change(
    [
        ChangedLines("src/invoice.py", range(10, 12), TELLING),
        ChangedLines("src/tax.py", range(3, 4), frozenset({"x = 1"})),
    ],
    {"0123456789abcdef0123456789abcdef01234567"},
    {"tests/test_invoice.py", "CHANGELOG.md"},
)


def test_a_change_is_placed_by_a_span_that_holds_it_and_is_not_too_long() -> None:
    assert line_shares("see `invoice.py:8-11`", CHANGE).places == 0.5
    assert line_shares("see `src/invoice.py:10` and src/tax.py:1-100", CHANGE).places == 1.0
    assert line_shares("src/tax.py:1-200 src/invoice.py:20-30 other/voice.py:10", CHANGE).places == 0.0


@pytest.mark.parametrize(
    "line",
    ["    return  price * quantity", "11: return price * quantity", "src/invoice.py:11:    return price * quantity"],
)
def test_a_change_is_shown_by_one_of_its_lines_however_it_is_printed(line: str) -> None:
    shares = line_shares(f"src/invoice.py\n{line}", CHANGE)

    assert (shares.shown, shares.any_shown) == (0.5, 1.0)


def test_a_line_counts_only_if_its_file_is_named() -> None:
    assert line_shares("return price * quantity", CHANGE).shown == 0.0


def test_writers_and_files_beside_are_found_by_their_names() -> None:
    shares = line_shares("- 01234567 2026-01-01: test_invoice.py", CHANGE)

    assert (shares.writer, shares.beside) == (1.0, 0.5)
    assert line_shares("x", Change(CHANGE.hunks, frozenset(), frozenset())).writer is None


def test_a_mean_counts_only_tasks_that_have_the_figure() -> None:
    rows = [LineShares(1.0, 0.5, 1.0, None, 0.5, 100.0), LineShares(0.0, 0.0, 0.0, 1.0, None, 300.0)]

    assert mean_shares(rows) == LineShares(0.5, 0.25, 0.5, 1.0, 0.5, 200.0)
    assert mean_shares([]) is None


@pytest.fixture
def shop(make_repository: MakeRepository) -> Path:
    """A repository whose last commit changes one line, a test and the changelog."""
    code = "def total(price, quantity):\n    return price * quantity\n\n\ndef tax(amount):\n    return amount * 0.19\n"
    test, log = "def test_total():\n    assert total(1, 2) == 2\n", "# Changes\n"
    return make_repository(
        Commit({"src/invoice.py": code, "tests/test_invoice.py": test, "CHANGELOG.md": log}, "feat: invoices"),
        Commit({"NOTES.md": "nothing\n"}, "docs: notes about quantity"),
        Commit(
            {
                "src/invoice.py": code.replace("0.19", "0.2"),
                "tests/test_invoice.py": f"{test}#\n",
                "CHANGELOG.md": f"{log}-\n",
            },
            "fix: the tax on an amount is a fifth",
        ),
    )


def task_of(run_git: RunGit, folder: Path) -> ReplayTask:
    commit, parent = run_git(folder, "rev-parse", "HEAD", "HEAD~1").split()
    changed = frozenset({"src/invoice.py", "tests/test_invoice.py", "CHANGELOG.md"})
    answers = changed - {"CHANGELOG.md"}
    return ReplayTask(commit, parent, "2026-01-01", "`tax` of a quantity", answers, changed)


def test_the_change_of_a_commit_is_read_from_its_parent(shop: Path, run_git: RunGit) -> None:
    task = task_of(run_git, shop)
    run_git(shop, "reset", "-q", "--hard", task.parent)
    indexed(shop)
    with workspace_at(shop) as workspace:
        now = ready(workspace, Run()).snapshot
        change, said = change_of(now, task), three_commands(now, task, 1000)

    assert change is not None
    assert [(one.path, one.lines) for one in change.hunks] == [("src/invoice.py", range(6, 7))]
    assert "return amount * 0.19" in change.hunks[0].telling
    assert change.writers == {run_git(shop, "rev-parse", "HEAD~1").strip()}
    assert change.beside == {"tests/test_invoice.py", "CHANGELOG.md"}
    assert "src/invoice.py:5:def tax(amount):" in said.splitlines()
    assert [line.partition(" ")[2] for line in said.splitlines() if "notes" in line] == ["docs: notes about quantity"]
