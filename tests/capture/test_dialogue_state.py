"""Which statements of a session are still valid."""

from repomem.capture.dialogue_state import DialogueState, Stated
from repomem.core.records import MemoryKind


def decision(key: str, text: str, *rejected: str) -> Stated:
    return Stated(key, "", MemoryKind.DECISION, text, rejected=rejected)


def test_a_statement_drops_what_it_rejects_only_of_earlier_turns() -> None:
    found = {}
    for turn in (0, 1):
        state = DialogueState()
        state.take(decision("a", "Requests fetches the tiles"), 0)
        state.take(decision("b", "Httpx fetches the labels", "requests"), turn)
        found[turn] = [one.key for one in state.valid([(), ()])]
    assert found == {0: ["a", "b"], 1: ["b"]}


def unsure(key: str, text: str, *, is_persons: bool = True) -> Stated:
    return Stated(key, "", MemoryKind.FACT, text, is_persons=is_persons, is_sure=False)


def keys(state: DialogueState) -> tuple[list[str], list[str]]:
    return [one.key for one in state.valid([()] * 9)], [one.stated.key for one in state.unsure]


def test_an_unsure_statement_drops_nothing_and_a_sure_one_takes_its_place() -> None:
    state = DialogueState()
    state.take(decision("a", "Requests fetches the tiles"), 0)
    state.take(unsure("b", "requests fetches all the tiles"), 1)
    state.take(unsure("c", "labels are 62 mm wide"), 1)
    assert keys(state) == (["a"], ["c"])
    state.take(decision("d", "Labels are 62 mm wide"), 2)
    assert keys(state) == (["a", "d"], [])


def test_what_a_person_rejects_is_no_unsure_statement_either() -> None:
    state = DialogueState()
    state.take(unsure("a", "the proxy drops long headers", is_persons=False), 1)
    state.take(unsure("b", "labels are 62 mm wide"), 1)
    state.drop_turn(1, "no")
    assert keys(state) == ([], ["b"])
    state.take_back("scrap the labels of 62 mm", 2, is_sure=True, is_named=True)
    assert keys(state) == ([], [])
