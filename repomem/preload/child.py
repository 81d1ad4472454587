"""A forked child that becomes the command of its client."""

import os
import socket
import sys
import time
from dataclasses import dataclass

from repomem.preload.messages import READY, Request, receive_request

REQUEST_SECONDS = 5.0  # for a client after its child is ready


@dataclass(frozen=True, slots=True)
class Call:
    """A command that a client asks for."""

    client: socket.socket
    request: Request
    descriptors: list[int]  # stdin, stdout, stderr, and the folder


def call_on(client: socket.socket) -> Call | None:
    """Report to the client that this process is ready, and receive its call; None if the client is gone."""
    client.settimeout(REQUEST_SECONDS)
    try:
        client.sendall(READY.pack(os.getpid()))
        asked = receive_request(client)
    except (OSError, ValueError):
        return None
    return Call(client, *asked) if asked else None


def become(call: Call) -> None:
    """Give this process the arguments, environment, folder, streams and umask of the call."""
    import fcntl  # Windows has none, and never gets here

    os.setpgid(0, 0)
    client = call.client.fileno()
    fcntl.fcntl(client, fcntl.F_SETOWN, os.getpid())  # SIGIO, which ends a process, when the client has ended
    fcntl.fcntl(client, fcntl.F_SETFL, fcntl.fcntl(client, fcntl.F_GETFL) | os.O_ASYNC)
    *streams, folder = call.descriptors
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.fchdir(folder)
    os.close(folder)
    os.umask(call.request.umask)
    os.environb.clear()
    os.environb.update(call.request.environment)
    time.tzset()
    sys.executable = call.request.executable
    sys.argv = [os.fsdecode(each) for each in call.request.arguments]
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  # as the interpreter does
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False, buffering=1)  # noqa: SIM115
