"""Faults between processes and at the limits of the machine: kills, locks, notes, full disks, forbidden folders."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest
from support.fault_scenes import (
    Ledgerly,
    answers_of,
    asked,
    indexed,
    paths_found,
    recalled,
    repomem_fresh,
    started,
    written,
)
from support.repositories import RunGit

from repomem.adapters.lance.store import Store
from repomem.adapters.sqlite.catalog_rows import TableStamp
from repomem.core.errors import NotFound, StoreError
from repomem.core.processes.locks import try_lock, write_lock
from repomem.index.pending_runs import leave_note
from repomem.index.report import IndexReport
from repomem.index.run import index
from repomem.recall.answer import search_now
from repomem.workspace.run import Run
from repomem.workspace.snapshot import Scope
from repomem.workspace.workspace import INDEX_LOCK, Workspace, opened

pytest_plugins = ("support.fault_scenes",)

WITHOUT_ROOTS_RIGHTS = "libc = ctypes.CDLL(None); libc.prctl(24, 1, 0, 0, 0); libc.prctl(24, 2, 0, 0, 0)"
HOLD = """
import os, signal, sys
from filelock import FileLock
with FileLock(sys.argv[1]):
    print("held", flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)
"""


def limited(folder: Path, limits: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """The command in a process that `limits`, a statement, has bounded."""
    start = f"import ctypes, os, resource, sys; {limits}; os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    command = [sys.executable, "-P", "-c", start, "-P", "-m", "repomem", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)


def assert_told(done: "subprocess.CompletedProcess[str]", reason: str) -> None:
    """It failed as our errors do: exit code 1, a sentence with a hint, and no data."""
    assert done.returncode == 1, done.stderr
    assert done.stderr.startswith("error: ")
    assert reason in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@contextmanager
def lock_held_by_a_stopped_process(path: Path) -> Iterator[None]:
    """The lock is held by a process that SIGSTOP has stopped; it is killed in the end."""
    with subprocess.Popen([sys.executable, "-P", "-c", HOLD, str(path)], stdout=subprocess.PIPE) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == b"held\n"
            yield
        finally:
            holder.kill()


@pytest.mark.slow
def test_fault_06_an_index_killed_at_any_instant_is_finished_by_the_next_run(ledgerly: Ledgerly) -> None:
    shutil.rmtree(ledgerly.memory)
    instants = random.Random(6)
    for _ in range(5):
        run = started(ledgerly.folder, "index", "--quiet")
        time.sleep(instants.uniform(0.2, 1.2))
        run.kill()
        run.wait()
    assert indexed(ledgerly.folder)[1] == []
    assert answers_of(ledgerly.folder) == ledgerly.answers


def test_fault_09_a_disk_that_is_full_loses_nothing_that_was_indexed(
    ledgerly: Ledgerly, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(ledgerly.folder, {"src/ledgerly/more.py": "def one_more_zebra():\n    return 1\n"})
    with monkeypatch.context() as patch:
        patch.setattr("lancedb.table.LanceTable.add", refused_by_the_disk)
        with pytest.raises(StoreError, match="disk is full"):
            indexed(ledgerly.folder)
    (ledgerly.folder / "src/ledgerly/more.py").unlink()
    assert answers_of(ledgerly.folder) == ledgerly.answers


def refused_by_the_disk(*arguments: object) -> None:
    raise RuntimeError("lance error: LanceError(IO): No space left on device (os error 28), src/x.rs:1:2")


@pytest.mark.parametrize("kilobytes", [16, 64])
def test_fault_09_files_that_may_not_grow_are_reported_and_the_next_run_goes_on(
    ledgerly: Ledgerly, kilobytes: int
) -> None:
    shutil.rmtree(ledgerly.memory)
    size = kilobytes << 10
    done = limited(ledgerly.folder, f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))", "index", "--quiet")
    assert_told(done, "disk")
    assert indexed(ledgerly.folder)[1] == []
    assert answers_of(ledgerly.folder) == ledgerly.answers


def mounted(folder: Path, size: str) -> bool:
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_fault_09_a_file_system_without_space_is_reported_and_loses_nothing(ledgerly: Ledgerly) -> None:
    memory = ledgerly.memory
    shutil.rmtree(memory)
    memory.mkdir(mode=0o700)
    if not mounted(memory, "2m"):
        pytest.skip("mounting a small file system takes root")
    try:
        memory.chmod(0o700)
        indexed(ledgerly.folder)
        free = os.statvfs(memory)
        (memory / "filler").write_bytes(bytes(free.f_bavail * free.f_bsize - 8192))
        written(ledgerly.folder, {f"src/ledgerly/m{n}.py": f"def zebra_{n}():\n    return 1\n" * 40 for n in range(9)})
        assert_told(repomem_fresh(ledgerly.folder, "index"), "disk")
        older = repomem_fresh(ledgerly.folder, "recall", "posting amount")
        assert (older.returncode, "older than the worktree" in older.stdout) == (0, True)
        for path in ledgerly.folder.glob("src/ledgerly/m?.py"):
            path.unlink()
        assert asked(ledgerly.folder)[0] == ledgerly.answers
        (memory / "filler").unlink()
        indexed(ledgerly.folder)
        assert answers_of(ledgerly.folder) == ledgerly.answers
    finally:
        subprocess.run(["umount", "-l", memory], check=True)


@contextmanager
def unwritable(folder: Path) -> Iterator[None]:
    """The folder and all in it read-only for a process without root's rights."""
    paths = [folder, *folder.rglob("*")]
    modes = {path: path.stat().st_mode for path in paths}
    for path, mode in modes.items():
        path.chmod(mode & ~0o222)
    try:
        yield
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


@pytest.mark.slow
def test_fault_10_a_read_only_git_directory_is_answered_from_and_never_written(ledgerly: Ledgerly) -> None:
    with unwritable(ledgerly.folder / ".git"):
        whole = limited(ledgerly.folder, WITHOUT_ROOTS_RIGHTS, "recall")
        hits = limited(ledgerly.folder, WITHOUT_ROOTS_RIGHTS, "search", "amount of a posting", "--format", "json")
        assert (whole.returncode, whole.stderr, whole.stdout.strip()) == (0, "", ledgerly.answers.map.strip())
        assert (hits.returncode, hits.stderr) == (0, "")
        assert limited(ledgerly.folder, WITHOUT_ROOTS_RIGHTS, "index").returncode == 0  # nothing to do
        written(ledgerly.folder, {"src/ledgerly/new.py": "def unseen_zebra():\n    return 1\n"})
        assert_told(limited(ledgerly.folder, WITHOUT_ROOTS_RIGHTS, "index"), "cannot lock")
        behind = limited(ledgerly.folder, WITHOUT_ROOTS_RIGHTS, "recall", "posting amount")
        assert behind.returncode == 0
        assert "its folder is not writable" in behind.stdout


def test_fault_10_a_read_only_git_directory_without_an_index_is_reported(ledgerly: Ledgerly) -> None:
    shutil.rmtree(ledgerly.memory)
    with unwritable(ledgerly.folder / ".git"):
        assert_told(limited(ledgerly.folder, WITHOUT_ROOTS_RIGHTS, "recall"), "cannot make the folder")


def test_fault_10_a_second_worktree_that_cannot_be_indexed_is_reported(ledgerly: Ledgerly, run_git: RunGit) -> None:
    other = ledgerly.folder.with_name("other")
    run_git(ledgerly.folder, "worktree", "add", "-q", "--detach", other)
    with unwritable(ledgerly.folder / ".git"):
        assert_told(
            limited(other, WITHOUT_ROOTS_RIGHTS, "recall"), "run repomem index where the git directory is writable"
        )


def test_fault_10_a_damaged_store_in_a_read_only_git_directory_is_reported(ledgerly: Ledgerly) -> None:
    for path in ledgerly.tables("chunks.lance/data/*"):
        path.write_bytes(b"")
    with unwritable(ledgerly.folder / ".git"):
        assert_told(limited(ledgerly.folder, WITHOUT_ROOTS_RIGHTS, "recall", "posting amount"), "cannot be used")


def test_fault_10_a_folder_that_everybody_can_write_is_refused(ledgerly: Ledgerly) -> None:
    ledgerly.memory.chmod(0o777)
    with pytest.raises(StoreError, match="writable by everyone"), opened(ledgerly.folder, os.environ):
        pass


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="giving files away takes root")
def test_fault_10_a_folder_of_another_user_is_refused(ledgerly: Ledgerly) -> None:
    os.chown(ledgerly.memory, 12345, 12345)
    with pytest.raises(StoreError, match="another user"), opened(ledgerly.folder, os.environ):
        pass


def test_fault_10_another_users_unreadable_folder_is_reported(ledgerly: Ledgerly) -> None:
    ledgerly.memory.chmod(0)
    try:
        for verb in (["recall"], ["remember", "Amounts are integers"], ["index"], ["doctor"]):
            assert_told(limited(ledgerly.folder, WITHOUT_ROOTS_RIGHTS, *verb), "cannot be read by this user")
    finally:
        ledgerly.memory.chmod(0o700)


def test_fault_10_a_link_in_the_place_of_the_folder_is_refused(ledgerly: Ledgerly, tmp_path: Path) -> None:
    ledgerly.memory.rename(tmp_path / "elsewhere")
    ledgerly.memory.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="is not a folder"), opened(ledgerly.folder, os.environ):
        pass


def linked(repository: Ledgerly, run_git: RunGit, number: int) -> Path:
    """A linked worktree with one function of its own."""
    folder = repository.folder.parent / f"tree{number}"
    run_git(repository.folder, "worktree", "add", "-q", "--detach", folder)
    written(folder, {f"src/ledgerly/zebra{number}.py": f"def zebra_number_{number}():\n    return {number}\n"})
    return folder


@pytest.mark.slow
def test_fault_11_eight_concurrent_runs_lose_and_duplicate_nothing(ledgerly: Ledgerly, run_git: RunGit) -> None:
    shutil.rmtree(ledgerly.memory)
    trees = [linked(ledgerly, run_git, number) for number in range(3)]
    runs = [started(folder, "index", "--quiet") for folder in [*[ledgerly.folder] * 5, *trees]]
    assert [run.wait(120) for run in runs] == [0] * len(runs)
    assert not list((ledgerly.memory / "waiting").glob("*"))
    with opened(ledgerly.folder, os.environ) as workspace:
        known = {worktree.root for worktree in workspace.catalog.worktrees()}
        assert known == {str(folder) for folder in (ledgerly.folder, *trees)}
        for version in workspace.catalog.file_versions.with_ids(range(1, 1000)):
            assert len(workspace.store.chunks([version.id])) == version.chunks
    assert answers_of(ledgerly.folder) == ledgerly.answers
    for number, tree in enumerate(trees):
        found = paths_found(tree, f"zebra_number_{number}")
        assert found[0] == f"src/ledgerly/zebra{number}.py"
        assert not {f"src/ledgerly/zebra{other}.py" for other in range(3) if other != number}.intersection(found)


def test_fault_11_opening_the_tables_holds_no_lock(ledgerly: Ledgerly, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.rmtree(ledgerly.memory)
    free = []
    opening = Store.open

    def told(folder: Path) -> Store:
        with try_lock(ledgerly.memory / "write.lock") as is_free:
            free.append(is_free)
        return opening(folder)

    monkeypatch.setattr(Store, "open", told)
    indexed(ledgerly.folder)
    assert set(free) == {True}


def test_a_second_run_leaves_its_work_to_the_first(
    ledgerly: Ledgerly, run_git: RunGit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repomem.index.run.LOCK_WAIT", 0.05)
    tree = linked(ledgerly, run_git, 7)
    second: list[IndexReport] = []

    def meanwhile(workspace: Workspace) -> None:
        if workspace.root == str(ledgerly.folder):
            thread = Thread(target=lambda: second.append(indexed(tree)[0]))
            thread.start()
            thread.join()
            assert [note.read_text() for note in (ledgerly.memory / "waiting").iterdir()] == [str(tree)]

    written(ledgerly.folder, {"one.py": "one = 1\n"})
    monkeypatch.setattr("repomem.items.repository_map.cache_map", meanwhile)
    with opened(ledgerly.folder, os.environ) as workspace:
        assert index(workspace, Run()).state == "indexed"
    assert [report.state for report in second] == ["waiting"]
    assert not list((ledgerly.memory / "waiting").iterdir())
    assert indexed(tree)[0].state == "current"


def test_a_note_left_while_its_work_tree_is_served_is_served_too(
    ledgerly: Ledgerly, run_git: RunGit, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = linked(ledgerly, run_git, 9)
    served: list[str] = []

    def meanwhile(workspace: Workspace) -> None:
        served.append(workspace.root)
        if served.count(str(tree)) == 1 and workspace.root == str(tree):
            written(tree, {"late.py": "def zebra_late():\n    return 1\n"})
            leave_note(workspace)

    with opened(tree, os.environ) as workspace:
        leave_note(workspace)
    written(ledgerly.folder, {"one.py": "one = 1\n"})
    monkeypatch.setattr("repomem.items.repository_map.cache_map", meanwhile)
    with opened(ledgerly.folder, os.environ) as workspace:
        index(workspace, Run())
    assert served == [str(ledgerly.folder), str(tree), str(tree)]
    assert indexed(tree)[0].state == "current"


def test_the_note_of_a_work_tree_that_is_gone_is_dropped_with_its_entry(ledgerly: Ledgerly, run_git: RunGit) -> None:
    tree = linked(ledgerly, run_git, 8)
    indexed(tree)
    with lock_held_by_a_stopped_process(ledgerly.memory / "index.lock"):
        assert indexed(tree)[0].state == "waiting"
    shutil.rmtree(tree)
    assert indexed(ledgerly.folder)[1] == []
    assert not list((ledgerly.memory / "waiting").iterdir())
    with opened(ledgerly.folder, os.environ) as workspace:
        assert str(tree) not in {worktree.root for worktree in workspace.catalog.worktrees()}


@pytest.mark.slow
def test_fault_14_if_a_run_is_stopped_answers_report_what_is_missing(ledgerly: Ledgerly) -> None:
    written(ledgerly.folder, {"src/ledgerly/new.py": "def unseen_zebra():\n    return 1\n"})
    with lock_held_by_a_stopped_process(ledgerly.memory / "index.lock"):
        assert indexed(ledgerly.folder)[0].state == "waiting"
        assert "another index run is still in progress" in recalled(ledgerly.folder, "posting amount")
        assert "src/ledgerly/new.py" not in paths_found(ledgerly.folder, "unseen_zebra")
        ended = repomem_fresh(ledgerly.folder, "search", "unseen_zebra", "--format", "json")
        warning = "another index run is still in progress; this shows what was indexed before"
        assert ended.stderr.startswith(f"warning: {warning}\n")
        assert warning in json.loads(ended.stdout)["warnings"]
    assert indexed(ledgerly.folder)[0].state == "indexed"
    assert paths_found(ledgerly.folder, "unseen_zebra")[0] == "src/ledgerly/new.py"


def test_fault_14_if_the_first_run_is_stopped_the_error_reports_it(
    ledgerly: Ledgerly, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(ledgerly.memory)
    with opened(ledgerly.folder, os.environ):
        pass  # the first run has made its folder
    with lock_held_by_a_stopped_process(ledgerly.memory / "index.lock"), monkeypatch.context() as hurried:
        hurried.setattr("repomem.index.run.LOCK_WAIT", 0.1)
        hurried.setattr("repomem.recall.answer.CATCH_UP_SECONDS", 0.5)
        with pytest.raises(NotFound, match="the first index run is in progress"):
            recalled(ledgerly.folder, "posting amount")
    assert answers_of(ledgerly.folder) == ledgerly.answers


def test_fault_14_if_a_writer_is_stopped_a_run_ends_with_the_reason(
    ledgerly: Ledgerly, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repomem.core.processes.locks.WRITE_WAIT", 0.2)
    written(ledgerly.folder, {"src/ledgerly/new.py": "def unseen_zebra():\n    return 1\n"})
    with (
        lock_held_by_a_stopped_process(ledgerly.memory / "write.lock"),
        pytest.raises(StoreError, match="another repomem process"),
    ):
        indexed(ledgerly.folder)
    assert indexed(ledgerly.folder)[0].state == "indexed"


@pytest.mark.slow
def test_fault_12_maintenance_beside_readers_and_writers_loses_nothing(ledgerly: Ledgerly) -> None:
    with opened(ledgerly.folder, os.environ) as server:  # as an MCP server lives on
        for number in range(2):
            written(ledgerly.folder, {f"src/ledgerly/m{number}.py": f"def zebra_{number}():\n    return {number}\n"})
            running = [started(ledgerly.folder, *verb) for verb in (["maintain"], ["index", "--quiet"], ["maintain"])]
            while any(process.poll() is None for process in running):
                assert search_now(server, ["ledger amount"], Scope(), 5, Run())[0][0]
                time.sleep(0.02)  # the processors are for those who write
            assert [process.returncode for process in running] == [0, 0, 0]
        with opened(ledgerly.folder, os.environ) as workspace, write_lock(workspace.folder):
            for name in workspace.tables:  # what a run does once there is much to merge, while the server reads on
                workspace.store.optimise(name)
                workspace.catalog.stamp_table(name, TableStamp(*workspace.store.stamp(name)))
        hits, _ = search_now(server, [f"zebra_{number}" for number in range(2)], Scope(), 1, Run())
        assert [each[0].file.path for each in hits] == [f"src/ledgerly/m{number}.py" for number in range(2)]
        assert server.notices == []
    for number in range(2):
        (ledgerly.folder / f"src/ledgerly/m{number}.py").unlink()
    assert answers_of(ledgerly.folder) == ledgerly.answers


@pytest.mark.slow
def test_fault_45_four_concurrent_set_ups_make_one_store(ledgerly: Ledgerly) -> None:
    shutil.rmtree(ledgerly.memory)
    running = [started(ledgerly.folder, "init", "--yes") for _ in range(4)]
    assert [process.wait(120) for process in running] == [0] * 4
    report, notices = indexed(ledgerly.folder)
    assert (report.state, notices) == ("current", [])
    assert answers_of(ledgerly.folder) == ledgerly.answers


@pytest.mark.skipif(sys.platform != "linux", reason="the limits are those of Linux")
def test_fault_20_few_open_files_are_enough(ledgerly: Ledgerly) -> None:
    shutil.rmtree(ledgerly.memory)
    few = "resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))"
    assert limited(ledgerly.folder, few, "index").returncode == 0
    done = limited(ledgerly.folder, few, "recall", "posting amount")
    assert (done.returncode, done.stderr) == (0, "")
    assert "src/ledgerly/parser.py" in done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="the limits are those of Linux")
def test_fault_20_too_little_memory_is_reported_and_nothing_is_lost(ledgerly: Ledgerly) -> None:
    little = "resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))"
    assert_told(limited(ledgerly.folder, little, "recall", "posting amount"), "address space")
    assert answers_of(ledgerly.folder) == ledgerly.answers


def test_a_kept_interrupt_signal_ends_a_run_with_its_own_code(ledgerly: Ledgerly) -> None:
    shutil.rmtree(ledgerly.memory)
    run = started(ledgerly.folder, "index", "--quiet")
    while not (ledgerly.memory / INDEX_LOCK).exists():  # a process that Python has not begun yet has no code of its own
        time.sleep(0.02)
    run.send_signal(signal.SIGINT)
    assert run.wait(60) in (0, 130)
    indexed(ledgerly.folder)
    assert answers_of(ledgerly.folder) == ledgerly.answers
