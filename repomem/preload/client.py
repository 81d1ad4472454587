"""Runs a command in the preloaded process, if one is ready. Imports almost nothing itself."""

import os
import signal
import socket
import sys
from collections.abc import Sequence

from repomem.preload.address import address
from repomem.preload.messages import READY, STATUS, received, request_of_this_process, send_request

# Short commands. Those that index, serve or watch, and `hook capture`, take longer than loading.
COMMANDS = frozenset(["recall", "search", "show", "log", "why", "memories", "remember", "forget", "restore", "review"])
HOOKS = frozenset(["session-start", "prompt", "subagent-start", "file", "command", "delegate"])
SWITCH = "REPOMEM_WORKERS_PRELOAD"
OFF = frozenset(["false", "0", "no", "off"])
PATIENCE = 0.02  # seconds for a fork; it takes 0.005
PATIENCE_UNDER_LOAD = 0.2
LOST = 1  # the exit code of a command whose process was killed together with the server


def run_preloaded() -> None:
    """Run this process's command in the preloaded process and end with its exit code; returns if none is ready."""
    if not _is_short(sys.argv[1:]) or os.environ.get(SWITCH, "").strip().lower() in OFF:
        return
    connection = _connected()
    if connection is None:
        return
    with connection:
        code = _run(connection)
    if code is not None:
        os._exit(code)


def _is_short(words: Sequence[str]) -> bool:
    """Whether it is a command that the preloaded process runs."""
    if words[:1] == ["-C"]:
        words = words[2:]
    if words[:1] == ["hook"]:
        return words[1:2] != [] and words[1] in HOOKS
    return words[:1] != [] and words[0] in COMMANDS


def _connected() -> socket.socket | None:
    path = address()
    if path is None:
        return None
    try:
        if os.lstat(path).st_uid != os.geteuid():
            return None
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    except OSError:
        return None
    connection.settimeout(PATIENCE_UNDER_LOAD if os.getloadavg()[0] > (os.cpu_count() or 1) else PATIENCE)
    try:
        connection.connect(path)
    except OSError:
        connection.close()
        return None
    return connection


def _run(connection: socket.socket) -> int | None:
    """The command's exit code; None if it was not begun."""
    try:
        ready = received(connection, READY.size)
        if ready is None:
            return None
        connection.settimeout(None)
        send_request(connection, request_of_this_process())
    except OSError:
        return None
    return _status(connection, READY.unpack(ready)[0])


def _status(connection: socket.socket, process: int) -> int:
    """The exit code, once there is one. Ctrl-C is passed on to the command, which handles it."""
    while True:
        try:
            status = received(connection, STATUS.size)
            break
        except KeyboardInterrupt:
            os.kill(process, signal.SIGINT)
        except OSError:
            status = None
            break
    if status is None:
        os.write(2, b"error: the process that ran this command was killed\nhint: run the command again\n")
        return LOST
    code: int = STATUS.unpack(status)[0]
    return code
