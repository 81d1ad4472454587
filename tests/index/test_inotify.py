"""Ears on real folders."""

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Empty, SimpleQueue

import pytest

from repomem.index.watch.watch import Changed, Mailbox, Place

if sys.platform != "linux":
    pytest.skip("inotify is of Linux", allow_module_level=True)

from repomem.index.watch.inotify import InotifyEars


@pytest.fixture
def mailbox() -> Mailbox:
    return SimpleQueue()


@pytest.fixture
def ears(mailbox: Mailbox) -> Iterator[InotifyEars]:
    made = InotifyEars(mailbox)
    yield made
    made.close()


def trees(*folders: Path) -> list[Place]:
    return [Place(folder, is_git=False) for folder in folders]


def heard(mailbox: Mailbox) -> set[object]:
    """What is heard until nothing more is."""
    found: set[object] = set()
    try:
        found.add(mailbox.get(timeout=10))
        while True:
            found.add(mailbox.get(timeout=0.3))
    except Empty:
        return found


def is_silent(mailbox: Mailbox) -> bool:
    time.sleep(0.3)
    return mailbox.empty()


def test_a_save_is_heard_and_a_file_that_stays_open_is_not(ears: InotifyEars, mailbox: Mailbox, tmp_path: Path) -> None:
    (tmp_path / "log").touch()
    ears.attend("tree", trees(tmp_path))
    with (tmp_path / "log").open("a") as file:
        file.write("a line\n")
        file.flush()
        assert is_silent(mailbox)
    assert heard(mailbox) == {Changed("tree")}


def test_only_the_folder_itself_is_listened_to(ears: InotifyEars, mailbox: Mailbox, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    ears.attend("tree", trees(tmp_path))
    (tmp_path / "inner" / "file").touch()
    assert is_silent(mailbox)


def test_folders_and_what_is_ignored_are_told_apart_from_files(
    ears: InotifyEars, mailbox: Mailbox, tmp_path: Path
) -> None:
    ears.attend("tree", trees(tmp_path))
    (tmp_path / "inner").mkdir()
    assert heard(mailbox) == {Changed("tree", is_of_folders=True)}
    (tmp_path / ".gitignore").write_text("*.log\n")
    assert heard(mailbox) == {Changed("tree", is_of_folders=True)}


def test_a_renamed_folder_is_heard_under_its_new_name(ears: InotifyEars, mailbox: Mailbox, tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    ears.attend("tree", trees(tmp_path, old))
    old.rename(new)
    old.mkdir()  # another one under the old name
    assert heard(mailbox)
    ears.attend("tree", trees(tmp_path, old, new))
    for folder in (old, new):
        (folder / "file").write_text("text\n")
        assert heard(mailbox) == {Changed("tree")}


def test_what_is_left_is_heard_no_more_but_by_others(ears: InotifyEars, mailbox: Mailbox, tmp_path: Path) -> None:
    ears.attend("one", trees(tmp_path))
    ears.attend("two", trees(tmp_path))
    ears.attend("one", ())
    (tmp_path / "file").touch()
    assert heard(mailbox) == {Changed("two")}


def test_a_folder_that_is_gone_is_told_and_one_that_was_never_there_is_passed_over(
    ears: InotifyEars, mailbox: Mailbox, tmp_path: Path
) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "link").symlink_to(inner)
    ears.attend("tree", trees(inner, tmp_path / "never", tmp_path / "link"))
    inner.rmdir()
    assert Changed("tree", is_of_folders=True) in heard(mailbox)


def test_an_overflow_is_a_change_of_everything(ears: InotifyEars, mailbox: Mailbox, tmp_path: Path) -> None:
    ears.attend("tree", trees(tmp_path))
    for ear in ears._ears["tree"].values():
        ear.on_queue_overflow()
    assert heard(mailbox) == {Changed("tree", is_of_folders=True)}
