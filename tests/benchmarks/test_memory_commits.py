"""Decisions told by commits: what the set promises, the repository made of it, and what counts as found."""

from pathlib import Path

from benchmarks.inputs import git
from benchmarks.memory.ask_commits import BUDGETS, History, Told, built, found, histories, judged, rows
from repomem.core.types.brief import Brief, BriefItem, Gate, RepositoryState

COMMIT = "0123456789" * 4
BODY = "The table is shorter. {why} Tests follow."
WHY = "The bank's sandbox answers only twice in a row without a pause of a minute."
DECIDED = Told("pay.py", "Retry payments twice", "RETRIES = 2", BODY, WHY, "how often do we retry payments")


def test_each_history_has_26_decisions_with_one_reason_each_among_60_ordinary_commits() -> None:
    for told in histories():
        assert (len(told.decisions), len(told.commits)) == (26, 86)
        assert [one.subject for one in told.decisions if one.body.count("{why}") != 1 or not one.rationale] == []


def test_decisions_stand_between_ordinary_commits() -> None:
    for told in histories():
        kinds = "".join("d" if one.question else "o" for one in told.commits)
        assert "dd" not in kinds


def test_the_repository_has_the_commits_in_their_order_with_their_bodies(tmp_path: Path) -> None:
    commits = built(History("x", "dev", [Told("pay.py", "Add payments", "import time"), DECIDED]), tmp_path / "x")
    assert git(tmp_path / "x", "log", "--format=%s").split("\n")[:2] == ["Retry payments twice", "Add payments"]
    last = list(commits)[-1]
    assert WHY in " ".join(git(tmp_path / "x", "show", "-s", "--format=%b", last).split())
    assert (tmp_path / "x/pay.py").read_text(encoding="utf-8") == "import time\n\nRETRIES = 2\n"


def test_a_wrapped_and_escaped_reason_counts_as_printed() -> None:
    wrapped = WHY.replace(" answers ", "\n  answers ").replace("'", "\\'")
    brief = _brief(f"- 0123456: {wrapped}", BriefItem("episode", commit=COMMIT))
    assert judged(DECIDED, COMMIT, dict.fromkeys(BUDGETS, brief), 1).reasons[300]


def test_a_commit_behind_another_decision_is_there_but_not_first() -> None:
    brief = _brief("- 0123456: twice", BriefItem("file"), BriefItem("rule"), BriefItem("episode", commit=COMMIT))
    answer = judged(DECIDED, COMMIT, dict.fromkeys(BUDGETS, brief), 1)
    assert (answer.is_first, answer.within[300], answer.reasons[300]) == (False, True, False)


def test_a_commit_before_all_that_was_written_is_first_even_after_files() -> None:
    brief = _brief("- 0123456: twice", BriefItem("file"), BriefItem("episode", commit=COMMIT[:8]), BriefItem("rule"))
    assert judged(DECIDED, COMMIT, dict.fromkeys(BUDGETS, brief), 1).is_first


def test_decisions_are_asked_in_a_real_repository_beside_word_search(tmp_path: Path) -> None:
    told = History("x", "dev", [Told("pay.py", "Add payments", "import time"), DECIDED])
    answers = found(told, tmp_path / "x")
    assert [one.rank for one in answers] == [1]
    assert answers[0].within[1_000]
    assert [row[:3] for row in rows(told, answers)] == [("x", "dev", 1), ("… words", "dev", 1)]


def _brief(markdown: str, *items: BriefItem) -> Brief:
    state = RepositoryState("x", "1", COMMIT, "main", is_dirty=False)
    return Brief(state, "how often", 300, 10, Gate("use", "words"), items, (), markdown)
