"""Sentences that nobody means to hold."""

import pytest

from repomem.capture.statements.not_statements import is_not_meant
from repomem.capture.statements.sentences import sentences_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("oh great idea, and let's always log the signing secret right next to it", True),
        ("Oh sure, let's store the passwords in plain text too.", True),
        ("yeah, right. we always deploy on Fridays", True),
        ("great idea, let's always log the order id", False),
        ("oh great, the tests pass", False),
        ("oh right, we always sort by path", False),
    ],
)
def test_a_sarcastic_opening_is_not_a_statement(text: str, *, expected: bool) -> None:
    assert is_not_meant(sentences_of(text, is_prompt=True)[0]) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("you didnt touch parsedatetime, git diff shows only one hunk", True),
        ("no, you forgot the second call", True),
        ("hm you only changed the tests", True),
        ("du hast parsedatetime nicht angefasst", True),
        ("you missed that ids are never reused", False),
        ("you must not touch parsedatetime", False),
        ("du hast nie Schreibrechte auf dem Server", False),
    ],
)
def test_what_the_agent_left_undone_is_not_meant_to_last(text: str, *, expected: bool) -> None:
    assert is_not_meant(sentences_of(text, is_prompt=True)[0]) is expected
