"""What is taken from dialogues: each says all that is to be found in it, so whatever else is found is a trap stored.

They stand in `dialogues.txt`. A line with `?` is there to be found and is not: whoever finds it makes it an `=`. A line
with `%` is a trap that is stored: whoever avoids it removes the line.
"""

from pathlib import Path

import pytest

from benchmarks.spoken import steps_in
from repomem.adapters.transcripts.steps import Step
from repomem.capture.session_findings import Captured, captured_from

DIALOGUES = (Path(__file__).parent / "dialogues.txt").read_text(encoding="utf-8").split("\n----\n")[1:]


def steps_of(dialogue: str) -> list[Step]:
    return list(steps_in(line for line in dialogue.split("\n") if line[:2] not in {"= ", "? ", "% "}))


def expected_in(dialogue: str) -> list[tuple[str, list[str]]]:
    lines = [line[2:].partition(": ") for line in dialogue.split("\n") if line.startswith(("= ", "% "))]
    return [(kind, rest.split(" | ")) for kind, _, rest in lines]


def found_in(captured: Captured) -> list[str]:
    """Each statement and attempt on one line."""
    stated = [f"{one.kind}: {one.text} | {one.why} | {', '.join(one.rejected)}" for one in captured.stated]
    return stated + [note.text for note in captured.notes if note.text.startswith("tried: ")]


@pytest.mark.parametrize("dialogue", DIALOGUES, ids=range(len(DIALOGUES)))
def test_exactly_the_statements_of_a_dialogue_are_found(dialogue: str) -> None:
    found, expected = found_in(captured_from(steps_of(dialogue))), expected_in(dialogue)
    assert len(found) == len(expected), found
    for one, (kind, parts) in zip(found, expected, strict=True):
        assert one.startswith(f"{kind}: "), found
        assert all(part.lower() in one.lower() for part in parts), found
