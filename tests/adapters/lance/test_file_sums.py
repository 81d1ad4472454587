"""A table's files are as they were written, or that is noticed: all of them by doctor, some when a table is opened."""

from pathlib import Path

import pytest

from repomem.adapters.lance.file_sums import BLOCK, add_sums, damaged_file, forget_deleted


@pytest.fixture
def table(tmp_path: Path) -> Path:
    made = tmp_path / "chunks.lance"
    (made / "data").mkdir(parents=True)
    (made / "data/a.lance").write_bytes(b"a" * 100)
    (made / "data/b b.lance").write_bytes(bytes(range(256)) * (BLOCK // 100))
    (made / "c.manifest").write_bytes(b"c")
    (made / "hint.json").write_bytes(b"{}")
    add_sums(made, sorted(path for path in made.rglob("*") if path.is_file()))
    return made


def flip(path: Path, at: int) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])


def test_files_as_they_were_written_are_sound(table: Path) -> None:
    assert damaged_file(table) == ""
    assert damaged_file(table, BLOCK) == ""


@pytest.mark.parametrize(("name", "at"), [("data/a.lance", 0), ("data/b b.lance", BLOCK + 7), ("c.manifest", 0)])
def test_one_bit_anywhere_is_found(table: Path, name: str, at: int) -> None:
    flip(table / name, at)
    assert damaged_file(table) == name


def test_a_file_that_is_shorter_or_longer_is_found(table: Path) -> None:
    (table / "data/a.lance").write_bytes(b"a" * 99)
    assert damaged_file(table) == "data/a.lance"
    (table / "data/a.lance").write_bytes(b"a" * 101)
    assert damaged_file(table) == "data/a.lance"


def test_random_blocks_find_it_in_time(table: Path) -> None:
    flip(table / "data/b b.lance", 0)
    assert any(damaged_file(table, 1) for _ in range(200))
    assert damaged_file(table, 4 * BLOCK)


def test_what_lancedb_deleted_or_replaces_is_no_damage(table: Path) -> None:
    (table / "data/a.lance").unlink()
    (table / "hint.json").write_bytes(b"{1}")
    assert damaged_file(table) == ""


def test_a_damaged_line_of_the_sums_is_no_damage_of_the_table(table: Path) -> None:
    sums = table.with_suffix(".sums")
    for at in range(0, sums.stat().st_size, 3):
        flip(sums, at)
        assert damaged_file(table) == ""
        flip(sums, at)


def test_sums_of_deleted_files_are_dropped(table: Path) -> None:
    (table / "data/a.lance").unlink()
    forget_deleted(table)
    assert b"a.lance" not in table.with_suffix(".sums").read_bytes()
    assert b"b b.lance" in table.with_suffix(".sums").read_bytes()
