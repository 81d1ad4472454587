"""Background processes that are ended before their repository's data is deleted."""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from repomem.core.processes.background import PROGRAM, stop_detached

PATIENCE = 30.0


@pytest.fixture
def capture(tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A capture for a folder of a repository, started from elsewhere as hosts' hooks do, that waits for its input."""
    inside = tmp_path / "shop" / "src"
    inside.mkdir(parents=True)
    words = [*PROGRAM, "-C", str(inside), "hook", "capture", "--host", "plain"]
    with subprocess.Popen(words, cwd=os.sep, stdin=subprocess.PIPE) as process:
        until = time.monotonic() + PATIENCE
        while not Path(f"/proc/{process.pid}/cmdline").read_bytes():  # for an instant after it was started
            assert time.monotonic() < until
        yield process
        process.kill()


def test_a_capture_ends_with_the_others_of_its_repository(capture: "subprocess.Popen[bytes]", tmp_path: Path) -> None:
    assert stop_detached(tmp_path / "shop", {"hook"}, PATIENCE) == 1
    assert capture.poll() is not None or capture.wait(PATIENCE)


@pytest.mark.parametrize(("folder", "command"), [("shopping", "hook"), ("shop", "index")])
def test_a_capture_of_another_repository_and_other_commands_go_on(
    capture: "subprocess.Popen[bytes]", tmp_path: Path, folder: str, command: str
) -> None:
    (tmp_path / "shopping").mkdir()
    assert stop_detached(tmp_path / folder, {command}, PATIENCE) == 0
    assert capture.poll() is None
