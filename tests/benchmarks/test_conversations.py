"""The conversations of the memory benchmark are well formed, and how they are scored."""

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.memory.conversation_scores import (
    BUDGETS,
    SPEAKERS,
    answers_of,
    baseline_answers,
    printed,
    ranked,
    remembered,
)
from benchmarks.memory.conversations import Conversation, Question, Turn, conversations

SETS = conversations()
TYPES = {"single": 20, "multi": 10, "time": 8, "open": 7, "none": 6}
LONG = {"harbour": {"single": 35, "multi": 18, "time": 15, "open": 12, "none": 8}}


@pytest.fixture(params=SETS, ids=lambda one: one.name)
def conversation(request: pytest.FixtureRequest) -> Conversation:
    assert isinstance(request.param, Conversation)
    return request.param


def test_no_conversation_is_held_back_any_more() -> None:
    assert [one.name for one in SETS if one.split == "dev"] == ["birds", "friends", "harbour", "payments"]


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
    assert 9 <= len(of_session) <= 18
    assert all(18 <= count <= 26 for count in of_session.values())
    assert all(8 <= len(turn.text.split()) <= 60 for turn in conversation.turns)
    assert len({turn.speaker for turn in conversation.turns}) == 2


def test_no_turn_is_said_twice(conversation: Conversation) -> None:
    texts = [turn.text for turn in conversation.turns]
    assert len(set(texts)) == len(texts)


def test_there_are_as_many_questions_of_each_type_as_promised(conversation: Conversation) -> None:
    assert Counter(question.type for question in conversation.questions) == LONG.get(conversation.name, TYPES)
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


def test_what_a_brief_prints_is_counted_once_whatever_its_markup() -> None:
    turns = [_turn(1, "Ana", "The *red* bike is in the shed."), _turn(2, "Ben", "The red bike is in the shed now.")]
    assert printed("- decision: Ana: the red  bike\n  is in the shed; source", turns) == ["s1:t1"]
    assert printed("- the red bike is in the …", turns) == []


@pytest.mark.parametrize("who", SPEAKERS)
def test_a_small_conversation_is_remembered_asked_and_scored(tmp_path: Path, who: str) -> None:
    small = Conversation(
        "small",
        "dev",
        (
            _turn(1, "Ana", "Where did you leave my red bicycle after the picnic?"),
            _turn(2, "Ben", "In the shed behind the bakery, the key hangs at home."),
            _turn(3, "Ana", "Good, then I can ride to the dentist on Thursday."),
            _turn(4, "Ben", "Did your sister sell her violin to the neighbour?"),
            _turn(5, "Ana", "She kept it, the neighbour had offered only fifty euros."),
            _turn(6, "Ben", "That is a shame, it was such a lovely violin."),
        ),
        (Question("Where did Ben leave the red bicycle after the picnic?", "single", ("s1:t1", "s1:t2")),),
    )
    with remembered(small, tmp_path, SPEAKERS[who]) as ledger:
        assert list(ledger.turns.values()) == list(small.turns)
        assert ranked(ledger, small.questions[0].text)[0] == "s1:t1"
        answers = {each.budget: each for each in answers_of(small, ledger, who)}
    baseline = [each for each in baseline_answers(small) if each.budget == 1_000]
    assert set(answers) == {0, *BUDGETS}
    assert all(each.found >= 0.5 for each in answers.values())
    assert all(each.tokens <= each.budget for each in answers.values() if each.budget)
    assert [each.method for each in baseline] == ["BM25", "vectors", "BM25 + vectors"]
    assert all(each.found == 1.0 for each in baseline)  # the budget holds all six


def _turn(number: int, speaker: str, text: str) -> Turn:
    return Turn(f"s1:t{number}", "2025-01-03T10:00", speaker, text)
