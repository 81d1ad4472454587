"""How the benchmark of commands judges what is shown."""

import tomllib

from benchmarks.commands import ANSWERS, FACTS, judged


def test_a_shown_command_is_right_or_wrong_and_a_known_fact_without_one_is_missing() -> None:
    answer = {
        "repository": "a/b",
        "split": "held",
        "test": ["make test"],
        "lint": ["ruff"],
        "maybe": {"build": ["make"]},
    }
    shown = {"test": ["make test", "tox"], "format": ["black"], "build": ["make"]}
    rows = [(row["fact"], row["verdict"], row["command"]) for row in judged(answer, shown)]
    assert rows == [
        ("test", "right", "make test"),
        ("test", "wrong", "tox"),
        ("build", "right", "make"),
        ("lint", "missing", ""),
        ("format", "wrong", "black"),
    ]


def test_the_answers_are_of_thirty_six_repositories_ten_of_them_held_back() -> None:
    answers = tomllib.loads(ANSWERS.read_text(encoding="utf-8"))["repositories"]
    assert [sum(answer["split"] == split for answer in answers) for split in ("develop", "held")] == [26, 10]
    assert {key for answer in answers for key in answer} <= {*FACTS, "maybe", "repository", "commit", "split"}
