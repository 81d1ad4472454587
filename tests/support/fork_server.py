"""Runs repomem as processes that are forked from one that has imported everything: a start costs 0.05 s, not 0.8 s.

A run is a process of its own with the environment, folder and streams that it is given, as if started anew, and so is
what it starts in the background. What it cannot show is what a fresh interpreter loads, and variables that Python or a
library reads when it starts: tests of start-up use `Place.fresh`. LanceDB renews its threads in a forked child.

Orders come over a Unix socket, each on a connection of its own: a line of JSON with three streams, answered with the
exit status. `relay.py` is the client for who needs a process with a pid, to talk to and to send signals to.
"""

import gc
import json
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, NoReturn

ROOT = Path(__file__).parents[2]
MODULES = (
    *("lancedb", "numpy", "pyarrow", "rich.console", "rich.progress", "rich.table", "typer.testing", "git", "yaml"),
    *("anyio._backends._asyncio", "mcp.server.stdio", "mcp.server.mcpserver", "sqlite3", "pickle"),
)
MAIN = "from repomem.__main__ import main\nmain()\n"
SECONDS = 120  # after which a run that should have ended is a failure
IN_BACKGROUND = [sys.executable, "-P", "-m", "repomem"]
RELAY = [sys.executable, "-I", "-S", str(Path(__file__).with_name("relay.py"))]


class ForkServer:
    """The parent's side: starts the server once, and asks it for runs."""

    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="fork")
        self.address = str(Path(self._folder) / "socket")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(self.address)
        listener.listen(64)
        with listener:
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(Path(__file__)), str(listener.fileno())],
                pass_fds=[listener.fileno()],
                env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "TZ": "UTC"},
                stdin=subprocess.DEVNULL,
            )

    def run(
        self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str], stdin: bytes, script: str = ""
    ) -> tuple[int, bytes, bytes]:
        """Exit status, stdout and stderr of `repomem ARGUMENTS`, or of the text of a script in its stead."""
        with (
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
            socket.socket(socket.AF_UNIX) as connection,
        ):
            given.write(stdin)
            given.seek(0)
            order = json.dumps([list(arguments), os.fspath(folder), dict(environment), script, False])
            connection.settimeout(SECONDS)
            connection.connect(self.address)
            streams = [given.fileno(), out.fileno(), err.fileno()]
            socket.send_fds(connection, [order.encode("utf-8", "surrogateescape") + b"\n"], streams)
            answer = connection.recv(64)
            assert answer, "the fork server lost a run"
            out.seek(0)
            err.seek(0)
            return int(answer), out.read(), err.read()

    def command(self, script: str = "") -> list[str]:
        """How a run is started as a process with a pid."""
        return [*RELAY, self.address, *(["-c", script] if script else [])]


@cache
def fork_server() -> ForkServer:
    """The server of this test process."""
    return ForkServer()


class _Server:
    """Forks each run itself, once, and waits for all of them: a fork of so large a process costs 0.01 s."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._waiting = selectors.PollSelector()  # epoll would be shared with the runs

    def serve(self) -> None:
        """Take orders until the tests are gone."""
        parent = os.getppid()
        self._waiting.register(self._listener, selectors.EVENT_READ, self._accept)
        while os.getppid() == parent:
            for key, _ in self._waiting.select(2):
                if key.fd in self._waiting.get_map():  # else its run has just ended
                    key.data()

    def _accept(self) -> None:
        connection, _ = self._listener.accept()
        order, streams = _order_on(connection)
        if order is not None:
            self._start(order, streams, connection)
        for number in streams:
            os.close(number)

    def _start(self, order: list[Any], streams: list[int], connection: socket.socket) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # LanceDB says at each fork that it renews its threads
            run = os.fork()
            if not run:
                self._become(order, streams, connection)
        end = os.pidfd_open(run)
        self._waiting.register(end, selectors.EVENT_READ, lambda: self._end(run, end, connection))
        if order[4]:
            self._waiting.register(connection, selectors.EVENT_READ, lambda: self._pass_signals_on(run, connection))

    def _become(self, order: list[Any], streams: list[int], connection: socket.socket) -> NoReturn:
        _Popen.address = self._listener.getsockname()
        connection.close()
        for key in list(self._waiting.get_map().values()):
            os.close(key.fd)  # the server's own, and other runs'
        os.setsid()
        setattr(subprocess, "Popen", _Popen)  # noqa: B010  # mypy knows the class as generic
        _be_repomem(order, streams)

    def _end(self, run: int, end: int, connection: socket.socket) -> None:
        _, status = os.waitpid(run, 0)
        self._waiting.unregister(end)
        os.close(end)
        if connection.fileno() in self._waiting.get_map():
            self._waiting.unregister(connection)
        with connection, suppress(OSError):  # nobody waits for it
            connection.sendall(str(os.waitstatus_to_exitcode(status)).encode())

    def _pass_signals_on(self, run: int, connection: socket.socket) -> None:
        """The run is killed if the relay is."""
        numbers = _received(connection) or bytes([signal.SIGKILL])
        for number in numbers:
            os.kill(run, number)
        if signal.SIGKILL in numbers:
            self._waiting.unregister(connection)


def _serve(listener: socket.socket) -> None:
    """Import everything, and fork a process for each order."""
    for name in MODULES:
        __import__(name)
    _import_all()
    gc.freeze()  # a collection in a run would write to every object, and so copy all memory
    _Server(listener).serve()
    shutil.rmtree(Path(listener.getsockname()).parent)


def _order_on(connection: socket.socket) -> tuple[Any, list[int]]:
    """The order and the three streams that come with it; None if the client is gone."""
    connection.settimeout(SECONDS)
    try:
        line, streams, _, _ = socket.recv_fds(connection, 1 << 16, 3)
    except ConnectionError:
        return None, []
    while not line.endswith(b"\n"):
        if not (more := _received(connection)):
            return None, streams
        line += more
    return json.loads(line.decode("utf-8", "surrogateescape")), streams


def _received(connection: socket.socket) -> bytes:
    """What has come; nothing if the client is gone."""
    try:
        return connection.recv(1 << 16)
    except ConnectionError:
        return b""


class _Popen(subprocess.Popen[bytes]):
    """Lets what repomem starts be runs of this server too; any other program is started as ever."""

    address: ClassVar[str]

    def __init__(self, command: Any, **options: Any) -> None:
        if isinstance(command, list) and command[:4] == IN_BACKGROUND:
            command = [*RELAY, self.address, *command[4:]]
        super().__init__(command, **options)


def _be_repomem(order: list[Any], streams: list[int]) -> NoReturn:
    arguments, folder, environment, script, _ = order
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
    _serve(socket.socket(fileno=int(sys.argv[1])))
