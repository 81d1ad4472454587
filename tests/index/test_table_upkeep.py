"""Tables are rewritten beside those who add to them."""

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository
from support.samples import found

from repomem.adapters.lance.store import Store
from repomem.adapters.sqlite.catalog_rows import Worktree
from repomem.core.errors import StoreDamaged, StoreError
from repomem.core.processes.locks import TABLES_LOCK, tables_lock, try_lock
from repomem.index import run as index_operation
from repomem.index.maintenance import maintain
from repomem.index.run import index
from repomem.index.vectors import LOCK as VECTORS_LOCK
from repomem.setup.removal import exclusively, removed
from repomem.workspace.embedding_text import passages_of
from repomem.workspace.run import Run
from repomem.workspace.snapshot import Snapshot
from repomem.workspace.workspace import INDEX_LOCK, Workspace, opened

ROUNDS = 12


@pytest.fixture
def folder(make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("repomem.index.run.maintain_in_background", lambda _: None)
    monkeypatch.setattr("repomem.adapters.lance.tables.MOST_FRAGMENTS", 0)  # whoever looks finds something to do
    folder = make_repository(Commit({"first.py": "def first():\n    return 'word0'\n"}, "feat: begin"))
    indexed(folder)
    return folder


def indexed(folder: Path) -> None:
    with opened(folder, os.environ) as workspace:
        index(workspace, Run())


def write(folder: Path, number: int) -> None:
    (folder / f"file{number}.py").write_text(f"def number{number}():\n    return 'word{number}'\n")


def rows_and_stamp(workspace: Workspace, name: str) -> tuple[tuple[int, int], tuple[int, int]]:
    stamp = workspace.catalog.table_stamp(name)
    assert stamp
    return workspace.store.stamp(name), (stamp.version, stamp.rows)


@contextmanager
def upkeep(folder: Path, failures: list[BaseException], until: threading.Event) -> Iterator[threading.Thread]:
    """Upkeep in another thread, again and again until it is told to end."""

    def keep_up() -> None:
        try:
            while True:
                with opened(folder, os.environ) as workspace:
                    maintain(workspace)
                if until.is_set():
                    return
        except BaseException as failure:  # noqa: BLE001  # of a thread: it is looked at behind it
            failures.append(failure)

    thread = threading.Thread(target=keep_up)
    thread.start()
    try:
        yield thread
    finally:
        until.set()
        thread.join()


@pytest.mark.slow
def test_an_index_run_does_not_wait_for_a_table_that_is_being_rewritten(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on, failures = threading.Event(), threading.Event(), list[BaseException]()
    optimise = Store.optimise

    def slow(self: Store, name: str) -> None:
        begun.set()
        assert go_on.wait(60)
        optimise(self, name)

    monkeypatch.setattr(Store, "optimise", slow)
    stop = threading.Event()
    stop.set()  # once
    with upkeep(folder, failures, stop):
        assert begun.wait(60)
        write(folder, 1)
        try:
            indexed(folder)
            assert found(folder, "number1")[0][0] == "file1.py"
        finally:
            go_on.set()
    assert failures == []
    with opened(folder, os.environ) as workspace:
        for name in workspace.tables:
            shown, stamp = rows_and_stamp(workspace, name)
            assert shown == stamp


@pytest.mark.slow
def test_what_is_added_while_tables_are_rewritten_is_there(folder: Path) -> None:
    failures: list[BaseException] = []
    with upkeep(folder, failures, threading.Event()):
        for number in range(1, ROUNDS):
            write(folder, number)
            indexed(folder)
    assert failures == []
    indexed(folder)
    with opened(folder, os.environ) as workspace:
        assert workspace.store.stamp("chunks")[1] == ROUNDS
        assert workspace.notices == []
    assert [found(folder, f"number{number}")[0][0] for number in range(1, ROUNDS)] == [
        f"file{number}.py" for number in range(1, ROUNDS)
    ]


def test_nothing_is_set_aside_while_tables_are_rewritten(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repomem.core.processes.locks.WRITE_WAIT", 0.1)
    with tables_lock(folder / ".git" / "repomem"), opened(folder, os.environ) as workspace:
        with pytest.raises(StoreError, match="maintaining the index"):
            index(workspace, Run(), rebuild=True)
        assert (workspace.store_folder / "chunks.lance").is_dir()


@pytest.mark.parametrize("lock", [INDEX_LOCK, VECTORS_LOCK, TABLES_LOCK])
def test_nothing_is_deleted_while_another_process_maintains_the_tables(
    folder: Path, monkeypatch: pytest.MonkeyPatch, lock: str
) -> None:
    monkeypatch.setattr("repomem.setup.removal.WAIT", 0.1)
    with try_lock(folder / ".git" / "repomem" / lock, 1.0) as is_held, opened(folder, os.environ) as workspace:
        assert is_held
        with pytest.raises(StoreError, match="an index run is still in progress"), exclusively(workspace):
            removed(workspace, is_ledger_too=False)
        assert (workspace.store_folder / "chunks.lance").is_dir()


def test_tables_repaired_by_another_process_are_not_set_aside_again(folder: Path) -> None:
    with opened(folder, os.environ) as late:
        damage = StoreDamaged("a row of the table 'chunks' changed on disk", table="chunks")
        assert late.store.stamp("chunks")[1]
        with opened(folder, os.environ) as first:
            first.discard(damage)
        indexed(folder)
        late.discard(damage)
        assert late.store.stamp("chunks")[1]
    assert found(folder, "first")[0][0] == "first.py"


@pytest.mark.slow
def test_a_run_whose_tables_are_set_aside_meanwhile_begins_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    profile = index_operation.with_profile
    discards = [StoreDamaged("a row of the table 'chunks' changed on disk", table="chunks")]

    def with_profile(now: Snapshot, paths: Sequence[str]) -> Worktree:
        made = profile(now, paths)
        if discards:
            with opened(folder, os.environ) as other:
                assert other.store
                other.discard(discards.pop())
                index(other, Run())
        return made

    monkeypatch.setattr(index_operation, "with_profile", with_profile)
    write(folder, 1)
    with opened(folder, os.environ) as workspace:
        index(workspace, Run())
    assert discards == []
    assert [found(folder, name)[0][0] for name in ("first", "number1")] == ["first.py", "file1.py"]


@pytest.mark.slow
def test_a_table_opened_while_dead_rows_are_deleted_is_intact(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repomem.index.maintenance.DEAD_SHARE", 0.0)
    monkeypatch.setattr("repomem.adapters.sqlite.catalog.KEPT_VIEWS", 1)
    delete, seen = Store.delete, list[int]()

    def watched(self: Store, name: str, ids: Sequence[int]) -> None:
        delete(self, name, ids)
        with opened(folder, os.environ) as reader:
            seen.append(reader.store.stamp(name)[1])

    for number in range(1, 4):
        write(folder, number)
        indexed(folder)
        (folder / f"file{number}.py").unlink()
        indexed(folder)
    monkeypatch.setattr(Store, "delete", watched)
    with opened(folder, os.environ) as workspace:
        maintain(workspace)
    assert seen
    assert found(folder, "first")[0][0] == "first.py"


def test_maintenance_deletes_leftovers_of_a_dropped_table(folder: Path) -> None:
    rest = folder / ".git" / "repomem" / "store" / "vectors-aaaaaaaaaaaa.lance"
    rest.mkdir()
    with opened(folder, os.environ) as workspace:
        maintain(workspace)
    assert not rest.exists()


def test_a_version_that_was_dropped_meanwhile_is_shown_to_no_model(folder: Path) -> None:
    write(folder, 1)
    indexed(folder)
    with opened(folder, os.environ) as workspace:
        first, *others = versions = sorted(workspace.catalog.file_versions.live_chunks())
        assert {version for version, _ in passages_of(workspace, versions)} == set(versions)
        with opened(folder, os.environ) as other:
            other.catalog.file_versions.drop([first], {})
        assert {version for version, _ in passages_of(workspace, versions)} == set(others)


def test_a_draft_is_told_from_what_was_committed_at_the_same_path(folder: Path) -> None:
    for text in ("draft", "committed"):
        (folder / "one.py").write_text(f"def one():\n    return '{text}'\n")
        indexed(folder)
    with opened(folder, os.environ) as workspace:
        versions = sorted(workspace.catalog.file_versions.live_chunks())
        assert len(versions) == 3
        assert len(set(workspace.catalog.file_versions.blobs(versions).values())) == 3
