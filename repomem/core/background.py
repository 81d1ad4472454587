"""Starts repomem in background processes."""

import subprocess
import sys
import threading
from pathlib import Path

# absolute, for hooks with another PATH; -P: import nothing from the clone
PROGRAM = (sys.executable, "-P", "-m", "repomem")


def start(folder: str | Path, *command: str, stdin: int, stderr: int) -> "subprocess.Popen[bytes]":
    """Start `repomem COMMAND` in a folder, in its own session so that Ctrl-C does not stop it. Raises OSError."""
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
