"""What a user keeps for every repository: shown there, stored in none of them, and never shared."""

import json
from pathlib import Path

import pytest
from support.memory_scenes import AGENT, PERSON, confirmed, forgotten, said, spoken, standing
from support.repositories import Commit, MakeRepository
from support.samples import recalled, workspace_at

from repomem.core.errors import NotFound, RepomemError
from repomem.core.records import MemoryKind
from repomem.memories.forget import forget
from repomem.memories.ledger_files import export_lines
from repomem.memories.listing import MemoryFilter, listed_memories
from repomem.memories.noise import noise_here, reset_noise
from repomem.memories.pinned import pin
from repomem.memories.snapshots.snapshot import memories_now
from repomem.memories.status import Status
from repomem.workspace.ledger import ledger_of
from repomem.workspace.user.own_memories import own_ledger

RULE = "Never write emoji in commit messages"


@pytest.fixture
def here(make_repository: MakeRepository) -> Path:
    """The repository in which things are said."""
    return make_repository(
        Commit({"src/net.py": "def send(message):\n    return message\n"}, "Send messages"), name="here"
    )


@pytest.fixture
def there(make_repository: MakeRepository) -> Path:
    """Another repository."""
    return make_repository(
        Commit({"src/money.py": "def add(one, other):\n    return one + other\n"}, "Add"), name="there"
    )


def records(folder: Path) -> int:
    with workspace_at(folder) as workspace:
        return len(ledger_of(workspace).records())


@pytest.mark.parametrize("task", ["", "add two amounts"])
def test_it_is_shown_in_another_repository_as_yours(here: Path, there: Path, task: str) -> None:
    said(here, RULE, kind=MemoryKind.RULE, is_mine=True)

    brief = recalled(there, task)

    assert [item.title for item in spoken(brief)] == [RULE]
    assert "(yours)" in next(line for line in brief.markdown.splitlines() if RULE in line)


def test_a_preference_is_a_rule_unless_another_kind_is_given(here: Path, there: Path) -> None:
    preference, place = "Answers in British English", "My test account is on the second server"
    said(here, preference, is_mine=True)
    said(here, place, kind=MemoryKind.FACT, is_mine=True)

    assert [item.title for item in spoken(recalled(there, "add two amounts"))] == [preference]


def test_its_amendment_is_kept_for_every_repository_too(here: Path, there: Path) -> None:
    old = said(here, RULE, is_mine=True).id
    new = said(there, "Never write emoji", supersedes=(old,))
    assert (records(there), standing(here, old).status) == (0, Status.SUPERSEDED)
    assert said(there, "Emoji in src/money.py", supersedes=(new.id,), on=("src/money.py",)).is_private


def test_it_is_listed_as_noise_and_reset_like_others(here: Path, there: Path) -> None:
    name = said(here, RULE, kind=MemoryKind.RULE, is_mine=True).id
    with workspace_at(there) as workspace:
        forget(workspace, memories_now(workspace), name, PERSON, is_noise=True)
        assert noise_here(workspace) == {name: RULE}
        assert reset_noise(workspace, PERSON) == 1
        assert noise_here(workspace) == {}


def test_it_is_erased_after_it_was_forgotten(here: Path, there: Path) -> None:
    name = said(here, RULE, kind=MemoryKind.RULE, is_mine=True).id
    forgotten(there, name)
    with workspace_at(there) as workspace:
        forget(workspace, memories_now(workspace), name, PERSON, is_purge=True)
        assert [record for record in own_ledger().records() if record.said] == []
        assert ledger_of(workspace).records() == []


def test_no_repository_has_a_record_of_it(here: Path, there: Path) -> None:
    name = said(here, RULE, kind=MemoryKind.RULE, is_mine=True).id
    confirmed(there, name)
    with workspace_at(there) as workspace:
        pin(workspace, memories_now(workspace), [name], PERSON)
        assert list(export_lines(workspace)) == []

    assert (records(here), records(there)) == (0, 0)
    assert [(each.origin.head, each.origin.branch) for each in own_ledger().records()] == [("", "")] * 3


def test_a_brief_that_was_kept_before_is_not_printed_again(here: Path, there: Path) -> None:
    assert RULE not in recalled(there, "").markdown
    said(here, RULE, kind=MemoryKind.RULE, is_mine=True)

    assert RULE in recalled(there, "").markdown


@pytest.mark.parametrize("is_purge", [False, True])
def test_forgetting_it_in_one_repository_forgets_it_in_all(here: Path, there: Path, is_purge: bool) -> None:
    name = said(here, RULE, is_mine=True).id
    forgotten(there, name, is_purge=is_purge)

    with pytest.raises((NotFound, KeyError)):
        standing(here, name)
    assert records(there) == 0
    assert (RULE in json.dumps([str(each) for each in own_ledger().records()])) is not is_purge


def test_an_agents_is_provisional_everywhere_until_a_person_confirms_it(here: Path, there: Path) -> None:
    name = said(here, RULE, AGENT, is_mine=True).id
    assert standing(there, name).status is Status.PROVISIONAL
    confirmed(there, name)

    assert standing(here, name).status is Status.CURRENT


def test_the_list_can_be_limited_to_them(here: Path, there: Path) -> None:
    said(here, RULE, is_mine=True)
    said(there, "Amounts are integers")

    with workspace_at(there) as workspace:
        known = memories_now(workspace)
        found = [
            [one.state.memory.said.text for one in listed_memories(workspace, known, "", wanted)]
            for wanted in (MemoryFilter(), MemoryFilter(is_mine=True))
        ]

    assert found == [["Amounts are integers", RULE], [RULE]]


def test_it_cannot_be_on_code(here: Path) -> None:
    with pytest.raises(RepomemError, match="cannot be attached to code in this one"):
        said(here, RULE, is_mine=True, on=("src/net.py:send",))


def test_what_the_repository_knows_already_is_kept_for_all_once(here: Path) -> None:
    first = said(here, RULE).id
    mine = said(here, RULE, is_mine=True)
    again = said(here, RULE, is_mine=True)

    assert (mine.outcome, mine.id != first) == ("related", True)
    assert (again.outcome, again.id) == ("duplicate", mine.id)
