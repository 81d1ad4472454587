"""Faults of single bytes in the rows of the index: never in an answer, counted by doctor, repaired by either."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from support.fault_scenes import Ledgerly, answers_of, asked

from repomem.core.errors import StoreDamaged
from repomem.core.types.indexed import VECTORS
from repomem.setup.doctor import HealthCheck, HealthState, health_checks
from repomem.workspace.snapshot import snapshot
from repomem.workspace.workspace import Workspace, opened

pytest_plugins = ("support.fault_scenes",)

TRIED = 400  # bytes of a file, spread over it: some are of rows, some make it unreadable, some are of no use


def told(ledgerly: Ledgerly, *, is_mending: bool = False) -> HealthCheck:
    """What doctor says of the store."""
    with opened(ledgerly.folder, os.environ) as workspace:
        [found] = [each for each in health_checks(workspace, is_mending=is_mending) if each.name == "tables"]
    return found


def data_files(tables: Path) -> dict[Path, set[str]]:
    """The files of each table; their names are random, so a table that is built anew has others."""
    return {table: {each.name for each in table.glob("data/*.lance")} for table in tables.iterdir()}


def is_changed(workspace: Workspace, table: str) -> bool:
    """Whether rows can be read and are not what was written."""
    try:
        return workspace.store.unsound_rows(table) > 0
    except StoreDamaged:
        return False


def is_unreadable(workspace: Workspace, table: str) -> bool:
    """Whether rows cannot be read at all."""
    try:
        return workspace.store.unsound_rows(table) < 0
    except StoreDamaged:
        return True


def flipped(ledgerly: Ledgerly, table: str, until: Callable[[Workspace, str], bool]) -> Path:
    """A data file of the table, with the first byte flipped that has this consequence."""
    path = max(ledgerly.tables(f"{table}*.lance/data/*.lance"), key=lambda each: each.stat().st_size)
    name, data = path.parents[1].stem, path.read_bytes()
    for sums in (ledgerly.memory / "store").glob("*.sums"):
        sums.unlink()  # rows have checksums of their own
    for place in range(0, len(data), len(data) // TRIED):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :])
        with opened(ledgerly.folder, os.environ) as workspace:
            if until(workspace, name):
                return path
    raise AssertionError("no byte of the file has that consequence")


@pytest.mark.parametrize("until", [is_changed, is_unreadable])
@pytest.mark.parametrize("table", ["chunks", "episodes", VECTORS])
def test_fault_05_doctor_counts_the_rows_that_a_flipped_byte_changed_and_repairs_them(
    ledgerly: Ledgerly, table: str, until: Callable[[Workspace, str], bool]
) -> None:
    damaged = flipped(ledgerly, table, until).parents[1]
    before = data_files(damaged.parent)

    broken = told(ledgerly)
    assert (broken.state, broken.remedy) == (HealthState.BROKEN, "repomem doctor --fix")
    assert bool(re.match(r"checksums do not match in [12] of \d+ rows of ", broken.text)) is (until is is_changed)
    mended = told(ledgerly, is_mending=True)

    assert (mended.state, told(ledgerly).text) == (
        HealthState.OK,
        "the tables of the index match their checksums and catalog",
    )
    after = data_files(damaged.parent)
    kept = {path for path, names in before.items() if after.get(path) == names}
    assert kept == (set(before) - {damaged} if table == VECTORS else set())
    assert answers_of(ledgerly.folder) == ledgerly.answers


def is_first_hit_changed(workspace: Workspace, table: str) -> bool:
    """Whether the chunks of the first hit can be read and are not what was written."""
    found = snapshot(workspace)
    assert found
    [version] = [file.version for file in found.files if file.path == "src/ledgerly/parser.py"]
    try:
        workspace.store.chunks([version])
    except StoreDamaged:
        return is_changed(workspace, table)
    return False


def is_commit_changed(workspace: Workspace, table: str) -> bool:
    """Likewise, one of the commits."""
    found = snapshot(workspace)
    assert found
    try:
        workspace.store.episodes(found.history.episodes)
    except StoreDamaged:
        return is_changed(workspace, table)
    return False


@pytest.mark.parametrize(("table", "until"), [("chunks", is_first_hit_changed), ("episodes", is_commit_changed)])
def test_fault_05_a_row_that_a_flipped_byte_changed_is_in_no_answer(
    ledgerly: Ledgerly, table: str, until: Callable[[Workspace, str], bool]
) -> None:
    assert ledgerly.answers.hits[0][0][0] == "src/ledgerly/parser.py"
    flipped(ledgerly, table, until)

    answers, notices = asked(ledgerly.folder)

    assert answers == ledgerly.answers
    assert [notice.partition(";")[2] for notice in notices] == [" it is rebuilt from git, nothing is lost"]


def is_silent_without_sums(path: Path) -> bool:
    """Files that a search reads beside the rows that it returns."""
    return path.suffix == ".lance" and ("_indices" in path.parts or path.parts[-3].startswith(VECTORS))


def test_fault_05_a_flipped_byte_of_an_index_or_a_vector_is_in_no_answer(ledgerly: Ledgerly) -> None:
    found = [path for path in ledgerly.tables("*.lance/**/*") if is_silent_without_sums(path)]
    kinds = {path.parts[-3]: path for path in found}  # one of each index, and one of the vectors
    for path in kinds.values():
        data = path.read_bytes()
        place = len(data) // 3
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :])
    assert told(ledgerly).state is HealthState.BROKEN

    answers, notices = asked(ledgerly.folder)

    assert answers == ledgerly.answers
    assert notices
    assert all("changed on disk" in notice for notice in notices)
