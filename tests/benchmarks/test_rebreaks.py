"""Which commits the benchmark of `check` counts as rebreaks, and that its page has its figures."""

import json
from pathlib import Path

from support.repositories import Commit, MakeRepository, RunGit

from benchmarks import results
from benchmarks.check import windows
from benchmarks.rebreaks import Rebreak, rebreaks_in

LOOSE = "def total(entries):\n    if entries.count > 0:\n        return sum_of(entries)\n"
STRICT = "def total(entries):\n    assert_known(entries)\n"


def test_lines_that_two_fixes_removed_are_a_rebreak(make_repository: MakeRepository, run_git: RunGit) -> None:
    folder = make_repository(
        Commit({"a.py": LOOSE, "test_a.py": LOOSE}, "feat: totals"),
        Commit({"a.py": STRICT, "test_a.py": STRICT}, "fix: a total of nothing"),
        Commit({"a.py": LOOSE, "test_a.py": LOOSE}, "feat: tidy up"),
        Commit({"a.py": STRICT, "test_a.py": STRICT}, "fix: a total of nothing, again"),
    )
    again, by, fix, _ = run_git(folder, "rev-list", "HEAD").split()
    assert rebreaks_in(folder, "HEAD") == [Rebreak(fix, by, again, ("a.py",), 2)]


def test_lines_that_a_feature_removes_are_not_a_rebreak(make_repository: MakeRepository) -> None:
    texts = (LOOSE, STRICT, LOOSE, STRICT)
    messages = ("feat: totals", "fix: a total of nothing", "feat: tidy up", "feat: rewrite")
    folder = make_repository(*(Commit({"a.py": text}, said) for text, said in zip(texts, messages, strict=True)))
    assert rebreaks_in(folder, "HEAD") == []


def test_the_figures_of_check_are_those_of_the_results() -> None:
    found = json.loads((results.RESULTS / "check.json").read_text(encoding="utf-8"))
    page = Path(results.__file__).with_name("README.md").read_text(encoding="utf-8")
    assert results.table(("",), windows(found)).split("\n", 2)[2] in page
