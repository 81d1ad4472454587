"""Choices by a label: what is kept is the option's text, not the letter."""

import pytest

from repomem.adapters.transcripts.steps import Step, StepKind
from repomem.capture.session_findings import captured_from

OFFER = "Options:\nA) a fixed point for everything\nB) our own polynomial in `sim/`\nC) a lookup table"
CHOSEN = "our own polynomial in `sim/` (not: a fixed point for everything; a lookup table)"


def kept(*messages: str) -> list[tuple[str, str]]:
    """What is kept of an agent's message and the replies of the person to it, as text and reason."""
    said, *replies = messages
    steps = [Step("p", StepKind.ASKED, "make it the same on both"), Step("s", StepKind.SAID, said)]
    steps += [Step(f"a{at}", StepKind.ASKED, reply) for at, reply in enumerate(replies)]
    return [(one.text, one.why) for one in captured_from([*steps, Step("e", StepKind.EDITED, "a.c")]).stated]


@pytest.mark.parametrize("reply", ["B", "b.", "ok, B then", "no, B", "lets go with B", "vale, B entonces", "那 B 吧"])
def test_a_letter_is_recorded_as_the_option_that_it_picks(reply: str) -> None:
    assert kept(OFFER, reply) == [(CHOSEN, "")]


def test_the_rest_of_the_reply_is_the_reason() -> None:
    assert kept(OFFER, "no, C fixes ice and next month it is the fire level. B") == [
        (CHOSEN, "no, C fixes ice and next month it is the fire level. B")
    ]


@pytest.mark.parametrize(
    "reply", ["B but only if it stays under 4k", "ok B because ice needs it", "B, aber nur unter 4k", "B weil kürzer"]
)
def test_a_letter_with_a_condition_or_a_reason_is_a_choice(reply: str) -> None:
    assert kept(OFFER, reply) == [(CHOSEN, reply)]


@pytest.mark.parametrize("reply", ["B?", "B breaks on windows", "not B", "A counter would do", "I asked Bo"])
def test_a_letter_within_a_sentence_picks_nothing(reply: str) -> None:
    assert [text for text, _ in kept(OFFER, reply) if "(not:" in text] == []


def test_the_last_choice_among_the_same_options_counts() -> None:
    assert kept(OFFER, "C", "hm", "no, B") == [(CHOSEN, "")]


def test_numbers_are_options_only_where_the_message_asks() -> None:
    steps = "1. read the parser\n2. mend the lexer"

    assert "(not:" not in str(kept(f"What I did:\n{steps}", "2."))
    assert kept(f"{steps}\nWhich first?", "2.") == [("mend the lexer (not: read the parser)", "")]


def test_a_numbered_plan_is_not_a_list_of_options() -> None:
    assert kept("My plan:\n1. read\n2. mend\nWhich one is not needed?", "1.") == []


def test_a_refusal_that_shares_one_word_with_a_choice_does_not_drop_it() -> None:
    assert kept(OFFER, "B", "no lto for sim. period")[0][0] == CHOSEN


def test_a_choice_with_a_rule_in_its_reason_is_kept_once() -> None:
    reply = "B, but every table must stay under 4k"

    assert kept(OFFER, reply) == [(CHOSEN, reply)]


def test_no_before_a_letter_rejects_it() -> None:
    assert kept(OFFER, "no B please") == []


@pytest.mark.parametrize("reply", ["no sleeps in tests. poll with a deadline instead", "no sleeps then, they are slow"])
def test_no_before_a_noun_is_part_of_the_answer(reply: str) -> None:
    offer = "There are eleven sleeps in tests. I could poll instead."

    assert [text for text, _ in kept(offer, reply) if text.startswith("sleeps")] == []
