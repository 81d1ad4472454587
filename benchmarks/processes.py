"""Commands run as a user runs them, and what they cost: their whole process, and all that it starts."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Self

ROOT = Path(__file__).parent.parent
REPOMEM = (sys.executable, "-P", "-m", "repomem")
SAMPLE_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one command; CPU seconds are user and system, of all its processes that have ended."""

    wall: float
    cpu: float
    output: str


def run(command: Sequence[str], folder: Path, *, feed: str = "") -> Cost:
    """Run a command to its end; ends the program where it fails."""
    with tempfile.TemporaryFile() as inbox, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        inbox.write(feed.encode())
        inbox.seek(0)
        start = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, stdin=inbox, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode:
            complaint = err.read().decode(errors="replace")
            sys.exit(f"{' '.join(command)} ended with {process.returncode}:\n{complaint}")
        return Cost(wall, usage.ru_utime + usage.ru_stime, out.read().decode())


def repomem(*arguments: str) -> tuple[str, ...]:
    """The command line of repomem."""
    return (*REPOMEM, *arguments)


def benchmark_script(name: str, *arguments: str) -> tuple[str, ...]:
    """The command line of one of our own modules that measures from inside; to be run in `ROOT`."""
    return (sys.executable, "-m", f"benchmarks.{name}", *arguments)


class PeakMemory:
    """Samples, while it is open, the memory of all processes that this one has started; Linux only.

    Counts proportional set sizes, in which a page that several processes share counts once.
    """

    def __init__(self, seconds: float = SAMPLE_SECONDS) -> None:
        self.bytes = 0
        self._seconds = seconds  # between two samples
        self._is_over = Event()
        self._thread = Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._is_over.wait(self._seconds):
            self.bytes = max(self.bytes, sum(map(_proportional_bytes, _descendants(os.getpid()))))


def _descendants(root: int) -> Iterator[int]:
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            after_name = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        children.setdefault(int(after_name[1]), []).append(int(folder.name))
    waiting = list(children.get(root, ()))
    while waiting:
        found = waiting.pop()
        waiting += children.get(found, ())
        yield found


def _proportional_bytes(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024
