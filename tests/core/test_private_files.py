"""A file is replaced or appended to whole, or left as it was."""

import errno
import os
from pathlib import Path

import pytest

from repomem.core.disk_errors import store_errors
from repomem.core.errors import StoreError
from repomem.core.files import append_to, replace_file


def test_a_file_that_cannot_be_synced_is_as_before_and_leaves_no_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "secret"
    replace_file(path, b"old")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        replace_file(path, b"new")
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == {"secret": b"old"}


def test_a_file_that_cannot_take_its_place_leaves_no_draft(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    path.mkdir()
    with pytest.raises(OSError, match="folder"):
        replace_file(path, b"new")
    assert list(tmp_path.iterdir()) == [path]


def test_data_that_would_not_fit_is_not_appended(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    for line in (b"one\n", b"two\n", b"four and five\n"):
        append_to(path, line, most=8)
    assert path.read_bytes() == b"one\ntwo\n"


@pytest.mark.parametrize(
    ("code", "expected"), [(errno.EROFS, "make the file system"), (errno.EACCES, "check the mode")]
)
def test_the_hint_for_a_read_only_disk_is_not_about_modes(code: int, expected: str) -> None:
    with pytest.raises(StoreError) as raised, store_errors("lock", Path("index.lock"), "check the mode"):
        raise OSError(code, os.strerror(code))
    assert raised.value.hint.startswith(expected)
