"""Starts repomem in background processes."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from repomem.core.processes.owners import is_own

# absolute, for hooks with another PATH; -P: import nothing from the clone
PROGRAM = (sys.executable, "-P", "-m", "repomem")
PRELOAD = (*PROGRAM[:-1], "repomem.preload")
POLL = 0.02  # seconds

# Options of Popen for a process that outlives its terminal and gets no Ctrl-C from it.
OWN_SESSION: dict[str, Any]
if sys.platform == "win32":
    OWN_SESSION = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
else:
    OWN_SESSION = {"start_new_session": True}


def start(
    folder: str | Path, *command: str, stdin: int, stderr: int, program: Sequence[str] = PROGRAM
) -> "subprocess.Popen[bytes]":
    """Start `repomem COMMAND` in a folder, in its own session so that Ctrl-C does not stop it. Raises OSError."""
    return subprocess.Popen(  # noqa: S603  # this interpreter and fixed words
        [*program, *command],
        cwd=folder,
        stdin=stdin,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        **OWN_SESSION,
    )


def start_preloaded() -> "subprocess.Popen[bytes] | None":
    """Start `repomem.preload`, which ends when the returned process's stdin is closed; None if it cannot run."""
    if sys.platform != "linux" or not hasattr(os, "fork"):
        return None
    try:
        return start(os.sep, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, program=PRELOAD)
    except OSError:
        return None


def start_detached(folder: Path, *command: str, given: str = "") -> None:
    """Start a process that outlives this one; `given` is its stdin. Does nothing if it cannot be started.

    It inherits no stream, because a program that captures our stderr would wait for the child to close it.
    """
    stdin = subprocess.PIPE if given else subprocess.DEVNULL
    try:
        process = start(folder, *command, stdin=stdin, stderr=subprocess.DEVNULL)
        if process.stdin:
            with process.stdin:
                process.stdin.write(given.encode("utf-8", "surrogatepass"))
    except OSError:  # the folder was deleted, or the process limit is reached; the caller's result is still valid
        return
    threading.Thread(target=process.wait, daemon=True).start()  # so that a long-lived server leaves no zombie


def stop_detached(folder: Path, commands: Collection[str], seconds: float) -> int:
    """End the background processes in a folder that run one of the commands; returns how many have ended in time.

    They are found in /proc: on other systems none is, and the caller waits for their locks.
    """
    found = list(_detached_in(folder, commands))
    for process in found:
        with suppress(OSError):
            os.kill(process, signal.SIGTERM)
    until = time.monotonic() + seconds
    while time.monotonic() < until and any(_is_alive(process) for process in found):
        time.sleep(POLL)
    return sum(not _is_alive(process) for process in found)


def _detached_in(folder: Path, commands: Collection[str]) -> Iterator[int]:
    """The processes of this user that `start` has started in a folder, or for a folder in it (`repomem -C`)."""
    start = os.fsencode("\0".join(PROGRAM)) + b"\0"
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            command = (entry / "cmdline").read_bytes()
            words = command.removeprefix(start).split(b"\0")
            place = entry / "cwd"
            if words[0] == b"-C" and len(words) > 2:
                place, words = Path(os.fsdecode(words[1])), words[2:]
            is_ours = command.startswith(start) and os.fsdecode(words[0]) in commands and is_own(entry.stat())
            if is_ours and place.resolve().is_relative_to(folder.resolve()):
                yield int(entry.name)


def _is_alive(process: int) -> bool:
    """Whether a process still runs; a zombie has ended."""
    try:
        return Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except (OSError, IndexError):
        return False
