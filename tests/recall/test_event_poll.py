"""EventPoll by inotify: what happens in the folders that are listened in is changes at once, and nothing else."""

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
def test_a_change_is_heard_once(
    folder: Path, poll: InotifyPoll, change: Callable[[Path], object], changes: FolderChanges
) -> None:
    assert poll.changes() is FolderChanges.NONE
    change(folder)
    assert poll.changes() is changes
    assert poll.changes() is FolderChanges.NONE


def test_a_file_that_is_written_and_not_closed_yet_is_heard(folder: Path, poll: InotifyPoll) -> None:
    with (folder / "old.txt").open("a") as file:
        poll.changes()
        file.write("more")
        file.flush()
        assert poll.changes() is FolderChanges.FILES


def test_more_changes_than_the_system_keeps_are_a_reason_to_listen_anew(folder: Path, poll: InotifyPoll) -> None:
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    for number in range(most // 2 + 10):
        (folder / "a.txt").touch()
        (folder / f"{'ab'[number % 2]}.txt").write_text("x")
    assert poll.changes() is FolderChanges.FOLDERS


def test_a_folder_that_is_left_alone_is_heard_no_more(folder: Path, poll: InotifyPoll) -> None:
    poll.watch([folder / "below"])
    (folder / "old.txt").write_text("new")
    assert poll.changes() is FolderChanges.NONE
    (folder / "below" / "old.txt").write_text("new")
    assert poll.changes() is FolderChanges.FILES


def test_there_are_no_ears_where_another_machine_may_write() -> None:
    assert open_poll(Path("/proc")) is None
