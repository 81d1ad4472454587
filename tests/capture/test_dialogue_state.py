"""Which statements of a session are still valid."""

from dataclasses import replace

import pytest

from repomem.capture.dialogue_state import DialogueState, Stated
from repomem.core.records import MemoryKind


def decision(key: str, text: str, *rejected: str) -> Stated:
    return Stated(key, "", MemoryKind.DECISION, text, rejected=rejected)


def test_a_rejected_alternative_drops_statements_of_earlier_turns_only() -> None:
    found = {}
    for turn in (0, 1):
        state = DialogueState()
        state.take(decision("a", "Requests fetches the tiles"), 0)
        state.take(decision("b", "Httpx fetches the labels", "requests"), turn)
        found[turn] = [one.key for one in state.valid([(), ()])]
    assert found == {0: ["a", "b"], 1: ["b"]}


def test_an_agent_that_only_acknowledges_a_rule_adds_none() -> None:
    state = DialogueState()
    state.take(decision("a", "Releases are cut from the release branch, goreleaser on main breaks the tap"), 1)
    state.take(decision("b", "Noted: releases only from the release branch"), 1)
    assert keys(state) == (["a"], [])


def unsure(key: str, text: str, *, is_persons: bool = True) -> Stated:
    return Stated(key, "", MemoryKind.FACT, text, is_persons=is_persons, is_sure=False)


def keys(state: DialogueState) -> tuple[list[str], list[str]]:
    return [one.key for one in state.valid([()] * 9)], [one.stated.key for one in state.unsure]


def test_an_unsure_statement_drops_nothing_and_a_sure_one_replaces_it() -> None:
    state = DialogueState()
    state.take(decision("a", "Requests fetches the tiles"), 0)
    state.take(unsure("b", "requests fetches all the tiles"), 1)
    state.take(unsure("c", "labels are 62 mm wide"), 1)
    assert keys(state) == (["a"], ["c"])
    state.take(decision("d", "Labels are 62 mm wide"), 2)
    assert keys(state) == (["a", "d"], [])


def test_a_refusal_drops_the_agents_decisions_but_not_its_findings() -> None:
    state = DialogueState()
    state.take(unsure("a", "the proxy drops long headers", is_persons=False), 1)
    state.take(replace(decision("b", "Headers are cut at 4 kB"), is_persons=False), 1)
    state.take(replace(decision("c", "The proxy runs on arm"), is_persons=True), 1)
    state.drop_decisions(1, "no")
    assert keys(state) == (["c"], ["a"])
    state.forget_turn(1)
    assert keys(state) == (["c"], [])


def persons(*texts: str) -> DialogueState:
    state = DialogueState()
    for turn, text in enumerate(texts):
        state.take(Stated(text, "", MemoryKind.DECISION, text, is_persons=True), turn)
    return state


@pytest.mark.parametrize(
    ("sentence", "is_sure", "left"),
    [
        ("scrap the labels of 62 mm", True, ["Tiles come from the proxy"]),
        ("no labels, they peel off", False, ["Tiles come from the proxy"]),
        ("Without the proxy it takes two hours longer in the depot", False, None),  # about something else
        ("forget the depot, nobody drives there", True, ["Labels are 62 mm wide"]),  # names none: the last one
        ("scrap that", True, ["Labels are 62 mm wide"]),
        ("hm, wait", False, None),
    ],
)
def test_a_retraction_drops_what_it_names(sentence: str, is_sure: bool, left: list[str] | None) -> None:
    texts = ["Labels are 62 mm wide", "Tiles come from the proxy"]
    state = persons(*texts)
    state.take_back(sentence, 2, is_sure=is_sure)
    assert keys(state)[0] == (texts if left is None else left)


def test_scrap_that_drops_a_decision_only_right_after_it() -> None:
    state = persons("Labels are 62 mm wide")
    state.take_back("scrap that", 5, is_sure=True)
    assert keys(state)[0] == ["Labels are 62 mm wide"]


@pytest.mark.parametrize(
    ("earlier", "rejected"),
    [
        ("Paused orders keep their labels, since the depot prints from the queue by hand at night", "labels"),
        ("Labels are printed twice", "labels on foil"),
    ],
    ids=["one word of many", "another thing of the same name"],
)
def test_a_rejected_alternative_drops_only_a_statement_that_is_about_it(earlier: str, rejected: str) -> None:
    state = persons(earlier)
    state.take(decision("b", "Send one mail", rejected), 1)
    assert len(state.active) == 2


def test_a_retraction_also_drops_unsure_statements() -> None:
    state = DialogueState()
    state.take(unsure("b", "labels are 62 mm wide"), 1)
    state.take_back("scrap the labels of 62 mm", 2, is_sure=True)
    assert keys(state) == ([], [])
