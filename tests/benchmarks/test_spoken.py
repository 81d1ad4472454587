"""What capture keeps of sessions whose writers had not seen it, and how that is counted."""

import pytest

from benchmarks.spoken import Figures, held_back, of_writer
from repomem.capture.dialogue_state import Stated
from repomem.capture.session_findings import Captured
from repomem.core.records import MemoryKind

LABELS = {
    "statement": [
        {"phrase": "keep the seq field, timestamps bit us twice", "kind": "decision", "by": "person"},
        {"phrase": "the docs still mention the old flag", "kind": "open end", "by": "agent"},
    ],
    "lookalikes": {"plan": ["I'll always write to the temp dir first"]},
    "neutral": ["the queue has three workers for now"],
}


def stated(*texts: str) -> Captured:
    return Captured(
        stated=tuple(Stated(f"a{at}#0:found", "", MemoryKind.DECISION, text) for at, text in enumerate(texts))
    )


def counted(*texts: str) -> Figures:
    figures = Figures()
    figures.add(stated(*texts), LABELS, "1")
    return figures


@pytest.mark.slow
def test_of_writers_who_are_held_back_more_than_half_is_kept_and_nine_of_ten_of_that_are_right() -> None:
    every = [of_writer(writer) for writer in held_back()]
    right, kept, found, labelled = (
        [getattr(each, name).total() for each in every] for name in ("right", "kept", "found", "labelled")
    )
    assert sum(right) >= 0.9 * sum(kept)
    assert sum(found) >= 0.6 * sum(labelled)
    assert all(one >= 0.8 * of for one, of in zip(right, kept, strict=True))
    assert all(one >= 0.4 * of for one, of in zip(found, labelled, strict=True))


def test_a_statement_is_found_by_its_phrase_or_most_of_its_words() -> None:
    assert counted("Keep the `seq` field, timestamps bit us twice").found == {"person": 1, "agent": 0}
    assert counted("the old flag is what the docs still mention").found == {"person": 0, "agent": 1}
    assert counted("timestamps are integers").found == {"person": 0, "agent": 0}


def test_what_could_go_either_way_is_neither_right_nor_wrong() -> None:
    assert counted("the queue has three workers for now").kept.total() == 0


def test_what_no_label_says_is_wrong_and_may_be_a_look_alike() -> None:
    figures = counted("I'll always write to the temp dir first", "something else altogether", "keep the seq field")

    assert (figures.kept.total(), figures.right.total(), figures.lookalikes, figures.kinds) == (3, 1, 1, 1)
    assert [line.partition(": ")[2] for line in figures.wrong] == [
        "I'll always write to the temp dir first",
        "something else altogether",
    ]
