"""A small process that stands for a run of the fork server: `relay.py SOCKET [-c SCRIPT] ARGUMENT…`.

It hands its streams, folder and environment over, passes signals on, and ends as the run ends. When it is killed, so
is the run. Started with `-I -S` and with few imports, it takes 0.02 s.
"""

import json
import os
import signal
import socket
import sys

FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)


def main(path: str, *arguments: str) -> None:
    """Order the run and wait for its end."""
    script = ""
    if arguments[:1] == ("-c",):
        script, arguments = arguments[1], arguments[2:]
    connection = socket.socket(socket.AF_UNIX)
    for one in FORWARDED:
        if signal.getsignal(one) is not signal.SIG_IGN:
            signal.signal(one, lambda number, _: connection.sendall(bytes([number])))
    connection.connect(path)
    order = json.dumps([arguments, os.getcwd(), dict(os.environ), script, True])  # noqa: PTH109  # quick to start
    socket.send_fds(connection, [order.encode("utf-8", "surrogateescape") + b"\n"], [0, 1, 2])
    for number in (0, 1, 2):
        os.close(number)  # the other ends see when the run closes its own
    status = int(connection.recv(64) or b"1")
    if status < 0:
        signal.signal(-status, signal.SIG_DFL) if -status != signal.SIGKILL else None
        os.kill(os.getpid(), -status)
    os._exit(status)


if __name__ == "__main__":
    main(*sys.argv[1:])
