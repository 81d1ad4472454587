"""Locks between processes: real ones, held by real processes."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from repomem.core.errors import StoreError
from repomem.core.processes import locks
from repomem.core.processes.locks import try_lock, write_lock

HOLD = """
import sys
from pathlib import Path
from repomem.core.processes.locks import try_lock
with try_lock(Path(sys.argv[1])) as is_held:
    print(is_held, flush=True)
    sys.stdin.readline()
"""


@contextmanager
def held_elsewhere(path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process that holds the lock until it is killed."""
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "True\n"
        try:
            yield process
        finally:
            process.kill()


def test_a_lock_held_by_another_process_is_not_acquired(tmp_path: Path) -> None:
    with held_elsewhere(tmp_path / "a.lock"), try_lock(tmp_path / "a.lock") as is_held:
        assert not is_held


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    with held_elsewhere(tmp_path / "a.lock") as process:
        process.kill()
        process.wait()
        with try_lock(tmp_path / "a.lock") as is_held:
            assert is_held


def test_a_lock_is_free_again_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="inside"), try_lock(tmp_path / "a.lock"):
        raise ValueError("inside")
    with try_lock(tmp_path / "a.lock") as is_held:
        assert is_held


def test_a_writer_that_times_out_raises_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "WRITE_WAIT", 0.01)
    with held_elsewhere(tmp_path / "write.lock"):
        with pytest.raises(StoreError, match="another repomem process") as caught, write_lock(tmp_path):
            pytest.fail("two writers at once")
        assert caught.value.hint


def test_a_writer_acquires_the_lock_when_it_is_released(tmp_path: Path) -> None:
    with held_elsewhere(tmp_path / "write.lock") as process:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
        with write_lock(tmp_path):
            assert (tmp_path / "write.lock").exists()


def test_a_lock_that_the_system_refuses_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "a.lock").mkdir()
    with pytest.raises(StoreError, match="cannot lock"), try_lock(tmp_path / "a.lock"):
        pytest.fail("a folder was locked")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no modes")
def test_a_lock_file_is_readable_only_by_its_user(tmp_path: Path) -> None:
    with write_lock(tmp_path):
        assert oct((tmp_path / "write.lock").stat().st_mode & 0o777) == oct(0o600)
