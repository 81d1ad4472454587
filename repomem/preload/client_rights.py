"""Whether a client has all of the server's rights: else a sandboxed command could escape through the server."""

import os
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

CREDENTIALS = struct.Struct("=iii")  # process, user, group
RIGHTS = ("Uid", "Gid", "Groups", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "Seccomp", "Seccomp_filters")
NO_NEW_PRIVILEGES = "NoNewPrivs"  # a condition of Landlock, whose rules cannot be read
NAMESPACES = ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts")


def is_unconfined(connection: socket.socket) -> bool:
    """Whether the client is this user's, with the server's rights, namespaces and limits, and no restrictions."""
    packed = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
    process, user, _ = CREDENTIALS.unpack(packed)
    if user != os.geteuid() or process <= 0:  # 0: of a namespace that we cannot see
        return False
    try:
        return list(_confinement(str(process))) == list(_confinement("self"))
    except (OSError, KeyError, ValueError):
        return False


def _confinement(process: str) -> Iterator[object]:
    """What bounds a process. Raises ValueError if that cannot be known."""
    folder = Path("/proc", process)
    lines = (line.partition(":") for line in (folder / "status").read_text().splitlines())
    status = {name: value.strip() for name, _, value in lines}
    if status[NO_NEW_PRIVILEGES] != "0":
        raise ValueError(NO_NEW_PRIVILEGES)
    yield [status.get(name) for name in RIGHTS]
    yield [(folder / "ns" / name).readlink() for name in NAMESPACES]
    yield (folder / "root").readlink()
    yield (folder / "limits").read_bytes()
    yield _label(folder / "attr" / "current")


def _label(file: Path) -> bytes:
    """The label of a security module, such as AppArmor; empty if there is none."""
    try:
        return file.read_bytes()
    except OSError:
        return b""
