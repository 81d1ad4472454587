"""Which prompts of a session get an addition."""

import pytest

from repomem.recall.prompt_addition import names_task


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("round the parcel tariff up", True),
        ("round the tariff up", False),
        ("tariff tariff tariff tariff", False),
        ("/review round the parcel tariff up", False),
        ("rename roundUp", True),
        ("now `parcel_tariff` please", True),
    ],
)
def test_four_different_words_or_an_identifier_name_a_task_and_a_command_names_none(
    prompt: str, *, expected: bool
) -> None:
    assert names_task(prompt) is expected
