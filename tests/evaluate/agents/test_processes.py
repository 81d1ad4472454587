"""Limits: a program that takes too long is ended with all that it started."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from repomem.core.errors import RepomemError
from repomem.evaluate.agents.processes import TIMEOUT, limited

PARENT = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
                          "print('ready', flush=True); time.sleep(600)"])
print(child.pid, flush=True)
time.sleep(float(sys.argv[1]))
"""


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
@pytest.mark.parametrize(("sleep", "limit", "stopped"), [("600", 1.5, TIMEOUT), ("0.5", 60.0, "")])
def test_nothing_of_a_program_outlives_it(tmp_path: Path, sleep: str, limit: float, stopped: str) -> None:
    with limited([sys.executable, "-c", PARENT, sleep], tmp_path, os.environ, limit) as running:
        lines = [line.strip() for line in running.lines]
        running.wait()
    child = next(int(line) for line in lines if line.isdigit())
    for _ in range(200):
        if not is_alive(child):
            break
        time.sleep(0.05)
    assert not is_alive(child)
    assert (running.stopped, running.code) == (stopped, None if stopped else 0)


DETACHED = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; print('up', flush=True); time.sleep(600)"],
                         start_new_session=True)
print(child.pid, flush=True)
time.sleep(float(sys.argv[1]))
print("last", end="", flush=True)
"""


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
@pytest.mark.parametrize(("sleep", "limit", "stopped"), [("600", 1.5, TIMEOUT), ("0.5", 60.0, "")])
def test_a_detached_program_that_holds_the_output_is_not_waited_for(
    tmp_path: Path, sleep: str, limit: float, stopped: str
) -> None:
    with limited([sys.executable, "-c", DETACHED, sleep], tmp_path, os.environ, limit) as running:
        lines = list(running.lines)
        running.wait()
    child = next(int(line) for line in lines if line.strip().isdigit())
    was_alive = is_alive(child)
    os.kill(child, signal.SIGKILL)
    assert was_alive  # else nothing was shown
    assert running.stopped == stopped
    assert (lines[-1] == b"last") is not bool(stopped)


@pytest.mark.parametrize("size", [10, 300_000])
def test_output_is_read_whole_by_lines(tmp_path: Path, size: int) -> None:
    script = f"import sys; sys.stdout.write('a' * {size} + '\\n\\n' + 'b' * {size})"
    with limited([sys.executable, "-c", script], tmp_path, os.environ, 60.0) as running:
        assert list(running.lines) == [b"a" * size + b"\n", b"\n", b"b" * size]


def test_the_prompt_is_stdin_and_the_folder_is_pwd(tmp_path: Path) -> None:
    script = "import os, sys; print(sys.stdin.read(), os.environ['PWD']); sys.stderr.write('complaint')"
    with limited(
        [sys.executable, "-c", script], tmp_path, os.environ, 60.0, prompt="do it", errors=tmp_path / "e"
    ) as it:
        output = b"".join(it.lines)
        it.wait()
    assert output.decode().split() == ["do", "it", str(tmp_path)]
    assert (tmp_path / "e").read_text() == "complaint"


def test_a_program_that_reads_no_prompt_is_no_failure(tmp_path: Path) -> None:
    with limited(["true"], tmp_path, os.environ, 60.0, prompt="x" * 1_000_000) as running:
        running.wait()
    assert running.code == 0


def test_a_program_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RepomemError, match="cannot start"), limited(["no-such-agent"], tmp_path, os.environ, 1.0):
        pass
