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
