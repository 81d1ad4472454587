"""Which reminders memories make, and in which order."""

from pathlib import Path

import pytest
from support.memory_scenes import AGENT, PERSON, said
from support.repositories import Commit, MakeRepository
from support.samples import indexed, recalled, workspace_at

from repomem.core.records import MemoryKind
from repomem.items.reminders import reminders_now
from repomem.recall.select_reminders import FileUse, chosen, for_file, on_path
from repomem.workspace.ledger import Speaker

CONST = "Everything in naive must stay const fn where it is today"
NO_CONST = "const fn in the naive module is no longer a must; dropping it is fine where the code becomes simpler"


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


@pytest.fixture
def naive(make_repository: MakeRepository) -> Path:
    """A repository with a rule for a folder, and a later rule that seems to change it."""
    folder = make_repository(Commit({"src/naive/mdf.rs": "pub const fn month() -> u32 {\n    1\n}\n"}))
    indexed(folder)
    return folder


def reminded(folder: Path, path: str) -> str:
    """The lines of the reminders for an edit of a file."""
    with workspace_at(folder) as workspace:
        return "\n".join(line for _, line in chosen(for_file(reminders_now(workspace), FileUse(path)), ()))


def test_an_edit_shows_the_later_rule_that_seems_to_change_the_one_in_scope(naive: Path) -> None:
    said(naive, CONST, kind=MemoryKind.RULE, scope=("src/naive/**",))
    said(naive, NO_CONST, kind=MemoryKind.RULE)
    assert "const fn in the naive module is no longer a must" in reminded(naive, "src/naive/mdf.rs")
    assert "perhaps changed by" in recalled(naive, "how is the month laid out in memory").markdown


@pytest.mark.parametrize("later", [PERSON, AGENT])
def test_a_later_rule_in_the_same_scope_comes_first_unless_it_is_only_proposed(naive: Path, later: Speaker) -> None:
    old = said(naive, CONST, kind=MemoryKind.RULE, scope=("src/naive/**",)).id
    new = said(naive, NO_CONST, later, kind=MemoryKind.RULE, scope=("src/naive/**",)).id
    with workspace_at(naive) as workspace:
        found = for_file(reminders_now(workspace), FileUse("src/naive/mdf.rs"))
    assert [each.id for each in found] == ([new, old] if later is PERSON else [old, new])


def test_an_edit_shows_what_an_agent_proposes_instead(naive: Path) -> None:
    old = said(naive, CONST, kind=MemoryKind.RULE, scope=("src/naive/**",)).id
    said(naive, NO_CONST, AGENT, kind=MemoryKind.RULE, supersedes=(old,))
    assert f": {NO_CONST[:40]}" in reminded(naive, "src/naive/mdf.rs")


def test_a_drifted_rule_comes_after_an_unconfirmed_decision(naive: Path) -> None:
    drifted = said(naive, "The month is a constant", kind=MemoryKind.RULE, on=("src/naive/mdf.rs:month",)).id
    (naive / "src/naive/mdf.rs").write_text("pub const fn month() -> u32 {\n    days() / 30 + first(2)\n}\n")
    new = said(naive, "Months are counted from one", AGENT, kind=MemoryKind.DECISION, on=("src/naive/mdf.rs",)).id
    with workspace_at(naive) as workspace:
        found = on_path(reminders_now(workspace), "src/naive/mdf.rs")
    assert [each.id for each in found] == [new, drifted]
