"""Runs commands under `calls.c`, one at a time: a JSON line in on stdin, a JSON line out on stdout.

    {"command": ["repomem", "index"], "folder": "…", "environ": {…}, "log": "…", "ends_at": null}
    {"code": 0}

`repomem` is forked from this process, which has loaded all that it needs: importing LanceDB takes longer than all else
that a small run does. Any other command is started. The answer comes when the command and all that it started have
ended; what names a text under `ends_at` is asked to end once its output holds that.
"""

import ctypes
import json
import os
import signal
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from repomem.__main__ import main as repomem_main

BECOME_SUBREAPER = 36  # prctl: what a detached process leaves behind comes to us, and can be waited for
LONGEST = 90.0  # seconds until a command hangs
TICK = 0.01


def main() -> None:
    """Serve until stdin ends."""
    ctypes.CDLL(None).prctl(BECOME_SUBREAPER, 1, 0, 0, 0)
    warnings.filterwarnings("ignore", "lancedb fork support")  # nothing is under way where it forks
    for line in os.fdopen(os.dup(0)):  # sys.stdin stays as a new process has it, for the forks
        print(json.dumps({"code": _run(json.loads(line))}), flush=True)


def _run(request: dict[str, Any]) -> int:
    """The exit code; that of a signal is negative, and 1000 says that it hung."""
    process = os.fork()
    if not process:
        _become(request)
    deadline, code, ends_at = time.monotonic() + LONGEST, None, request.get("ends_at")
    while True:
        try:
            ended, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return code if code is not None else 1000
        if ended == process:
            code = os.waitstatus_to_exitcode(status)
        if ended:
            continue
        if ends_at and any(each.encode() in _read(request["log"]) for each in ends_at):
            os.kill(process, signal.SIGTERM)
            ends_at = None
        if time.monotonic() > deadline:
            os.killpg(process, signal.SIGKILL)
            code, deadline = 1000, time.monotonic() + LONGEST
        time.sleep(TICK)


def _become(request: dict[str, Any]) -> None:
    """In the child: the command itself, in its folder, with its environment and its streams in a file."""
    try:
        os.setsid()
        out = os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for stream in (1, 2):
            os.dup2(out, stream)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.chdir(request["folder"])
        os.environ.clear()
        os.environ.update(request["environ"])
        command = request["command"]
        if command[0] != "repomem":
            os.execvpe(command[0], command, request["environ"])
        ctypes.CDLL(None).faults_arm()
        sys.argv = command
        repomem_main()
    except SystemExit as end:
        os._exit(end.code if isinstance(end.code, int) else 1)
    except BaseException as error:  # noqa: BLE001  # a child must never come back into the loop above
        os.write(2, repr(error).encode())
    os._exit(125)


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


if __name__ == "__main__":
    main()
