"""The inotify poll: changes in watched folders are reported at once, and nothing else."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from repomem.recall.event_poll import InotifyPoll, open_poll
from repomem.recall.server import FolderChanges

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "below").mkdir()
    (tmp_path / "old.txt").write_text("old")
    (tmp_path / "below" / "old.txt").write_text("old")
    return tmp_path


@pytest.fixture
def poll(folder: Path) -> Iterator[InotifyPoll]:
    found = InotifyPoll()
    found.watch([folder, folder / "absent"])
    yield found
    found.close()


@pytest.mark.parametrize(
    ("change", "changes"),
    [
        (lambda folder: (folder / "new.txt").write_text("new"), FolderChanges.FILES),
        (lambda folder: (folder / "old.txt").write_text("new"), FolderChanges.FILES),
        (lambda folder: (folder / "old.txt").chmod(0o755), FolderChanges.FILES),
        (lambda folder: (folder / "old.txt").unlink(), FolderChanges.FILES),
        (lambda folder: (folder / "old.txt").rename(folder / "other.txt"), FolderChanges.FILES),
        (lambda folder: (folder / "new").mkdir(), FolderChanges.FOLDERS),
        (lambda folder: (folder / "below").rename(folder / "beside"), FolderChanges.FOLDERS),
        (lambda folder: (folder / ".gitignore").write_text("*.log"), FolderChanges.FOLDERS),
        (lambda folder: (folder / "below" / "old.txt").write_text("new"), FolderChanges.NONE),
        (lambda folder: (folder / "old.txt").read_text(), FolderChanges.NONE),
        (lambda folder: list(folder.iterdir()), FolderChanges.NONE),
    ],
)
def test_each_change_is_reported_once(
    folder: Path, poll: InotifyPoll, change: Callable[[Path], object], changes: FolderChanges
) -> None:
    assert poll.changes() is FolderChanges.NONE
    change(folder)
    assert poll.changes() is changes
    assert poll.changes() is FolderChanges.NONE


def test_a_write_is_reported_before_the_file_is_closed(folder: Path, poll: InotifyPoll) -> None:
    with (folder / "old.txt").open("a") as file:
        poll.changes()
        file.write("more")
        file.flush()
        assert poll.changes() is FolderChanges.FILES


def test_a_queue_overflow_is_reported_as_a_change_of_folders(folder: Path, poll: InotifyPoll) -> None:
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    (folder / "new.txt").touch()
    for number in range(most + 10):  # one event for each, as the kernel joins only equal neighbours
        os.utime(folder / ("old.txt", "new.txt")[number % 2])
    assert poll.changes() is FolderChanges.FOLDERS


def test_an_unwatched_folder_is_not_reported(folder: Path, poll: InotifyPoll) -> None:
    poll.watch([folder / "below"])
    (folder / "old.txt").write_text("new")
    assert poll.changes() is FolderChanges.NONE
    (folder / "below" / "old.txt").write_text("new")
    assert poll.changes() is FolderChanges.FILES


def test_there_is_no_poll_on_a_file_system_that_is_not_local() -> None:
    assert open_poll(Path("/proc")) is None
