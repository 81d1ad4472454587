"""Commits as tasks, and the baselines that recall is compared with."""

from benchmarks.baselines import by_votes, by_words, file_document, fused
from benchmarks.commits import question_of, tasks_in
from repomem.core.types import FileChange, LogRecord


def commit(name: str, message: str, *paths: str, parents: tuple[str, ...] = ("p",)) -> LogRecord:
    files = tuple(FileChange("M", path) for path in paths)
    return LogRecord(name, parents, "A", "2026-01-31", 0, message, files)


def test_a_question_keeps_no_pointer_to_its_answer() -> None:
    message = "Retry on timeout (#12)\n\nSee https://example.org/1 and deadbeef12.\n\nSigned-off-by: A <a@example.org>"
    assert question_of(message).split() == ["Retry", "on", "timeout", "See", "and", "."]


def test_tasks_are_the_newest_commits_that_foretell_code_oldest_first() -> None:
    says_enough = "retry the request on timeout"
    newest_first = [
        commit("docs", says_enough, "README.md"),
        commit("new", says_enough, "a.py", "README.md"),
        commit("merge", says_enough, "a.py", parents=("p", "q")),
        commit("silent", "wip", "a.py"),
        commit("sweep", says_enough, *(f"{n}.py" for n in range(6))),
        commit("old", says_enough, "b.py"),
        commit("older", says_enough, "b.py"),
    ]
    tasks = tasks_in({record.commit: record for record in newest_first}, 2)
    assert [task.commit for task in tasks] == ["old", "new"]
    assert tasks[1].answers == {"a.py"}
    assert tasks[1].changed == {"a.py", "README.md"}


def test_word_search_finds_parts_of_identifiers_and_paths() -> None:
    files = [file_document("a.py", "def retry_request(): pass"), file_document("timeout.py", "x = 1")]
    assert by_words("retry", files) == ["a.py"]
    assert by_words("timeout", files) == ["timeout.py"]


def test_a_commit_of_few_files_votes_harder() -> None:
    earlier = [commit("1", "retry on timeout", "a.py"), commit("2", "retry on timeout", "b.py", "c.py")]
    assert by_votes("retry", earlier, {}) == ["a.py", "b.py", "c.py"]


def test_fusion_prefers_what_both_rankings_have() -> None:
    assert fused(["a", "b"], ["c", "b"]) == ["b", "a", "c"]
