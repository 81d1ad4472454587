"""What is used rises: a little, and never above what is more important or more relevant."""

from pathlib import Path

import pytest
from support.memory_scenes import PERSON, said, titles
from support.repositories import Commit, MakeRepository
from support.samples import indexed, recalled, workspace_at

from repomem.core.records import USED, Event, MemoryKind
from repomem.core.types.text import CleanText
from repomem.memories.search.relevant import by_importance, relevant_memories
from repomem.memories.snapshots.snapshot import memories_now
from repomem.ranking.query import Query
from repomem.workspace.ledger import append_records, origin_of, record_draft


@pytest.fixture
def place(make_repository: MakeRepository) -> Path:
    """A small repository."""
    return make_repository(Commit({"src/net.py": "def send(message):\n    return message\n"}, "Send messages"))


def acted_on(folder: Path, name: str, sessions: int) -> None:
    """Let sessions have acted on a memory."""
    with workspace_at(folder) as workspace:
        drafts = [record_draft(Event.ACCESS, name, other=USED, text=CleanText(f"{at}")) for at in range(sessions)]
        append_records(workspace, origin_of(workspace, PERSON), *drafts)


def of_map(folder: Path) -> list[str]:
    with workspace_at(folder) as workspace:
        return list(by_importance(memories_now(workspace).outlines).matches)


def scores(folder: Path, question: str) -> dict[str, float]:
    with workspace_at(folder) as workspace:
        known = memories_now(workspace)
        found = relevant_memories(workspace, known, known.states, Query(question)).matches
        return {name: one.score for name, one in found.items()}


@pytest.mark.parametrize(("sessions", "places"), [(0, 0), (1, 1), (2, 2), (3, 3), (9, 3)])
def test_in_the_map_a_used_memory_comes_as_many_places_earlier_up_to_three(
    place: Path, sessions: int, places: int
) -> None:
    names = [said(place, f"Otter {word} is fed at noon").id for word in ["one", "two", "three", "four", "five", "six"]]
    newest = names[::-1]
    acted_on(place, newest[-1], sessions)

    expected = newest[:-1]
    expected.insert(len(expected) - places, newest[-1])
    assert of_map(place) == expected


def test_use_never_outweighs_importance(place: Path) -> None:
    used, vital = said(place, "Otters are fed", importance=4).id, said(place, "Keys are rotated", importance=5).id
    acted_on(place, used, 9)
    assert of_map(place) == [vital, used]


def test_in_the_map_a_general_rule_comes_first_and_what_is_about_certain_code_last(place: Path) -> None:
    rule = said(place, "Commit messages are English", kind=MemoryKind.RULE, importance=4).id
    general = said(place, "The cache is a file", kind=MemoryKind.DECISION, importance=4).id
    scoped = said(place, "Only sent as JSON", kind=MemoryKind.RULE, importance=4, scope=("src/**",)).id
    assert of_map(place) == [rule, general, scoped]


def test_for_a_task_use_decides_between_equals_and_no_more(place: Path) -> None:
    older = said(place, "Uploads to the northern gateway are retried", kind=MemoryKind.FACT).id
    newer = said(place, "Uploads to the southern gateway are retried", kind=MemoryKind.FACT).id
    best = said(place, "The eastern gateway throttles uploads that are retried", kind=MemoryKind.FACT).id
    question = "why does the eastern gateway throttle uploads that are retried?"
    before = scores(place, question)
    acted_on(place, newer, 9)
    after = scores(place, question)

    assert after[newer] == pytest.approx(before[newer] + 0.24)
    assert (after[older], after[best]) == (before[older], before[best])
    assert next(iter(after)) == best
    assert list(after).index(newer) < list(after).index(older)


def test_a_used_memory_says_so_where_a_brief_explains_itself(place: Path) -> None:
    name = said(place, "Uploads to the northern gateway are retried", kind=MemoryKind.FACT).id
    indexed(place)
    acted_on(place, name, 1)
    brief = recalled(place, "retry uploads to the northern gateway")
    assert titles(brief) == ["Uploads to the northern gateway are retried"]
    assert ["use" in item.why for item in brief.items if item.kind == "fact"] == [True]
