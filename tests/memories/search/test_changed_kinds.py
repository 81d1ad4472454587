"""A new value recorded without a kind becomes a fact; it may change a decision or a rule all the same."""

from pathlib import Path

import pytest
from support.memory_scenes import said
from support.repositories import Commit, MakeRepository
from support.samples import workspace_at

from repomem.core.records import MemoryKind
from repomem.memories.search.relevant import changed_memories
from repomem.memories.snapshots.snapshot import memories_now

REST = ("Labels are blue", "Depots close at noon", "Drivers carry a phone", "Vans are leased")


@pytest.mark.parametrize(("kind", "is_marked"), [(None, True), (MemoryKind.GOTCHA, False)])
def test_what_is_a_fact_by_default_may_change_a_decision(
    make_repository: MakeRepository, kind: MemoryKind | None, is_marked: bool
) -> None:
    folder: Path = make_repository(Commit({"a.py": "A = 1\n"}, "Start"))
    for other in REST:
        said(folder, other)
    decided, reason = "Parcels wait three days in a depot", "the van comes twice a week"
    old = said(folder, decided, kind=MemoryKind.DECISION, why=reason).id
    new = said(folder, "A parcel stays for five days before it goes back", kind=kind).id
    with workspace_at(folder) as workspace:
        changed = changed_memories(workspace, memories_now(workspace))
    assert changed == ({old: new} if is_marked else {})
