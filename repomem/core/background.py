"""Processes of repomem that repomem starts itself."""

import subprocess
import sys
import threading
from pathlib import Path

PROGRAM = (
    sys.executable,
    "-P",
    "-m",
    "repomem",
)  # absolute, for hooks with another PATH; -P: import nothing from the clone


def start(folder: str | Path, *command: str, stdin: int, stderr: int) -> "subprocess.Popen[bytes]":
    """Start `repomem COMMAND` in a folder and a session of its own: Ctrl-C does not reach it. Raises OSError."""
    return subprocess.Popen(  # noqa: S603  # this interpreter and fixed words
        [*PROGRAM, *command],
        cwd=folder,
        stdin=stdin,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        start_new_session=True,
    )


def start_detached(folder: Path, *command: str, given: str = "") -> None:
    """Start a process that outlives this one; `given` is its stdin. Does nothing if it cannot be started.

    It inherits no stream: a child that holds the caller's stderr keeps a captured command waiting.
    """
    stdin = subprocess.PIPE if given else subprocess.DEVNULL
    try:
        process = start(folder, *command, stdin=stdin, stderr=subprocess.DEVNULL)
        if process.stdin:
            with process.stdin:
                process.stdin.write(given.encode("utf-8", "surrogatepass"))
    except OSError:  # the folder is gone, or there is no room for a process: the answer at hand is still good
        return
    threading.Thread(target=process.wait, daemon=True).start()  # so that a long-lived server leaves no zombie
