"""Listens once the libraries are loaded, and forks a child for each command.

Only for a client with all of the server's rights: else a sandboxed command could escape through the server.
"""

import os
import select
import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from repomem.preload.address import address, make_folder
from repomem.preload.child import Call, call_on
from repomem.preload.load import Stamps, is_outdated, load
from repomem.preload.messages import STATUS

CREDENTIALS = struct.Struct("=iii")  # process, user, group
RIGHTS = ("Uid", "Gid", "Groups", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "Seccomp", "Seccomp_filters")
NO_NEW_PRIVILEGES = "NoNewPrivs"  # a condition of Landlock, whose rules cannot be read
NAMESPACES = ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts")

LIFE = 0  # stdin: closed when the process that started the server ends
TURN_MILLISECONDS = 2000  # between looks whether another server has ended
MOST_CHILDREN = 16  # at once; further commands run by themselves


def serve() -> Call | None:
    """Serve until stdin is closed; in a forked child, return at once with the command that it is to run."""
    make_folder()
    path = address()
    if path is None:
        return None
    with suppress(OSError, AttributeError):
        os.close(os.pidfd_open(os.getpid()))  # an old kernel, or one that refuses it, cannot serve
        return _serve_at(path)
    return None


def _serve_at(path: str) -> Call | None:
    """Load, and serve. Raises OSError."""
    with _turn(path) as is_ours:
        if not is_ours:
            return None
        loaded = load()
        call = Server(path, loaded).serve_until_end()
        if call is None and is_outdated(loaded) and not _is_life_over():
            os.execv(sys.executable, sys.orig_argv)  # noqa: S606  # the same program, of the new version
        return call


class Server:
    """The loop. The listening socket, the children that run, and nothing else."""

    def __init__(self, path: str, loaded: Stamps) -> None:
        self._path = path
        self._loaded = loaded
        self._children: dict[int, tuple[int, socket.socket]] = {}  # by pidfd: the process, its client
        self._listener = _listening(path)
        self._poll = select.poll()
        self._poll.register(LIFE, select.POLLHUP)
        self._poll.register(self._listener, select.POLLIN)

    def serve_until_end(self) -> Call | None:
        """Fork for each client until stdin is closed or the installation changes; then wait for the children."""
        is_open = True
        while is_open or self._children:
            for descriptor, _ in self._poll.poll():
                if descriptor in self._children:
                    self._report(descriptor)
                elif is_open and descriptor == self._listener.fileno():
                    if is_outdated(self._loaded):
                        is_open = self._close()
                    elif call := self._forked():
                        return call
                elif is_open and descriptor == LIFE:
                    is_open = self._close()
        return None

    def _forked(self) -> Call | None:
        """Accept a client and fork for it; in the child, the call, or an end of the process without one."""
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return None
        if len(self._children) >= MOST_CHILDREN or not is_unconfined(connection):
            connection.close()
            return None
        try:
            process = os.fork()
        except OSError:
            connection.close()
            return None
        if process:
            child = os.pidfd_open(process)
            self._children[child] = (process, connection)
            self._poll.register(child, select.POLLIN)
            return None
        self._let_go()
        call = call_on(connection)
        if call is None:
            os._exit(0)
        return call

    def _let_go(self) -> None:
        """Close the server's descriptors in a child."""
        self._listener.close()
        for child, (_, client) in self._children.items():
            os.close(child)
            client.close()

    def _report(self, child: int) -> None:
        """Report a command's exit status to its client."""
        process, client = self._children.pop(child)
        self._poll.unregister(child)
        os.close(child)
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        with client, suppress(OSError):
            client.send(STATUS.pack(code if code >= 0 else 128 - code))

    def _close(self) -> bool:
        """Take no more clients; false, for it is not open."""
        with suppress(OSError):
            os.unlink(self._path)  # noqa: PTH108  # a string, as sockets want it
        self._poll.unregister(self._listener)
        with suppress(KeyError):
            self._poll.unregister(LIFE)
        self._listener.close()
        return False


@contextmanager
def _turn(path: str) -> Iterator[bool]:
    """Wait until no other server listens at the address; yields whether that was before stdin was closed.

    A child holds the lock too, as every descriptor that it inherits, for the time of one command.
    """
    lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        while not _locked(lock):
            if _is_life_over(TURN_MILLISECONDS):
                yield False
                return
        yield True
    finally:
        os.close(lock)


def _locked(lock: int) -> bool:
    import fcntl  # Windows has none, and never gets here

    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_life_over(milliseconds: int = 0) -> bool:
    """Whether stdin is closed by then."""
    life = select.poll()
    life.register(LIFE, select.POLLHUP)
    return bool(life.poll(milliseconds))


def _listening(path: str) -> socket.socket:
    """A socket at the address, in place of one that a killed server left. Raises OSError."""
    with suppress(FileNotFoundError):
        os.unlink(path)  # noqa: PTH108  # a string, as sockets want it
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(path)
    finally:
        os.umask(before)
    listener.listen(MOST_CHILDREN)
    listener.setblocking(False)
    return listener


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
