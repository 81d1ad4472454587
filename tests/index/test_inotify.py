"""The inotify watcher on real folders."""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Empty, SimpleQueue

import pytest

from repomem.index.watch.events import Changed, EventQueue, WatchedFolder

if sys.platform != "linux":
    pytest.skip("inotify is of Linux", allow_module_level=True)

from repomem.index.watch.inotify import InotifyWatcher


@pytest.fixture
def events() -> EventQueue:
    return SimpleQueue()


@pytest.fixture
def watcher(events: EventQueue) -> Iterator[InotifyWatcher]:
    made = InotifyWatcher(events)
    yield made
    made.close()


def trees(*folders: Path) -> list[WatchedFolder]:
    return [WatchedFolder(folder, is_git=False) for folder in folders]


def received(events: EventQueue) -> set[object]:
    """What is received until nothing more is."""
    found: set[object] = set()
    try:
        found.add(events.get(timeout=10))
        while True:
            found.add(events.get(timeout=0.3))
    except Empty:
        return found


def is_silent(events: EventQueue) -> bool:
    time.sleep(0.3)
    return events.empty()


def test_a_saved_file_is_reported_and_an_open_file_is_not(
    watcher: InotifyWatcher, events: EventQueue, tmp_path: Path
) -> None:
    (tmp_path / "log").touch()
    watcher.watch("tree", trees(tmp_path))
    with (tmp_path / "log").open("a") as file:
        file.write("a line\n")
        file.flush()
        assert is_silent(events)
    assert received(events) == {Changed("tree")}


def test_changes_in_subfolders_are_not_reported(watcher: InotifyWatcher, events: EventQueue, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    watcher.watch("tree", trees(tmp_path))
    (tmp_path / "inner" / "file").touch()
    assert is_silent(events)


def test_changes_of_folders_and_ignore_rules_are_marked(
    watcher: InotifyWatcher, events: EventQueue, tmp_path: Path
) -> None:
    watcher.watch("tree", trees(tmp_path))
    (tmp_path / "inner").mkdir()
    assert received(events) == {Changed("tree", is_of_folders=True)}
    (tmp_path / ".gitignore").write_text("*.log\n")
    assert received(events) == {Changed("tree", is_of_folders=True)}


def test_a_renamed_folder_is_still_watched(watcher: InotifyWatcher, events: EventQueue, tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    watcher.watch("tree", trees(tmp_path, old))
    old.rename(new)
    old.mkdir()  # another one under the old name
    assert received(events)
    watcher.watch("tree", trees(tmp_path, old, new))
    for folder in (old, new):
        (folder / "file").write_text("text\n")
        assert received(events) == {Changed("tree")}


def test_a_folder_stays_watched_for_other_work_trees(
    watcher: InotifyWatcher, events: EventQueue, tmp_path: Path
) -> None:
    watcher.watch("one", trees(tmp_path))
    watcher.watch("two", trees(tmp_path))
    watcher.watch("one", ())
    (tmp_path / "file").touch()
    assert received(events) == {Changed("two")}


def test_a_deleted_folder_is_reported_and_a_missing_one_is_skipped(
    watcher: InotifyWatcher, events: EventQueue, tmp_path: Path
) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "link").symlink_to(inner)
    watcher.watch("tree", trees(inner, tmp_path / "never", tmp_path / "link"))
    inner.rmdir()
    assert Changed("tree", is_of_folders=True) in received(events)


def test_a_queue_overflow_reports_every_work_tree(watcher: InotifyWatcher, events: EventQueue, tmp_path: Path) -> None:
    files = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for file in files:
        file.touch()
    watcher.watch("tree", trees(tmp_path))
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    with watcher._lock:  # nothing reads the queue meanwhile
        for number in range(most + 10):
            os.utime(files[number % 2])  # one event for each, as the kernel joins only equal neighbours
    assert Changed("tree", is_of_folders=True) in received(events)
