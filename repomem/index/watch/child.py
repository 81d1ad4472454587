"""An index run in a process of its own, whose end is reported: who watches loads no store and outlives a crash."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

END_WAIT = 5.0  # seconds for a run to end that was asked to; being killed costs it nothing but time


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended; `failure` is what it complained of, or empty."""

    root: str
    seconds: float
    failure: str


@dataclass(frozen=True, slots=True)
class IndexChild:
    """A run that is on."""

    process: "subprocess.Popen[bytes]"
    reporter: threading.Thread

    @classmethod
    def start(cls, root: str, ended: Callable[[Ended], None]) -> "IndexChild":
        """Start one in a work tree; `ended` is called from a thread. Raises OSError where no process is to be had."""
        process = subprocess.Popen(  # this interpreter and fixed words; -P: never import what lies in the clone
            [sys.executable, "-P", "-m", "repomem", "index", "--quiet"],
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,  # an interrupt from the terminal is for the watcher, which ends it in order
        )
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
    told = (line.removeprefix("error: ") for line in lines if line.startswith("error: "))
    return next(told, f"the index run ended with {code}")
