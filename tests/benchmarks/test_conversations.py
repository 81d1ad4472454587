"""The conversations of the memory benchmark are well formed."""

from collections import Counter

import pytest

from benchmarks.memory.conversations import Conversation, conversations

SETS = conversations()
TYPES = {"single": 20, "multi": 10, "time": 8, "open": 7, "none": 6}


@pytest.fixture(params=SETS, ids=lambda one: one.name)
def conversation(request: pytest.FixtureRequest) -> Conversation:
    assert isinstance(request.param, Conversation)
    return request.param


def test_one_conversation_may_be_tuned_on() -> None:
    assert [one.name for one in SETS if one.split == "dev"] == ["payments"]


def test_turns_are_numbered_in_order_of_time(conversation: Conversation) -> None:
    names = [turn.id for turn in conversation.turns]
    of_session = Counter(turn.session for turn in conversation.turns)
    expected = [f"{session}:t{at}" for session, count in of_session.items() for at in range(1, count + 1)]
    assert names == expected
    assert list(of_session) == [f"s{at}" for at in range(1, len(of_session) + 1)]
    assert [turn.date for turn in conversation.turns] == sorted(turn.date for turn in conversation.turns)
    assert len({turn.date for turn in conversation.turns}) == len(of_session)


def test_sessions_and_turns_have_the_length_of_real_talk(conversation: Conversation) -> None:
    of_session = Counter(turn.session for turn in conversation.turns)
    assert 9 <= len(of_session) <= 12
    assert all(18 <= count <= 26 for count in of_session.values())
    assert all(8 <= len(turn.text.split()) <= 60 for turn in conversation.turns)
    assert len({turn.speaker for turn in conversation.turns}) == 2


def test_no_turn_is_said_twice(conversation: Conversation) -> None:
    texts = [turn.text for turn in conversation.turns]
    assert len(set(texts)) == len(texts)


def test_there_are_as_many_questions_of_each_type_as_promised(conversation: Conversation) -> None:
    assert Counter(question.type for question in conversation.questions) == TYPES
    texts = [question.text for question in conversation.questions]
    assert len(set(texts)) == len(texts)


def test_evidence_exists_and_questions_without_an_answer_have_none(conversation: Conversation) -> None:
    names = {turn.id for turn in conversation.turns}
    for question in conversation.questions:
        assert set(question.evidence) <= names, question.text
        assert len(set(question.evidence)) == len(question.evidence), question.text
        assert bool(question.evidence) == (question.type != "none"), question.text


def test_an_answer_of_several_turns_comes_from_several_sessions(conversation: Conversation) -> None:
    session_of = {turn.id: turn.session for turn in conversation.turns}
    for question in conversation.questions:
        if question.type == "multi":
            assert len({session_of[name] for name in question.evidence}) > 1, question.text
