"""Runs repomem as processes that are forked from one that has imported everything: a start costs 0.05 s, not 0.8 s.

A run is a process of its own with the environment, folder and streams that it is given, as if started anew, and so is
what it starts in the background. What it cannot show is what a fresh interpreter loads, and variables that Python or a
library reads when it starts: tests of start-up use `Place.fresh`. LanceDB renews its threads in a forked child.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO, Any, ClassVar, NoReturn

ROOT = Path(__file__).parents[2]
MODULES = ("lancedb", "numpy", "pyarrow", "rich.console", "rich.progress", "rich.table", "typer.testing", "git", "yaml")
MAIN = "from repomem.__main__ import main\nmain()\n"
LONGEST_ORDER = 1 << 19  # bytes
SECONDS = 120  # after which a run that should have ended is a failure
IN_BACKGROUND = [sys.executable, "-P", "-m", "repomem"]


class ForkServer:
    """The parent's side: starts the server once, and asks it for runs."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)  # one order a packet
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(Path(__file__)), str(theirs.fileno()), str(ours.fileno())],
                pass_fds=[theirs.fileno(), ours.fileno()],
                env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "TZ": "UTC"},
                stdin=subprocess.DEVNULL,
            )
        self._socket = ours

    def run(
        self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str], stdin: bytes, script: str = ""
    ) -> tuple[int, bytes, bytes]:
        """Exit status, stdout and stderr of `repomem ARGUMENTS`, or of the text of a script in its stead."""
        with (
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
        ):
            given.write(stdin)
            given.seek(0)
            with _ordered(self._socket, arguments, folder, environment, (given, out, err), script) as end:
                end.settimeout(SECONDS)
                answer = end.recv(64)
            assert answer, "the fork server lost a run"
            out.seek(0)
            err.seek(0)
            return int(answer), out.read(), err.read()


def _ordered(
    connection: socket.socket,
    arguments: Sequence[str],
    folder: str | Path,
    environment: Mapping[str, str],
    streams: Sequence[IO[bytes] | int],
    script: str = "",
) -> socket.socket:
    """Order a run; gives the socket on which its exit status comes."""
    ours, theirs = socket.socketpair()
    order = json.dumps([list(arguments), os.fspath(folder), dict(environment), script])
    with theirs:
        fds = [stream if isinstance(stream, int) else stream.fileno() for stream in streams]
        socket.send_fds(connection, [order.encode("utf-8", "surrogateescape")], [*fds, theirs.fileno()])
    return ours


class _Popen(subprocess.Popen[bytes]):
    """Lets the server fork what repomem starts in the background; any other program is started as ever."""

    server: ClassVar[socket.socket]
    end: socket.socket | None = None

    def __init__(self, command: Any, **options: Any) -> None:
        if command[:4] != IN_BACKGROUND or options.get("stdout") != subprocess.DEVNULL:
            super().__init__(command, **options)
            return
        null = os.open(os.devnull, os.O_RDWR)
        given, take = os.pipe() if options.get("stdin") == subprocess.PIPE else (os.dup(null), -1)
        folder = options.get("cwd") or Path.cwd()
        self.end = _ordered(self.server, command[4:], folder, options.get("env") or os.environ, (given, null, null))
        self.stdin = os.fdopen(take, "wb") if take >= 0 else None
        self.stdout = self.stderr = None
        self.args, self.returncode, self.pid = command, None, 0
        os.close(given)
        os.close(null)

    def wait(self, timeout: float | None = None) -> int:
        """The exit status, when it comes."""
        if self.end is None:
            return super().wait(timeout)
        if self.returncode is None:
            self.end.settimeout(timeout)
            try:
                self.returncode = int(self.end.recv(64) or b"1")
            except TimeoutError as exc:
                raise subprocess.TimeoutExpired(self.args, timeout or 0) from exc
        return self.returncode

    def poll(self) -> int | None:
        """The exit status, if it is there."""
        if self.end is None:
            return super().poll()
        try:
            return self.wait(0.001)
        except subprocess.TimeoutExpired:
            return None

    def __del__(self, *_: Any, **__: Any) -> None:
        """Nothing is left to wait for."""
        if self.end is None:
            super().__del__()


@cache
def fork_server() -> ForkServer:
    """The server of this test process."""
    return ForkServer()


def _serve(connection: socket.socket, orders: socket.socket) -> None:
    """Fork a process for each order until the tests are gone; runs send theirs to `orders`, as the tests do."""
    for name in MODULES:
        __import__(name)
    _import_all()
    parent = os.getppid()
    connection.settimeout(2)
    while True:
        try:
            order, fds, _, _ = socket.recv_fds(connection, LONGEST_ORDER, 4)
        except TimeoutError:
            if os.getppid() != parent:
                return
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # LanceDB says at each fork that it renews its threads
            keeper = os.fork()
            if not keeper:
                _keep(orders, json.loads(order.decode("utf-8", "surrogateescape")), fds)
        for number in fds:
            os.close(number)
        os.waitpid(keeper, 0)


def _keep(orders: socket.socket, order: list[Any], fds: list[int]) -> NoReturn:
    """Wait for one run and send its exit status; detached, so that the server takes the next order at once."""
    if os.fork():
        os._exit(0)
    stdin, stdout, stderr, answer = fds
    os.setsid()
    run = os.fork()
    if not run:
        os.close(answer)
        _Popen.server = orders
        setattr(subprocess, "Popen", _Popen)  # noqa: B010  # mypy knows the class as generic
        _be_repomem(order, (stdin, stdout, stderr))
    for number in (stdin, stdout, stderr):
        os.close(number)
    _, status = os.waitpid(run, 0)
    os.write(answer, str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def _be_repomem(order: list[Any], streams: tuple[int, int, int]) -> NoReturn:
    arguments, folder, environment, script = order
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    warnings.resetwarnings()
    if action := environment.get("PYTHONWARNINGS"):
        warnings.simplefilter(action)
    sys.argv = ["-c" if script else str(ROOT / "repomem" / "__main__.py"), *arguments]
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    status = 1
    try:
        exec(script or MAIN, {"__name__": "__main__"})
        status = 0
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001  # as an interpreter does
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)


def _import_all() -> None:
    """Import every module of repomem that needs nothing optional."""
    for path in sorted((ROOT / "repomem").rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        if not name.endswith("__main__"):
            try:
                __import__(name)
            except ImportError:  # an optional library
                continue


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])), socket.socket(fileno=int(sys.argv[2])))
