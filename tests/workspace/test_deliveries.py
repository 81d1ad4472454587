"""Records of what hooks showed: bounded, private, and never in the way."""

import os
import time
from pathlib import Path

import pytest

from repomem.core.files import delete_files_in
from repomem.workspace.deliveries import (
    DAYS_KEPT,
    FOLDER,
    MOST_BYTES,
    MOST_NAMES,
    MOST_SESSIONS,
    Delivery,
    SessionUse,
    Usage,
    deliveries_of,
    drop_old_deliveries,
    is_shadow,
    record_delivery,
    record_session_use,
    uses_in,
)

SHOWN = Delivery("prompt", ("01KJKW",), ("src/money.py",), 120, at=7.5)


def test_recorded_deliveries_are_read_back(tmp_path: Path) -> None:
    use = SessionUse("codex", "one", tokens=9, reads=2, edited=1, memories={"A": Usage(is_run=True)}, places={})
    record_delivery(tmp_path, "codex", "one", SHOWN)
    record_session_use(tmp_path, use)
    assert deliveries_of(tmp_path, "codex", "one") == [SHOWN]
    assert deliveries_of(tmp_path, "codex", "two") == []
    assert list(uses_in(tmp_path)) == [use]


def test_a_session_without_a_name_is_not_recorded(tmp_path: Path) -> None:
    record_delivery(tmp_path, "codex", "", SHOWN)
    assert list(tmp_path.iterdir()) == []


def test_one_session_fills_a_bounded_file(tmp_path: Path) -> None:
    names = tuple(f"name-{at}" for at in range(3 * MOST_NAMES))
    for _ in range(100):
        record_delivery(tmp_path, "codex", "one", Delivery("prompt", names, names))
    [file] = (tmp_path / FOLDER).iterdir()
    assert MOST_BYTES / 2 < file.stat().st_size <= MOST_BYTES
    assert {len(each.ids) for each in deliveries_of(tmp_path, "codex", "one")} == {MOST_NAMES}


def test_a_damaged_line_is_skipped(tmp_path: Path) -> None:
    record_delivery(tmp_path, "codex", "one", SHOWN)
    [file] = (tmp_path / FOLDER).iterdir()
    file.write_bytes(b'[]\n{"event": "prompt"}\n\xff\n' + file.read_bytes() + b'{"event')
    assert deliveries_of(tmp_path, "codex", "one") == [SHOWN]


def test_no_link_is_followed(tmp_path: Path) -> None:
    record_delivery(tmp_path, "codex", "one", SHOWN)
    [file] = (tmp_path / FOLDER).iterdir()
    file.unlink()
    file.symlink_to(tmp_path / "target")
    record_delivery(tmp_path, "codex", "one", SHOWN)
    assert not (tmp_path / "target").exists()


def test_old_records_are_ignored_and_deleted(tmp_path: Path) -> None:
    record_session_use(tmp_path, SessionUse("codex", "old"))
    [old] = (tmp_path / FOLDER).iterdir()
    then = time.time() - (DAYS_KEPT + 1) * 86_400
    os.utime(old, (then, then))
    record_session_use(tmp_path, SessionUse("codex", "new"))
    assert [each.session for each in uses_in(tmp_path)] == ["new"]
    drop_old_deliveries(tmp_path)
    assert not old.exists()
    assert [each.session for each in uses_in(tmp_path)] == ["new"]


def test_only_the_newest_sessions_are_kept(tmp_path: Path) -> None:
    folder = tmp_path / FOLDER
    folder.mkdir()
    for at in range(2 * MOST_SESSIONS + 3):
        (folder / f"{at:04}.jsonl").touch()
        os.utime(folder / f"{at:04}.jsonl", (time.time() + at, time.time() + at))
    drop_old_deliveries(tmp_path)
    assert min(path.name for path in folder.iterdir()) == "0003.jsonl"


@pytest.mark.parametrize(("value", "expected"), [("shadow", True), ("SHADOW", True), ("0", False), ("", False)])
def test_the_variable_turns_on_shadow_mode(value: str, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REPOMEM", value)
    assert is_shadow() == expected


def test_dropping_all_leaves_nothing(tmp_path: Path) -> None:
    record_delivery(tmp_path, "codex", "one", SHOWN)
    record_session_use(tmp_path, SessionUse("codex", "one"))
    delete_files_in(tmp_path / FOLDER)
    assert list((tmp_path / FOLDER).iterdir()) == []
