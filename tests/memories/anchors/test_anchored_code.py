"""The code of a memory's anchors, then and now."""

from pathlib import Path

import pytest
from support.library import Library
from support.memory_scenes import PERSON, committed, said, standing
from support.samples import workspace_at

from repomem.memories.anchors.anchored_code import AnchoredCode, anchored_code

MONEY = "src/ledgerly/money.py"


@pytest.fixture
def folder(copied: Library) -> Path:
    return copied("ledgerly")


def code_of(folder: Path, name: str) -> list[AnchoredCode]:
    state = standing(folder, name)
    with workspace_at(folder) as workspace:
        return anchored_code(workspace, state)


def test_unchanged_code_is_the_same_then_and_now(folder: Path) -> None:
    [code] = code_of(folder, said(folder, "Signs are kept", PERSON, on=(f"{MONEY}:Money.__neg__",)).id)
    assert code.then == code.now
    assert (code.now.start, code.now.lines[0]) == (24, '    def __neg__(self) -> "Money":')


def test_moved_and_changed_code_is_shown_where_it_is(folder: Path) -> None:
    name = said(folder, "Signs are kept", PERSON, on=(f"{MONEY}:Money.__neg__",)).id
    text = (folder / MONEY).read_text().replace("Money(-self.minor", "Money(0 - self.minor")
    committed(folder, "refactor", src_S_ledgerly_S_money__py=f"# a line\n{text}")
    [code] = code_of(folder, name)
    assert (code.then.start, code.then.lines[-1].strip()) == (24, "return Money(-self.minor, self.currency)")
    assert (code.now.start, code.now.lines[-1].strip()) == (25, "return Money(0 - self.minor, self.currency)")


def test_deleted_code_has_no_current_version(folder: Path) -> None:
    name = said(folder, "Signs are kept", PERSON, on=(MONEY,)).id
    (folder / MONEY).unlink()
    [code] = code_of(folder, name)
    assert code.then.lines[0].startswith('"""Amounts')
    assert (code.symbol, code.then.start, code.now.lines) == ("", 1, ())


def test_code_that_was_never_committed_is_shown_while_it_is_unchanged(folder: Path) -> None:
    path = "src/ledgerly/new.py"
    (folder / path).write_text("def fresh():\n    return 1\n")
    name = said(folder, "It is fresh", PERSON, on=(f"{path}:fresh",)).id
    [code] = code_of(folder, name)
    assert code.then == code.now
    (folder / path).write_text("def fresh():\n    return 2\n")
    [code] = code_of(folder, name)
    assert code.then.lines == ()
    assert code.now.lines[-1] == "    return 2"


def test_secrets_in_code_are_redacted(folder: Path) -> None:
    token = "ghp_" + "a1B2c3D4" * 5
    path = "src/ledgerly/new.py"
    committed(folder, "add", src_S_ledgerly_S_new__py=f"def fresh():\n    return '{token}'\n")
    [code] = code_of(folder, said(folder, "It is fresh", PERSON, on=(f"{path}:fresh",)).id)
    assert token not in "".join(code.now.lines)
    assert "REDACTED" in code.now.lines[-1]


def test_a_whole_file_is_not_an_own_symbol(folder: Path) -> None:
    whole = code_of(folder, said(folder, "Amounts are integers", PERSON, on=(MONEY,)).id)
    symbol = code_of(folder, said(folder, "Signs are kept", PERSON, on=(f"{MONEY}:Money.__neg__",)).id)
    assert [each.is_own_symbol for each in (*whole, *symbol)] == [False, True]
