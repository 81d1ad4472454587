"""Clauses of sentences: their labels."""

import pytest

from repomem.capture.statements.clauses import unlabelled


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Gotcha: locks are not released", "Locks are not released"),
        ("Caveat for Windows: no locks", "For Windows: no locks"),
        ("Decision: proxy() is the only entry point", "proxy() is the only entry point"),
        ("Note: retry_limit counts attempts", "retry_limit counts attempts"),
        ("Gotcha:", "Gotcha:"),
    ],
)
def test_a_statement_loses_its_label_and_code_keeps_its_spelling(text: str, expected: str) -> None:
    assert unlabelled(text) == expected
