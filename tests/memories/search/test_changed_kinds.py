"""Which later memories change a decision or a rule: also facts by default, and stated changes in other words."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from support.memory_scenes import said
from support.repositories import Commit, MakeRepository
from support.samples import workspace_at

from repomem.core.records import MemoryKind
from repomem.memories.search.relevant import changed_memories
from repomem.memories.snapshots.snapshot import memories_now

REST = ("Labels are blue", "Depots close at noon", "Drivers carry a phone", "Vans are leased")


@pytest.fixture
def folder(make_repository: MakeRepository) -> Path:
    """A repository with memories about other things."""
    place = make_repository(Commit({"a.py": "A = 1\n"}, "Start"))
    for other in REST:
        said(place, other)
    return place


def changed_in(folder: Path) -> Mapping[str, str]:
    """The memories of a repository that later ones seem to change."""
    with workspace_at(folder) as workspace:
        return changed_memories(workspace, memories_now(workspace))


@pytest.mark.parametrize(("kind", "is_marked"), [(None, True), (MemoryKind.GOTCHA, False)])
def test_what_is_a_fact_by_default_may_change_a_decision(
    folder: Path, kind: MemoryKind | None, is_marked: bool
) -> None:
    decided, reason = "Parcels wait three days in a depot", "the van comes twice a week"
    old = said(folder, decided, kind=MemoryKind.DECISION, why=reason).id
    new = said(folder, "A parcel stays for five days before it goes back", kind=kind).id
    assert changed_in(folder) == ({old: new} if is_marked else {})


@pytest.mark.parametrize(
    ("text", "is_marked"), [("We ship on Tuesday from now on", True), ("Vans are washed from now on", False)]
)
def test_a_stated_change_of_the_nearest_memory_needs_none_of_its_words(
    folder: Path, text: str, is_marked: bool
) -> None:
    reason = "a regression can be fixed before the weekend"
    old = said(folder, "Releases happen on Thursdays", kind=MemoryKind.RULE, why=reason).id
    new = said(folder, text).id
    assert (changed_in(folder).get(old) == new) is is_marked
