"""What a process that lives on need not read again."""

from repomem.workspace.memo import Held


def test_a_value_is_read_once_from_one_source_and_again_from_another() -> None:
    held = Held()
    reads: list[int] = []

    def read() -> int:
        reads.append(len(reads))
        return len(reads)

    assert [held.of("tree", source, read) for source in ("a", "a", "b", "a")] == [1, 1, 2, 3]


def test_values_of_two_sorts_stand_beside_each_other() -> None:
    held = Held()
    assert (held.of("tree", 1, lambda: "oak"), held.of("view", 1, lambda: "sea")) == ("oak", "sea")
    assert (held.of("tree", 1, lambda: "elm"), held.of("view", 1, lambda: "lake")) == ("oak", "sea")


def test_what_is_taken_is_not_held_any_longer() -> None:
    held = Held()
    held.of("nearest", "question", lambda: "answer")
    assert [held.taken("nearest", "question") for _ in range(2)] == ["answer", None]


def test_what_was_read_from_another_source_is_not_given() -> None:
    held = Held()
    held.of("nearest", "question", lambda: "answer")
    assert held.taken("nearest", "another") is None
