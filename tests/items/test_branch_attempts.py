"""Memories of branches that were deleted without a merge, as briefs show them."""

from pathlib import Path

import pytest
from support.memory_scenes import AGENT, committed, git, said
from support.repositories import Commit, MakeRepository
from support.samples import indexed, recalled, workspace_at

from repomem.core.records import MemoryKind
from repomem.memories.show import show_memory
from repomem.memories.snapshots.snapshot import memories_now

CODE = "class Dt:\n    def now(self):\n        return 1\n"


@pytest.fixture
def place(make_repository: MakeRepository) -> Path:
    """A repository whose history has many commits loosely about the same thing."""
    files = ({"dt.py": f"{CODE}\n\nSTEP = {at}\n"} for at in range(8))
    folder = make_repository(*(Commit(each, f"Store Dt at step {at}") for at, each in enumerate(files)))
    indexed(folder)
    return folder


def test_abandoned_work_is_shown_with_its_own_commit_before_loosely_related_ones(place: Path) -> None:
    git(place, "switch", "-q", "-c", "spike")
    text = "Dt is stored as an i64 of nanoseconds internally"
    name = said(place, text, AGENT, kind=MemoryKind.DECISION).id
    work = committed(place, "Try i64", dt__py=f"{CODE}\n\nSPIKE = True\n")
    indexed(place)
    git(place, "switch", "-q", "main")
    git(place, "branch", "-q", "-D", "spike")
    indexed(place)
    lines = recalled(place, "how is Dt stored internally").markdown.splitlines()
    [abandoned] = [line for line in lines if text in line]
    assert f"(recorded on branch `spike` with {work[:8]}, which is not merged here)" in abandoned
    commits = [at for at, line in enumerate(lines) if "Store Dt at step" in line]
    assert lines.index(abandoned) < max(commits)
    with workspace_at(place) as workspace:
        assert show_memory(memories_now(workspace), name).where.startswith(f"recorded on branch spike with {work[:8]}")
