"""Runs a command of which the Nth system call below some folders fails: `calls.c` does it, `server.py` runs it."""

import errno
import json
import os
import random
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SOURCE = Path(__file__).with_name("calls.c")
TALLY_BYTES = 528  # of `struct tally`: two numbers and a text
KINDS = tuple((number, is_for_good) for number in ("ENOSPC", "EIO", "EACCES") for is_for_good in (False, True))


@dataclass(frozen=True, slots=True)
class Fault:
    """The call number `at` fails with an error, once or as do all after it; 0 is none. `only` counts one sort alone."""

    at: int = 0
    error: str = "EIO"
    is_for_good: bool = False
    only: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """How a command ended."""

    code: int
    said: str  # on stdout and stderr
    calls: int  # below the folders
    failed: str  # the first call that failed and its path; empty where none did


def refusal() -> str:
    """Why no calls can be failed here; empty where they can."""
    if sys.platform != "linux":
        return "system calls are failed by LD_PRELOAD, as Linux has it"
    return "" if shutil.which("cc") else "there is no C compiler"


def drawn(calls: int, count: int, chance: random.Random) -> list[Fault]:
    """`count` faults spread evenly over the calls of a run, or one for each call where there are fewer."""
    step = max(1.0, calls / count)
    places = sorted({1 + int(number * step + chance.random() * (step - 1)) for number in range(min(count, calls))})
    kinds = chance.sample(KINDS, len(KINDS))
    return [Fault(at, *kinds[number % len(kinds)]) for number, at in enumerate(places)]


class Injector:
    """A server that runs commands, whose files lie in `work`."""

    def __init__(self, work: Path, server: "subprocess.Popen[str]") -> None:
        self._work = work
        self._server = server

    def run(
        self,
        command: Sequence[str],
        folder: Path,
        watched: Sequence[Path],
        fault: Fault,
        ends_at: Sequence[str] = (),
    ) -> Run:
        """Run a command in a folder, and all that it starts, to the end. `watched` are the folders of the fault."""
        tally, log = self._work / "tally", self._work / "log"
        tally.write_bytes(bytes(TALLY_BYTES))
        log.unlink(missing_ok=True)
        faults = {
            "FOLDERS": ":".join(map(str, watched)),
            "TALLY": str(tally),
            "AT": str(fault.at),
            "ERROR": str(getattr(errno, fault.error)),
            "ALWAYS": str(int(fault.is_for_good)),
            "ONLY": fault.only,
        }
        request: Mapping[str, Any] = {
            "command": list(command),
            "folder": str(folder),
            "environ": {**os.environ, **_preloaded(self._work), **{f"FAULTS_{key}": faults[key] for key in faults}},
            "log": str(log),
            "ends_at": list(ends_at),
        }
        assert self._server.stdin
        assert self._server.stdout
        self._server.stdin.write(f"{json.dumps(request)}\n")
        self._server.stdin.flush()
        code = int(json.loads(self._server.stdout.readline())["code"])
        calls, _, failed = struct.unpack("QQ512s", tally.read_bytes())
        return Run(code, log.read_text(errors="replace"), calls, failed.partition(b"\0")[0].decode(errors="replace"))


@contextmanager
def injector(work: Path) -> Iterator[Injector]:
    """An injector with its files in a new folder `work`; ends the program where there is no compiler."""
    work.mkdir(parents=True)
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", _library(work), SOURCE, "-ldl"], check=True)
    command = [sys.executable, "-m", "benchmarks.faults.server"]
    environ = {**os.environ, **_preloaded(work)}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, env=environ, stdin=pipe, stdout=pipe, text=True) as server:
        yield Injector(work, server)
        assert server.stdin
        server.stdin.close()


def _library(work: Path) -> Path:
    return work / "calls.so"


def _preloaded(work: Path) -> dict[str, str]:
    return {"LD_PRELOAD": str(_library(work))}
