"""Undoing: a restored memory is back in every answer until it is purged, and any order of records gives one state."""

import random
from functools import partial
from pathlib import Path

import pytest
from support.memory_scenes import AGENT, PERSON, forgotten, said, standing, titles
from support.repositories import Commit, MakeRepository
from support.samples import indexed, recalled, workspace_at

from repomem.adapters.ledger.fold import memories_of
from repomem.adapters.ledger.trusted_writers import effective_records
from repomem.core.errors import NotFound, RepomemError
from repomem.core.records import Event, MemoryContent, MemoryKind, Origin, Record, Source, without_undone
from repomem.core.types.text import CleanText
from repomem.items.repository_map import cached_map
from repomem.memories.amend import supersede
from repomem.memories.forget import forget
from repomem.memories.noise import noise_in, reset_noise
from repomem.memories.restore import restore, undo
from repomem.memories.review import close_threads, confirm, reanchor
from repomem.memories.snapshots.snapshot import memories_now
from repomem.workspace.ledger import Speaker, append_records, origin_of, record_draft, records_here, stamp_here
from repomem.workspace.snapshot import snapshot

TEXT = "We retry uploads three times"
CODE = "def retry(times):\n    return [try_once(at, times) for at in range(times)]\n"


@pytest.fixture
def place(make_repository: MakeRepository) -> Path:
    """A small repository."""
    return make_repository(Commit({"src/net.py": CODE}, "Send messages"))


def restored(folder: Path, name: str, speaker: Speaker = PERSON) -> str:
    """Restore a memory."""
    with workspace_at(folder) as workspace:
        return restore(workspace, memories_now(workspace), name, speaker).id


def test_a_restored_memory_is_in_briefs_and_in_the_cached_map_at_once(place: Path) -> None:
    name = said(place, TEXT, kind=MemoryKind.RULE).id
    forgotten(place, name)
    assert titles(recalled(place, "retry uploads")) == []
    indexed(place)
    with workspace_at(place) as workspace:
        now = snapshot(workspace)
        assert now
        assert TEXT not in cached_map(now, 1500, stamp_here(workspace))[1]

    assert restored(place, name[:8]) == name

    assert titles(recalled(place, "retry uploads")) == [TEXT]
    with workspace_at(place) as workspace:
        now = snapshot(workspace)
        assert now
        assert TEXT in cached_map(now, 1500, stamp_here(workspace))[1]


def test_forgotten_memories_are_listed_last_forgotten_first_until_restored_or_purged(place: Path) -> None:
    names = [said(place, text).id for text in (TEXT, "Amounts are integers of cents", "Logs are in UTC")]
    for name in (names[1], names[0], names[2]):
        forgotten(place, name)
    restored(place, names[2])

    def listed() -> list[str]:
        with workspace_at(place) as workspace:
            return [memory.id for memory in memories_now(workspace).forgotten]

    assert listed() == [names[0], names[1]]
    restored(place, names[0])
    assert listed() == [names[1]]
    forgotten(place, names[2], is_purge=True)
    with pytest.raises(NotFound, match="no hidden memory has the id"):
        restored(place, names[2])


def test_forgetting_again_after_a_restore_hides_it_again(place: Path) -> None:
    name = said(place, TEXT).id
    for _ in range(3):
        forgotten(place, name)
        with pytest.raises(NotFound):
            standing(place, name)
        restored(place, name)
        assert standing(place, name).is_shown


def test_a_memory_for_every_repository_is_restored_in_its_own_ledger(place: Path) -> None:
    name = said(place, TEXT, is_mine=True).id
    forgotten(place, name)
    restored(place, name)
    with workspace_at(place) as workspace:
        assert name in memories_now(workspace).mine
        assert all(record.event is not Event.UNDO for record in records_here(workspace))


def test_an_agent_restores_what_an_agent_forgot_and_nothing_else(place: Path) -> None:
    mine, other = said(place, "Agents guess", AGENT).id, said(place, TEXT).id
    forgotten(place, mine, AGENT)
    forgotten(place, other)
    assert restored(place, mine, AGENT) == mine
    with pytest.raises(RepomemError, match="only a person may restore it"):
        restored(place, other, AGENT)


def test_an_action_on_a_forgotten_memory_names_the_way_back(place: Path) -> None:
    name = said(place, TEXT).id
    forgotten(place, name)
    with workspace_at(place) as workspace:
        known = memories_now(workspace)
        short = known.short_id(name)
        with pytest.raises(NotFound, match=f"^{short} was forgotten$") as error:
            known.resolve_id(short)
        assert error.value.hint.startswith(f"repomem restore {short} shows it again")
        with pytest.raises(NotFound, match="no memory has the id 01ZZ"):
            known.resolve_id("01ZZ")
    with pytest.raises(NotFound, match="was forgotten"):
        said(place, "We retry five times", supersedes=(short,))


def test_a_thread_that_is_done_and_archived_is_restored_in_one_step(place: Path) -> None:
    name = said(place, TEXT, kind=MemoryKind.THREAD).id
    with workspace_at(place) as workspace:
        close_threads(workspace, memories_now(workspace), [name], CleanText(""), PERSON)
        append_records(workspace, origin_of(workspace, PERSON), record_draft(Event.ARCHIVE, name))
    restored(place, name)
    assert titles(recalled(place, TEXT)) == [TEXT]


def test_what_is_shown_cannot_be_restored(place: Path) -> None:
    name = said(place, TEXT).id
    with pytest.raises(NotFound, match="is not forgotten, archived, grouped or done"):
        restored(place, name)


def test_a_restored_memory_is_no_noise_and_resetting_noise_restores_nothing(place: Path) -> None:
    names = [said(place, text).id for text in (TEXT, "Amounts are integers of cents")]
    with workspace_at(place) as workspace:
        for name in names:
            forget(workspace, memories_now(workspace), name, PERSON, is_noise=True)
        restore(workspace, memories_now(workspace), names[0], PERSON)
        assert list(noise_in(records_here(workspace))) == [names[1]]
        assert reset_noise(workspace, PERSON) == 1
        assert [memory.id for memory in memories_now(workspace).forgotten] == [names[1]]


def test_confirming_anchoring_and_superseding_are_undone_alone(place: Path) -> None:
    name = said(place, TEXT, AGENT, on=("src/net.py:retry",)).id
    other = said(place, "We retry uploads five times", AGENT).id
    (place / "src/net.py").write_text(CODE.replace("try_once(at, times)", "try_twice(at)"))
    with workspace_at(place) as workspace:
        before = memories_now(workspace).states
        for act in (
            partial(confirm, workspace, [name], PERSON),
            partial(reanchor, workspace, before[name], PERSON),
            partial(supersede, workspace, PERSON, name, other),
        ):
            made = act()
            assert memories_now(workspace).states != before
            undo(workspace, made, PERSON)
            assert memories_now(workspace).states == before


def test_a_restored_memory_shows_that_it_was_forgotten_and_restored(place: Path) -> None:
    from repomem.memories.show import show_memory

    name = said(place, TEXT).id
    forgotten(place, name)
    restored(place, name)
    with workspace_at(place) as workspace:
        history = show_memory(memories_now(workspace), name).history
    assert [(entry.what, entry.text) for entry in history] == [("recorded", ""), ("restored", "")]


def record(number: int, event: Event, *targets: str, other: str = "", writer: str = "") -> Record:
    """A record of a writer; ids are numbers."""
    kept = MemoryContent(MemoryKind.FACT, CleanText(TEXT)) if event is Event.REMEMBER else None
    origin = Origin("2026-01-02T03:04:05Z", "Ada", Source.PERSON, writer=writer)
    return Record(f"{number:026d}", event, origin, targets, other, said=kept)


def test_an_untrusted_writer_undoes_only_records_of_their_own() -> None:
    name = record(1, Event.REMEMBER, writer="a" * 16)
    forget_ = record(2, Event.FORGET, name.id)
    undone = record(3, Event.UNDO, name.id, other=forget_.id, writer="a" * 16)

    def is_forgotten(*records: Record, trusted: frozenset[str] = frozenset()) -> bool:
        return memories_of(effective_records(records, trusted))[name.id].is_forgotten

    assert is_forgotten(name, forget_, undone)
    assert not is_forgotten(name, forget_, undone, trusted=frozenset(["a" * 16]))
    own = record(2, Event.FORGET, name.id, writer="a" * 16)
    assert is_forgotten(name, own)
    assert not is_forgotten(name, own, undone)


def test_a_record_about_several_memories_is_undone_for_the_named_ones_only() -> None:
    both = record(3, Event.FORGET, "x", "y")
    kept = without_undone([both, record(4, Event.UNDO, "y", other=both.id)])
    assert [(each.event, each.targets) for each in kept] == [(Event.FORGET, ("x",)), (Event.UNDO, ("y",))]


@pytest.mark.parametrize("seed", range(20))
def test_any_order_of_arrival_gives_one_state(seed: int) -> None:
    at = random.Random(seed)
    records = [record(number, Event.REMEMBER) for number in range(4)]
    for number in range(4, 40):
        name = records[at.randrange(4)].id
        forgets = [each for each in records if each.event is Event.FORGET and name in each.targets]
        if forgets and at.random() < 0.6:
            records.append(record(number, Event.UNDO, name, other=at.choice(forgets).id))
        else:
            records.append(record(number, Event.FORGET, name))
    there: dict[str, Record] = {}
    for each in at.sample(records, len(records)):
        there[each.id] = each
    arrived = effective_records([there[name] for name in sorted(there)], frozenset())
    undone = {(each.targets[0], each.other) for each in records if each.event is Event.UNDO}
    hidden = {
        each.targets[0] for each in records if each.event is Event.FORGET and (each.targets[0], each.id) not in undone
    }
    assert {name for name, memory in memories_of(arrived).items() if memory.is_forgotten} == hidden
