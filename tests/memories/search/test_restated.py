"""What one turn of a session says twice is no change."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from support.branch_scenes import Scene, scene_in

from repomem.core.records import Event, MemoryContent, MemoryKind, Origin, Record, Source
from repomem.core.types.text import CleanText
from repomem.core.ulid import new_ulid
from repomem.memories.search.relevant import changed_memories, relevant_memories
from repomem.memories.snapshots.snapshot import memories_now
from repomem.ranking.query import Query
from repomem.workspace.ledger import ledger_of

ASKED = "Give GET and HEAD a second attempt in proxy() after ECONNRESET, all other methods fail at once as today"
DECIDED = "proxy() repeats GET and HEAD once after ECONNRESET, every other method fails at once"
CHANGED = "proxy() no longer repeats GET and HEAD after ECONNRESET, every method fails at once"
REST = ("Labels are blue", "Depots close at noon", "Drivers carry a phone", "Vans are leased")


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with scene_in(tmp_path / "work", {"a.py": "A = 1\n"}) as made:
        yield made


def captured(scene: Scene, text: str, turn: int = 1) -> None:
    """Write what was captured from a turn of a session."""
    at = f"2027-01-15T08:0{turn}:00Z"
    origin = Origin(at, "claude-code", Source.TRANSCRIPT, "claude-code", scene.head, "main", session="s")
    said = MemoryContent(MemoryKind.DECISION, CleanText(text))

    def make(before: Sequence[Record]) -> list[Record]:
        return [Record(new_ulid(before[-1].id if before else ""), Event.REMEMBER, origin, said=said)]

    ledger_of(scene.workspace).append(make)


@pytest.mark.parametrize(("text", "turn", "count"), [(DECIDED, 1, 0), (CHANGED, 1, 1), (DECIDED, 2, 1)])
def test_the_same_turn_changes_what_it_said_only_in_words_of_change(
    scene: Scene, text: str, turn: int, count: int
) -> None:
    for other in REST:
        scene.say(other)
    captured(scene, ASKED)
    captured(scene, text, turn)
    known = memories_now(scene.workspace)
    assert len(changed_memories(scene.workspace, known)) == count


def test_nor_in_an_answer_to_a_task_in_the_same_words(scene: Scene) -> None:
    for other in REST:
        scene.say(other)
    captured(scene, ASKED)
    captured(scene, DECIDED)
    known = memories_now(scene.workspace)
    asked = Query("repeat GET after ECONNRESET in proxy()")
    found = relevant_memories(scene.workspace, known, list(known.states), asked)
    assert found.later == {}
