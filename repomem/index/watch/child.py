"""An index run in a separate process: the watcher loads no store and survives a crash of the run."""

import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from repomem.core.processes import background

END_WAIT = 5.0  # seconds for a run to end before it is killed, which loses nothing but time


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended; `failure` is its error, or empty."""

    root: str
    seconds: float
    failure: str


@dataclass(frozen=True, slots=True)
class IndexChild:
    """A running index process."""

    process: "subprocess.Popen[bytes]"
    reporter: threading.Thread

    @classmethod
    def start(cls, root: str, ended: Callable[[Ended], None]) -> "IndexChild":
        """Start one in a worktree; `ended` is called from a thread. Raises OSError if no process can be started."""
        process = background.start(root, "index", "--quiet", stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        reporter = threading.Thread(target=_report, args=(process, root, ended), daemon=True)
        reporter.start()
        return cls(process, reporter)

    def end(self) -> None:
        """End it, and wait until it has ended."""
        self.process.terminate()
        self.reporter.join(END_WAIT)
        if self.reporter.is_alive():
            self.process.kill()
            self.reporter.join(END_WAIT)


def _report(process: "subprocess.Popen[bytes]", root: str, ended: Callable[[Ended], None]) -> None:
    start = time.monotonic()
    _, complaints = process.communicate()
    ended(Ended(root, time.monotonic() - start, _failure(process.returncode, complaints)))


def _failure(code: int, complaints: bytes) -> str:
    if code == 0:
        return ""
    lines = complaints.decode("utf-8", "replace").splitlines()
    errors = (line.removeprefix("error: ") for line in lines if line.startswith("error: "))
    return next(errors, f"the index run exited with {code}")
