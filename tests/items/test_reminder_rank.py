"""Which reminders memories make, and in which order."""

from pathlib import Path

import pytest
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


@pytest.mark.parametrize(("path", "is_shown"), [("go.mod", True), ("tools/go.mod", True), ("main.go", False)])
def test_a_rule_that_names_a_file_is_shown_when_that_is_touched(
    make_repository: MakeRepository, path: str, is_shown: bool
) -> None:
    folder = make_repository(Commit({"go.mod": "module a\n", "tools/go.mod": "module b\n", "main.go": "package a\n"}))
    indexed(folder)
    said(folder, "never bump the go version in go.mod, two customers still build with 1.15", kind=MemoryKind.RULE)
    with workspace_at(folder) as workspace:
        assert bool(for_file(reminders_now(workspace), FileUse(path))) is is_shown
