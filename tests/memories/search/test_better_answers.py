"""Which later memory comes before an earlier one that matches the task better."""

import pytest

from repomem.memories.search.replacements import (
    LEAST_SHARE,
    LEAST_SHARE_FOR_MARK,
    PERHAPS_SAME_KIND,
    ComparedPair,
    ReplacementEvidence,
    better_answers,
    changed_for_task,
    likely_changed,
    states_change,
)

ON_ONE_SUBJECT = ReplacementEvidence(0.7, 0.2, 0.2, 0.3, 1.0, 0.0)
ON_ANOTHER = ReplacementEvidence(0.2, -0.2, -0.2, 0.0, 0.0, 0.0)


def test_a_later_memory_on_the_same_subject_comes_first_if_it_matches_nearly_as_well() -> None:
    pair = ComparedPair("a", "b", ON_ONE_SUBJECT)
    assert better_answers([pair], {"a": 4.0, "b": 3.6}) == {"a": "b"}


def test_one_that_matches_much_less_stays_behind() -> None:
    pair = ComparedPair("a", "b", ON_ONE_SUBJECT)
    assert better_answers([pair], {"a": 4.0, "b": 3.9 * LEAST_SHARE}) == {}
    assert better_answers([pair], {"a": 4.0, "b": 2.4}) == {}  # likely by its other evidence
    assert better_answers([pair], {"a": 4.0}) == {}


def test_one_on_another_subject_stays_behind_however_well_it_matches() -> None:
    assert better_answers([ComparedPair("a", "b", ON_ANOTHER)], {"a": 4.0, "b": 3.99}) == {}


def test_of_several_the_likeliest_comes_first() -> None:
    pairs = [ComparedPair("a", "b", ON_ONE_SUBJECT), ComparedPair("a", "c", ON_ONE_SUBJECT._replace(cosine=0.9))]
    assert better_answers(pairs, {"a": 4.0, "b": 3.6, "c": 3.6}) == {"a": "c"}


def test_memories_that_do_not_match_are_in_no_order() -> None:
    assert better_answers([ComparedPair("a", "b", ON_ONE_SUBJECT)], {"a": 0.0, "b": 0.0}) == {}


def test_a_fact_by_default_comes_first_only_if_it_would_as_a_memory_of_another_kind() -> None:
    near = ON_ONE_SUBJECT._replace(lead_with_later=0.02, repeated=0.16)
    for kind, is_first in ((1.0, True), (PERHAPS_SAME_KIND, False), (0.0, False)):
        pair = ComparedPair("a", "b", near._replace(is_same_kind=kind))
        assert bool(better_answers([pair], {"a": 4.0, "b": 3.0})) is is_first


def test_a_stated_change_needs_less_evidence_if_both_match_the_task() -> None:
    weak = ReplacementEvidence(0.44, 0.09, 0.09, 0.07, 0.8, 0.58)
    pair = ComparedPair("a", "b", weak)
    assert likely_changed([pair]) == {}
    assert changed_for_task([pair], {"a": 4.0, "b": 2.0}, LEAST_SHARE_FOR_MARK) == {"a": "b"}
    assert changed_for_task([pair], {"a": 4.0, "b": 1.0}, LEAST_SHARE_FOR_MARK) == {}
    assert changed_for_task([pair], {"a": 4.0, "b": 2.0}, LEAST_SHARE) == {}
    unstated = ComparedPair("a", "b", weak._replace(is_stated=0.0))
    assert changed_for_task([unstated], {"a": 4.0, "b": 3.9}, LEAST_SHARE_FOR_MARK) == {}


@pytest.mark.parametrize(
    ("text", "is_change"),
    [
        ("only the latest toolchain from here on", True),
        ("no more containers of unreleased builds", True),
        ("no more than five retries", False),
        ("gave in: q leaves the document", True),
        ("the old engine is out of CI", True),
        ("Beträge wandeln wir ab jetzt beim Einlesen um", True),
        ("releases go out on Thursdays", False),
    ],
)
def test_what_states_a_change(text: str, is_change: bool) -> None:
    assert states_change(text) is is_change
