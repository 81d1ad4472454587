"""What the subject of a commit says about its kind."""

import pytest

from repomem.history.messages import follows_linter, restructures


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("Fix CA1068 warnings (#2182)", True),
        ("Bump SonarAnalyzer.CSharp from 9.20.0 to 9.25.1", True),
        ("Update eslint to v9", True),
        ("Use golangci-lint (#1044)", True),
        ("Resolve golint issues that are not related to comments", True),
        ("chore: delint ioutil usage", True),
        ("chore: fmt & lint issues", True),
        ("Fix mypy", True),
        ("Bump phpstan to level 8", True),
        ("103 RuboCop fixes", True),
        ("Fix a bunch of warnings in the tests, refs #541", True),
        ("Remove warnings on Elixir v1.7", True),
        ("Pre commit update (#6498)", True),
        ("[pre-commit.ci] pre-commit autoupdate", True),
        ("Fix warnings.warn being called twice", False),
        ("Fix the eslint plugin", False),
        ("Update license copyright to 2018", False),
        ("Bump lodash from 4 to 5", False),  # code may have to follow
        ("Fix error HTTP1234", False),
        ("Update the analyzer's output", False),
    ],
)
def test_what_a_linter_or_its_update_asked_for_is_known_by_the_subject(subject: str, *, expected: bool) -> None:
    assert follows_linter(subject) is expected


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("Re-wrote the middleware compress library.", True),
        ("parser: rework how quotes are read", True),
        ("Reimplement the pool with one lock", True),
        ("Read quotes with care", False),
    ],
)
def test_a_rewrite_is_known_by_the_subject(subject: str, *, expected: bool) -> None:
    assert restructures(subject) is expected
