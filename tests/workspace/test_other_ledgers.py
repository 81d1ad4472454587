"""A clone from a new address of a repository has no memories yet; those under the old address are reported."""

import subprocess
from pathlib import Path

from support.fault_scenes import repomem
from support.memory_scenes import forgotten, said
from support.repositories import Commit, MakeRepository
from support.samples import workspace_at

from repomem.workspace.other_ledgers import other_ledgers

RULE = "retries are counted from one"


def counts(folder: Path) -> list[int]:
    with workspace_at(folder) as workspace:
        return [each.memories for each in other_ledgers(workspace)]


def test_memories_under_an_earlier_address_are_found_by_their_commits_and_imported(
    make_repository: MakeRepository, tmp_path: Path
) -> None:
    origin = make_repository(Commit({"a.py": "A = 1\n"}))
    said(origin, RULE)
    forgotten(origin, said(origin, "this one is wrong").id)
    unrelated = make_repository(Commit({"b.py": "B = 1\n"}), name="unrelated")
    said(unrelated, "about something else")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(origin), str(clone)], check=True)
    assert "1 memory for another: run repomem doctor" in repomem(clone, "memories").stderr
    assert counts(clone) == [1]
    assert counts(origin) == counts(unrelated) == []
    with workspace_at(clone) as workspace:
        [found] = other_ledgers(workspace)
    assert f"repomem ledger import {found.path}" in repomem(clone, "doctor").stdout
    repomem(clone, "ledger", "import", str(found.path))
    assert RULE in repomem(clone, "memories").stdout
    assert counts(clone) == []


def test_a_memory_that_was_imported_and_then_purged_is_not_reported_again(
    make_repository: MakeRepository, tmp_path: Path
) -> None:
    origin = make_repository(Commit({"a.py": "A = 1\n"}))
    name = said(origin, RULE).id
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(origin), str(clone)], check=True)
    with workspace_at(clone) as workspace:
        [found] = other_ledgers(workspace)
    repomem(clone, "ledger", "import", str(found.path))
    forgotten(clone, name, is_purge=True)
    said(origin, "retries wait a second")
    assert counts(clone) == [1], "only the new one"
