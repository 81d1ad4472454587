"""Commits as tasks, and the measures of a ranking, checked by hand."""

from repomem.core.types.commits import FileChange, LogRecord
from repomem.evaluate.tasks import mean_of, measured, question_of, recall_at, reciprocal_rank, tasks_in, variants
from repomem.ranking.signals import RECALL


def commit(name: str, message: str, *paths: str, parents: tuple[str, ...] = ("p",), status: str = "M") -> LogRecord:
    files = tuple(FileChange(status, path) for path in paths)
    return LogRecord(name, parents, "A", "2026-01-31", 0, message, files)


def test_a_question_has_no_reference_to_its_answer() -> None:
    message = "Retry on timeout (#12)\n\nSee https://example.org/1 and deadbeef12.\n\nSigned-off-by: A <a@example.org>"
    assert question_of(message).split() == ["Retry", "on", "timeout", "See", "and", "."]


def test_tasks_are_the_newest_qualifying_commits_oldest_first() -> None:
    says_enough = "retry the request on timeout"
    newest_first = [
        commit("docs", says_enough, "README.md"),
        commit("new", says_enough, "a.py", "README.md"),
        commit("added", says_enough, "c.py", status="A"),
        commit("merge", says_enough, "a.py", parents=("p", "q")),
        commit("first", says_enough, "a.py", parents=()),
        commit("silent", "wip", "a.py"),
        commit("sweep", says_enough, *(f"{n}.py" for n in range(6))),
        commit("old", says_enough, "b.py"),
        commit("older", says_enough, "b.py"),
    ]
    tasks = tasks_in({record.commit: record for record in newest_first}, 2)
    assert [task.commit for task in tasks] == ["old", "new"]
    assert tasks[1].answers == {"a.py"}
    assert tasks[1].changed == {"a.py", "README.md"}


def test_recall_counts_the_answers_within_the_depth() -> None:
    ranking = ["a", "x", "b", "c"]
    assert recall_at(2, ranking, {"a", "b"}) == 0.5
    assert recall_at(3, ranking, {"a", "b"}) == 1.0


def test_reciprocal_rank_is_that_of_the_first_answer() -> None:
    assert reciprocal_rank(["x", "a", "b"], {"a", "b"}) == 0.5
    assert reciprocal_rank(["x"], {"a"}) == 0.0


def test_measures_know_recall_at_every_depth() -> None:
    found = measured(["x", "a", "y", "b"], {"a", "b"})
    assert [found.at(depth) for depth in (1, 2, 3, 4, 20)] == [0.0, 0.5, 0.5, 1.0, 1.0]
    assert found.rr == 0.5


def test_the_mean_of_measures_is_that_of_each_depth() -> None:
    mean = mean_of([measured(["a"], {"a"}), measured(["x", "a"], {"a"})])
    assert (mean.at(1), mean.at(2), mean.rr) == (0.5, 1.0, 0.75)


def test_each_variant_lacks_one_signal_or_role() -> None:
    found = variants(RECALL)
    assert found["all"] == RECALL
    assert len(found) == 1 + len(RECALL.signals) + len(RECALL.roles)
    assert "words" not in found["without words"].signals
