"""The baseline rankings, compared with rankings made by hand."""

from repomem.evaluate.baselines import (  # fmt: skip
    EarlierCommit,
    baselines,
    by_edits,
    by_log,
    by_votes,
    by_words,
    document,
    file_document,
    fused,
    matching_commits,
)


def earlier(name: str, message: str, *paths: str) -> EarlierCommit:
    return EarlierCommit(document(name, message), paths, len(paths))


def test_word_search_finds_parts_of_identifiers_and_paths() -> None:
    files = [file_document("a.py", "def retry_request(): pass"), file_document("timeout.py", "x = 1")]
    assert by_words("retry", files) == ["a.py"]
    assert by_words("timeout", files) == ["timeout.py"]


def test_words_outside_the_question_count_only_in_the_length() -> None:
    texts = {"a.py": "retry the request", "b.py": "retry", "c.py": "nothing"}
    whole = [file_document(path, text) for path, text in texts.items()]
    asked = [file_document(path, text, {"retry"}) for path, text in texts.items()]
    assert [one.counts for one in asked] == [{"retry": 1}, {"retry": 1}, {}]
    assert by_words("retry", asked) == by_words("retry", whole) == ["b.py", "a.py"]


def test_matching_commits_come_best_first() -> None:
    commits = [earlier("1", "unrelated"), earlier("2", "retry on timeout"), earlier("3", "retry")]
    assert [one.message.name for one in matching_commits("retry timeout", commits)] == ["2", "3"]


def test_a_commit_of_few_files_has_a_stronger_vote() -> None:
    commits = [earlier("1", "retry on timeout", "a.py"), earlier("2", "retry on timeout", "b.py", "c.py")]
    assert by_votes(commits) == ["a.py", "b.py", "c.py"]


def test_a_search_of_the_log_lists_the_files_of_the_best_commit_first() -> None:
    assert by_log([earlier("1", "", "c.py", "a.py"), earlier("2", "", "a.py", "b.py")]) == ["c.py", "a.py", "b.py"]


def test_the_files_edited_most_come_first_whatever_is_asked() -> None:
    assert by_edits([earlier("1", "", "b.py"), earlier("2", "", "a.py", "b.py")]) == ["b.py", "a.py"]


def test_fusion_prefers_what_both_rankings_have() -> None:
    assert fused(["a", "b"], ["c", "b"]) == ["b", "a", "c"]


def test_no_baseline_names_a_removed_file() -> None:
    files = [file_document("a.py", "retry"), file_document("b.py", "other")]
    found = baselines("retry", files, [earlier("1", "retry", "gone.py", "b.py")])
    assert found == {
        "words and history": ["a.py", "b.py"],
        "words": ["a.py"],
        "history": ["b.py"],
        "git log": ["b.py"],
        "most edited": ["b.py"],
    }
