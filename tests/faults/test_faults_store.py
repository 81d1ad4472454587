"""Faults of the index on the disk: what is bad is noticed, rebuilt with one note, and the answers are the same."""

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import lancedb
import pytest
from support.fault_scenes import Ledgerly, answers_of, asked, indexed, paths_found, repomem, written
from support.repositories import Commit, MakeRepository, RunGit

from repomem.core.errors import StoreError
from repomem.recall.answer import search_now
from repomem.workspace.run import Run
from repomem.workspace.snapshot import Scope
from repomem.workspace.workspace import opened

pytest_plugins = ("support.fault_scenes",)

Damage = Callable[[Ledgerly], None]


def newest_manifest(repository: Ledgerly, table: str) -> Path:
    """LanceDB names manifests so that the newest sorts first."""
    return repository.tables(f"{table}.lance/_versions/*.manifest")[0]


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def zeroed(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def flipped(path: Path, place: float = 0.5) -> None:
    data = bytearray(path.read_bytes())
    data[int(place * (len(data) - 1))] ^= 0xFF
    path.write_bytes(data)


def without(repository: Ledgerly, pattern: str) -> None:
    for path in repository.tables(pattern):
        path.unlink()


def assert_healed(repository: Ledgerly) -> None:
    """The answers are those of an index that was never damaged; one note says so, and only once."""
    answers, notices = asked(repository.folder)
    assert answers == repository.answers
    assert len(notices) == 1
    assert "nothing is lost" in notices[0]
    assert answers_of(repository.folder) == repository.answers


@pytest.mark.parametrize("table", ["chunks", "episodes"])
def test_fault_01_an_empty_manifest_is_noticed_and_the_store_rebuilt(ledgerly: Ledgerly, table: str) -> None:
    emptied(newest_manifest(ledgerly, table))
    assert_healed(ledgerly)


@pytest.mark.parametrize(
    "verb",
    [["recall", "posting amount"], ["search", "posting"], ["log"], ["show", "HEAD"], ["status"]],
    ids=["recall", "search", "log", "show", "status"],
)
def test_fault_01_no_command_fails_over_a_damaged_store(ledgerly: Ledgerly, verb: list[str], run_git: RunGit) -> None:
    emptied(newest_manifest(ledgerly, "chunks"))
    emptied(newest_manifest(ledgerly, "episodes"))
    head = run_git(ledgerly.folder, "rev-parse", "HEAD")
    done = repomem(ledgerly.folder, *(head if word == "HEAD" else word for word in verb))
    assert (done.returncode, bool(done.stdout)) == (0, True), done.stderr
    assert [line.partition(":")[0] for line in done.stderr.splitlines()] == ["note"] * (verb != ["status"])


@pytest.mark.parametrize("table", ["chunks", "episodes"])
def test_fault_02_a_manifest_of_zeros_is_noticed_and_the_store_rebuilt(ledgerly: Ledgerly, table: str) -> None:
    zeroed(newest_manifest(ledgerly, table))
    assert_healed(ledgerly)


def test_fault_02_a_table_that_went_back_to_an_older_version_is_noticed(ledgerly: Ledgerly) -> None:
    for manifest in ledgerly.tables("chunks.lance/_versions/*.manifest")[:-1]:
        manifest.unlink()
    assert_healed(ledgerly)


@pytest.mark.parametrize("damage", [emptied, zeroed, Path.unlink], ids=["empty", "zeros", "missing"])
@pytest.mark.parametrize("table", ["chunks", "episodes"])
def test_fault_03_a_bad_data_file_is_noticed_and_the_store_rebuilt(
    ledgerly: Ledgerly, table: str, damage: Callable[[Path], None]
) -> None:
    damage(ledgerly.tables(f"{table}.lance/data/*.lance")[0])
    assert_healed(ledgerly)


def test_fault_04_deleted_index_files_are_noticed_and_rebuilt(ledgerly: Ledgerly) -> None:
    without(ledgerly, "*.lance/_indices/*/*")
    assert_healed(ledgerly)


def test_fault_04_a_flipped_byte_in_an_index_file_changes_no_answer(ledgerly: Ledgerly) -> None:
    for path in ledgerly.tables("*.lance/_indices/*/*"):
        flipped(path)
    answers, notices = asked(ledgerly.folder)
    assert answers == ledgerly.answers
    assert len(notices) <= 1


@pytest.mark.parametrize("place", [0.02, 0.3, 0.6, 0.9])
def test_fault_05_a_flipped_byte_in_a_data_file_ends_no_command(ledgerly: Ledgerly, place: float) -> None:
    for path in ledgerly.tables("*.lance/data/*.lance"):
        flipped(path, place)
    _, notices = asked(ledgerly.folder)
    assert len(notices) <= 2  # the vectors are rebuilt alone, and then what is found in the other tables
    indexed(ledgerly.folder, rebuild=True)
    assert answers_of(ledgerly.folder) == ledgerly.answers


def test_fault_07_rows_of_unrecorded_versions_are_never_shown(
    ledgerly: Ledgerly, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def killed(*arguments: object) -> None:
        raise Killed

    indexed(ledgerly.folder, rebuild=True)
    written(ledgerly.folder, {"src/ledgerly/late.py": "def late_amount():\n    return 'too late'\n"})
    with monkeypatch.context() as patch:
        patch.setattr("repomem.adapters.sqlite.file_versions.FileVersions.record", killed)
        with pytest.raises(Killed):
            indexed(ledgerly.folder)
    (ledgerly.folder / "src/ledgerly/late.py").unlink()
    assert answers_of(ledgerly.folder) == ledgerly.answers


def test_fault_13_a_store_deleted_under_a_live_process_is_rebuilt(ledgerly: Ledgerly) -> None:
    with opened(ledgerly.folder, os.environ) as workspace:
        before, _ = search_now(workspace, ["ledger amount"], Scope(), 5, Run())
        shutil.rmtree(ledgerly.memory / "store")
        after, _ = search_now(workspace, ["ledger amount"], Scope(), 5, Run())
        assert [[hit.chunk.text for hit in hits] for hits in after] == [[h.chunk.text for h in hits] for hits in before]
        assert len(workspace.notices) == 1
        shutil.rmtree(ledgerly.memory / "store")
        written(ledgerly.folder, {"src/ledgerly/new.py": "def brand_new_zebra():\n    return 1\n"})
        [found], _ = search_now(workspace, ["brand_new_zebra"], Scope(), 5, Run())
    assert found[0].file.path == "src/ledgerly/new.py"
    assert answers_of(ledgerly.folder).hits


def test_fault_13_a_live_process_sees_what_another_indexed_or_rebuilt(ledgerly: Ledgerly) -> None:
    with opened(ledgerly.folder, os.environ) as workspace:
        assert search_now(workspace, ["ledger"], Scope(), 5, Run())[0][0]
        for name, rebuild in (("first", False), ("second", True), ("third", False)):
            written(ledgerly.folder, {f"{name}.py": f"def {name}_zebra_crossing():\n    return 1\n"})
            indexed(ledgerly.folder, rebuild=rebuild)
            [hits], _ = search_now(workspace, [f"{name}_zebra_crossing"], Scope(), 5, Run())
            assert hits[0].file.path == f"{name}.py"
        assert workspace.notices == []


def test_fault_15_a_catalog_of_a_newer_version_is_refused_and_kept(ledgerly: Ledgerly) -> None:
    catalog = ledgerly.memory / "catalog.sqlite"
    with sqlite3.connect(catalog) as connection:
        connection.execute("PRAGMA user_version=99")
    connection.close()
    before = catalog.read_bytes()
    with pytest.raises(StoreError, match="newer repomem") as refused, opened(ledgerly.folder, os.environ):
        pass
    assert "upgrade" in refused.value.hint
    assert catalog.read_bytes() == before
    done = repomem(ledgerly.folder, "recall")
    assert (done.returncode, done.stdout) == (1, "")
    assert "Traceback" not in done.stderr


def test_fault_15_content_of_a_newer_version_is_refused_and_kept(ledgerly: Ledgerly) -> None:
    with opened(ledgerly.folder, os.environ) as workspace:
        workspace.catalog.set_meta("content", "99")
    with pytest.raises(StoreError, match="made by a newer repomem"):
        indexed(ledgerly.folder)
    indexed(ledgerly.folder, rebuild=True)
    assert answers_of(ledgerly.folder) == ledgerly.answers


def test_fault_15_content_of_an_older_version_is_rebuilt_with_one_note(ledgerly: Ledgerly) -> None:
    with opened(ledgerly.folder, os.environ) as workspace:
        workspace.catalog.set_meta("content", "0")
    _, notices = indexed(ledgerly.folder)
    assert len(notices) == 1
    assert answers_of(ledgerly.folder) == ledgerly.answers


def test_fault_41_a_table_that_brings_an_embedding_function_is_refused_and_rebuilt(ledgerly: Ledgerly) -> None:
    functions = [{"name": "openai", "model": {"base_url": "http://127.0.0.1:9"}, "source_column": "text"}]
    connection = lancedb.connect(ledgerly.memory / "store")
    rows = connection.open_table("chunks").to_arrow()
    hostile = rows.replace_schema_metadata({"embedding_functions": json.dumps(functions)})
    connection.create_table("chunks", hostile, mode="overwrite")
    assert_healed(ledgerly)
    assert not connection.open_table("chunks").to_arrow().schema.metadata


def test_fault_42_a_stray_manifest_for_the_next_version_changes_nothing(ledgerly: Ledgerly) -> None:
    for table in ("chunks", "episodes"):
        newest = newest_manifest(ledgerly, table)
        following = newest.with_name(f"{int(newest.stem) - 1}.manifest#1")
        following.write_bytes(newest.read_bytes()[:100])
    assert answers_of(ledgerly.folder) == ledgerly.answers
    written(ledgerly.folder, {"src/ledgerly/next.py": "def following_zebra():\n    return 1\n"})
    assert indexed(ledgerly.folder)[1] == []
    assert paths_found(ledgerly.folder, "following_zebra")[0] == "src/ledgerly/next.py"


@pytest.mark.parametrize("size", [0, 100, 5000, 20_000])
def test_fault_05_a_catalog_cut_short_is_restarted(ledgerly: Ledgerly, size: int) -> None:
    os.truncate(ledgerly.memory / "catalog.sqlite", size)
    indexed(ledgerly.folder)
    assert answers_of(ledgerly.folder) == ledgerly.answers


@pytest.mark.slow
@pytest.mark.parametrize("place", range(5))
def test_fault_05_a_page_of_zeros_in_the_catalog_ends_no_command(ledgerly: Ledgerly, place: int) -> None:
    with (ledgerly.memory / "catalog.sqlite").open("r+b") as file:
        pages = file.seek(0, os.SEEK_END) // 4096
        file.seek((1 + place * (pages - 2) // 4) * 4096)
        file.write(bytes(4096))
    done = repomem(ledgerly.folder, "recall")
    assert (done.returncode, bool(done.stdout)) == (0, True), done.stderr
    asked(ledgerly.folder)
    indexed(ledgerly.folder, rebuild=True)
    assert answers_of(ledgerly.folder) == ledgerly.answers


def test_a_rebuild_gives_the_same_answers_and_no_note(ledgerly: Ledgerly) -> None:
    report, notices = indexed(ledgerly.folder, rebuild=True)
    assert (report.state, notices) == ("indexed", [])
    assert answers_of(ledgerly.folder) == ledgerly.answers


def test_fault_43_clones_with_stores_in_one_folder_stay_separate(
    make_repository: MakeRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REPOMEM_STORE_URI", str(tmp_path / "stores"))
    clones = [make_repository(Commit({f"{n}.py": f"def zebra():\n    return '{n}'\n"}), name=n) for n in ("one", "two")]
    for clone in clones:
        indexed(clone)
    for clone in clones:
        assert paths_found(clone, "zebra") == [f"{clone.name}.py"]
        assert not (clone / ".git/repomem/store").exists()
    assert len(list((tmp_path / "stores").iterdir())) == 2
