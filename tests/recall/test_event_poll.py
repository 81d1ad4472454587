"""Ears by inotify: what happens in the folders that are listened in is heard at once, and nothing else."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from repomem.recall.event_poll import InotifyEars, listen
from repomem.recall.server import Heard

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "below").mkdir()
    (tmp_path / "old.txt").write_text("old")
    (tmp_path / "below" / "old.txt").write_text("old")
    return tmp_path


@pytest.fixture
def ears(folder: Path) -> Iterator[InotifyEars]:
    found = InotifyEars()
    found.attend([folder, folder / "absent"])
    yield found
    found.close()


@pytest.mark.parametrize(
    ("change", "heard"),
    [
        (lambda folder: (folder / "new.txt").write_text("new"), Heard.CHANGES),
        (lambda folder: (folder / "old.txt").write_text("new"), Heard.CHANGES),
        (lambda folder: (folder / "old.txt").chmod(0o755), Heard.CHANGES),
        (lambda folder: (folder / "old.txt").unlink(), Heard.CHANGES),
        (lambda folder: (folder / "old.txt").rename(folder / "other.txt"), Heard.CHANGES),
        (lambda folder: (folder / "new").mkdir(), Heard.FOLDERS),
        (lambda folder: (folder / "below").rename(folder / "beside"), Heard.FOLDERS),
        (lambda folder: (folder / ".gitignore").write_text("*.log"), Heard.FOLDERS),
        (lambda folder: (folder / "below" / "old.txt").write_text("new"), Heard.NOTHING),
        (lambda folder: (folder / "old.txt").read_text(), Heard.NOTHING),
        (lambda folder: list(folder.iterdir()), Heard.NOTHING),
    ],
)
def test_a_change_is_heard_once(
    folder: Path, ears: InotifyEars, change: Callable[[Path], object], heard: Heard
) -> None:
    assert ears.heard() is Heard.NOTHING
    change(folder)
    assert ears.heard() is heard
    assert ears.heard() is Heard.NOTHING


def test_a_file_that_is_written_and_not_closed_yet_is_heard(folder: Path, ears: InotifyEars) -> None:
    with (folder / "old.txt").open("a") as file:
        ears.heard()
        file.write("more")
        file.flush()
        assert ears.heard() is Heard.CHANGES


def test_more_changes_than_the_system_keeps_are_a_reason_to_listen_anew(folder: Path, ears: InotifyEars) -> None:
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    for number in range(most // 2 + 10):
        (folder / "a.txt").touch()
        (folder / f"{'ab'[number % 2]}.txt").write_text("x")
    assert ears.heard() is Heard.FOLDERS


def test_a_folder_that_is_left_alone_is_heard_no_more(folder: Path, ears: InotifyEars) -> None:
    ears.attend([folder / "below"])
    (folder / "old.txt").write_text("new")
    assert ears.heard() is Heard.NOTHING
    (folder / "below" / "old.txt").write_text("new")
    assert ears.heard() is Heard.CHANGES


def test_there_are_no_ears_where_another_machine_may_write() -> None:
    assert listen(Path("/proc")) is None
