"""The protocol between client and server.

The client connects. The forked child sends its process id, `READY`, and the client then sends its `Request` with four
descriptors: stdin, stdout, stderr and the current folder. Until then nothing has run, and the client may still run the
command itself. When the child has ended, the server sends the exit status, `STATUS`.
"""

import os
import socket
import struct
import sys
from typing import NamedTuple

READY = struct.Struct("=i")
STATUS = struct.Struct("=i")
SIZE = struct.Struct("=I")
DESCRIPTORS = 4


class Request(NamedTuple):
    """A command as it was called. No part can contain a NUL, which separates them."""

    executable: str
    umask: int
    arguments: list[bytes]  # the first is the program's name
    environment: dict[bytes, bytes]


def request_of_this_process() -> Request:
    """The command that this process was called with."""
    umask = os.umask(0o077)
    os.umask(umask)
    return Request(sys.executable, umask, [os.fsencode(each) for each in sys.argv], dict(os.environb))


def send_request(connection: socket.socket, request: Request) -> None:
    """Send it with this process's streams and folder. Raises OSError; then no whole request has arrived."""
    words = [os.fsencode(request.executable), b"%o" % request.umask, b"%d" % len(request.arguments)]
    words += request.arguments
    words += [name + b"=" + value for name, value in request.environment.items()]
    body = b"\0".join(words)
    folder = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        socket.send_fds(connection, [SIZE.pack(len(body))], [0, 1, 2, folder])
    finally:
        os.close(folder)
    connection.sendall(body)


def receive_request(connection: socket.socket) -> tuple[Request, list[int]] | None:
    """A request and its descriptors; None if the client left before it was sent."""
    size, descriptors, _, _ = socket.recv_fds(connection, SIZE.size, DESCRIPTORS)
    body = received(connection, SIZE.unpack(size)[0]) if len(size) == SIZE.size else None
    if body is None or len(descriptors) != DESCRIPTORS:
        return None
    executable, umask, count, *words = body.split(b"\0")
    arguments, variables = words[: int(count)], words[int(count) :]
    environment = {name: value for name, _, value in (each.partition(b"=") for each in variables)}
    return Request(os.fsdecode(executable), int(umask, 8), arguments, environment), descriptors


def received(connection: socket.socket, size: int) -> bytes | None:
    """So many bytes; None if the other end closed before."""
    parts: list[bytes] = []
    while size:
        part = connection.recv(size)
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
