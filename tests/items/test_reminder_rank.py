"""Which reminders memories make, and in which order."""

from pathlib import Path

from support.memory_scenes import AGENT, said
from support.repositories import Commit, MakeRepository
from support.samples import indexed, workspace_at

from repomem.core.records import MemoryKind
from repomem.items.reminders import reminders_now
from repomem.recall.select_reminders import FileUse, for_file


def test_an_unconfirmed_rule_comes_after_a_confirmed_fact(make_repository: MakeRepository) -> None:
    folder: Path = make_repository(Commit({"upload.py": "def upload(file):\n    return 1\n"}))
    indexed(folder)
    rule = said(folder, "Never retry", AGENT, kind=MemoryKind.RULE, on=("upload.py",)).id
    fact = said(folder, "Uploads take a minute", kind=MemoryKind.FACT, on=("upload.py",)).id
    with workspace_at(folder) as workspace:
        found = for_file(reminders_now(workspace), FileUse("upload.py"))
    assert [each.id for each in found] == [fact, rule]
