"""Commands run in a preloaded process: the same answers, and by themselves whenever it cannot stand for them."""

import ctypes
import os
import random
import re
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.library import Library
from support.repositories import Commit
from support.samples import NAMES, indexed

from repomem.core.processes.background import start_preloaded
from repomem.preload.address import address
from repomem.preload.load import Stamps, is_outdated
from repomem.preload.server import is_unconfined

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs sockets and /proc as Linux has them")

DEADLINE = 60.0  # seconds: far more than any of this takes
COLD = "run by itself"
ONLY_PRELOADED = f"from repomem.preload.client import run_preloaded\nrun_preloaded()\nprint({COLD!r})\n"
BY_ITSELF = "from repomem.cli.program import run\nrun()\n"
REMEMBERED = ("Amounts are whole cents, since floats lost a cent in March", "Never call the network in a test")
NO_NEW_PRIVILEGES = 38  # of prctl(2)
FILES = {
    "pay.py": "def charge(order):\n    return order.total\n",
    "ship.py": "from pay import charge\n\ncharge(None)\n",
}

Server = subprocess.Popen[bytes]


def eventually(is_so: Callable[[], bool]) -> bool:
    end = time.monotonic() + DEADLINE
    while not is_so():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def socket_path() -> Path:
    path = address()
    assert path
    return Path(path)


def is_listening() -> bool:
    path = address()  # None until the user's first server has made the folder
    return path is not None and Path(path).exists()


@contextmanager
def server() -> Iterator[Server]:
    process = start_preloaded()
    assert process
    assert process.stdin
    try:
        yield process
    finally:
        process.stdin.close()
        process.kill()
        process.wait(DEADLINE)


@pytest.fixture
def ready() -> Iterator[Server]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        if not is_unconfined(ours):
            pytest.skip("everything here is confined")
    with server() as process:
        assert eventually(is_listening)
        yield process
    for left in (socket_path(), Path(f"{socket_path()}.lock")):
        left.unlink(missing_ok=True)


@pytest.fixture
def folder(make_repository: Callable[..., Path]) -> Path:
    made = make_repository(Commit(FILES))
    indexed(made)
    return made


def patient(script: str) -> str:
    """The client's script, on a machine under any load."""
    waiting = f"from repomem.preload import client\nclient.PATIENCE = client.PATIENCE_UNDER_LOAD = {DEADLINE}\n"
    return waiting + script


def called(folder: Path, *words: str, script: str = patient(ONLY_PRELOADED), given: str = "", **options: object) -> str:
    """What a command says and how it ends, run in the preloaded process or not at all."""
    done = subprocess.run(
        [sys.executable, "-c", script, *words],
        cwd=folder,
        input=given,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
        **options,  # type: ignore[call-overload]
    )
    return f"{done.returncode}\n{done.stdout}\n{done.stderr}"


def children(process: Server) -> list[str]:
    return Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()


@pytest.mark.usefixtures("ready")
def test_answers_are_the_same_as_without(folder: Path) -> None:
    prompt = '{"session_id": "s", "prompt": "how is an order charged?", "cwd": "."}'
    for words, given in (
        (("recall",), ""),
        (("recall", "charge an order"), ""),
        (("recall", "-"), "where is an order charged?"),
        (("-C", "..", "search", "charge"), ""),
        (("search", "charge", "--format", "json"), ""),
        (("show", "charge"), ""),
        (("why", "pay.py:1"), ""),
        (("log", "pay.py"), ""),
        (("show", "nothing-like-it"), ""),
        (("recall", "--no-such-option"), ""),
        (("hook", "prompt", "--host", "claude-code"), prompt),
    ):
        answer = called(folder, *words, given=given)
        assert COLD not in answer
        assert answer == called(folder, *words, script=BY_ITSELF, given=given)


@pytest.mark.slow
@pytest.mark.usefixtures("ready")
@pytest.mark.parametrize("name", NAMES)
def test_two_hundred_questions_have_the_same_answers(make_sample: Library, name: str) -> None:
    sample = make_sample(name)
    indexed(sample)
    for text in REMEMBERED:
        assert called(sample, "remember", text, script=BY_ITSELF).startswith("0\n")
    asked = questions(sample)
    assert len(asked) * len(NAMES) >= 200

    with ThreadPoolExecutor(2) as pool:
        warm = list(pool.map(lambda words: called(sample, *words), asked))
        cold = list(pool.map(lambda words: called(sample, *words, script=BY_ITSELF), asked))

    assert not [words for words, answer in zip(asked, warm, strict=True) if COLD in answer]
    assert dict(zip(asked, warm, strict=True)) == dict(zip(asked, cold, strict=True))


def questions(sample: Path) -> list[tuple[str, ...]]:
    """Questions about a repository in its own words, of every sort that the preloaded process answers."""
    draw = random.Random(1)
    files = sorted(path for path in sample.rglob("*") if path.suffix in {".py", ".go", ".ts", ".md"})
    texts = {path.relative_to(sample).as_posix(): path.read_text(encoding="utf-8") for path in files}
    words = sorted({word for text in texts.values() for word in re.findall(r"[A-Za-z_]{4,}", text)})
    lines = [(path, at) for path, text in texts.items() for at in range(1, text.count("\n") + 1)]
    phrases = [" ".join(draw.sample(words, draw.randint(1, 6))) for _ in range(40)]
    return [
        *(("recall", phrase) for phrase in phrases[:20]),
        *(("recall", phrase, "--format", "json", "--budget", "600") for phrase in phrases[20:28]),
        *(("search", phrase) for phrase in phrases[28:40]),
        *(("show", word) for word in draw.sample(words, 8)),
        *(("show", path) for path in draw.sample(sorted(texts), 4)),
        *(("log", path) for path in draw.sample(sorted(texts), 4)),
        *(("why", f"{path}:{at}") for path, at in draw.sample(lines, 8)),
        *(("memories", phrase) for phrase in phrases[:4]),
    ]


@pytest.mark.usefixtures("ready")
def test_other_commands_run_by_themselves(folder: Path) -> None:
    for words in (("index",), ("doctor",), ("hook", "capture", "--host", "codex"), ()):
        assert COLD in called(folder, *words)


@pytest.mark.usefixtures("ready")
def test_the_switch_is_heeded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REPOMEM_WORKERS_PRELOAD", "false")
    assert COLD in called(folder, "recall")


@pytest.mark.usefixtures("ready")
@pytest.mark.parametrize(
    "confine",
    [
        lambda: ctypes.CDLL(None).prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0),
        lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100)),
    ],
    ids=["no new privileges", "limits"],
)
def test_a_confined_command_does_not_leave_its_confinement(folder: Path, confine: Callable[[], object]) -> None:
    assert COLD in called(folder, "recall", preexec_fn=confine)


def test_a_server_that_was_killed_is_replaced(ready: Server, folder: Path) -> None:
    with server():
        assert COLD not in called(folder, "recall")
        os.kill(ready.pid, signal.SIGKILL)
        ready.wait(DEADLINE)
        assert eventually(lambda: COLD not in called(folder, "recall"))


def test_a_dead_or_hung_server_is_not_waited_for(ready: Server, folder: Path) -> None:
    os.kill(ready.pid, signal.SIGSTOP)
    assert COLD in called(folder, "recall", script=ONLY_PRELOADED)
    os.kill(ready.pid, signal.SIGKILL)
    ready.wait(DEADLINE)
    assert socket_path().exists()
    assert COLD in called(folder, "recall")


def test_it_ends_with_the_process_that_started_it(ready: Server) -> None:
    assert ready.stdin
    ready.stdin.close()
    assert ready.wait(DEADLINE) == 0
    assert not socket_path().exists()


def waiting_client(folder: Path, server: Server) -> subprocess.Popen[bytes]:
    """A command that waits for its stdin, in a child of the server."""
    client = subprocess.Popen(
        [sys.executable, "-c", patient(ONLY_PRELOADED), "recall", "-"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert eventually(lambda: bool(children(server)))
    [child] = children(server)
    environment = Path(f"/proc/{child}/cwd")
    assert eventually(lambda: environment.readlink() == folder)
    time.sleep(0.5)  # until it reads
    return client


def test_a_killed_command_ends_its_child(ready: Server, folder: Path) -> None:
    with waiting_client(folder, ready) as client:
        client.kill()
        assert eventually(lambda: not children(ready))


def test_ctrl_c_interrupts_the_command(ready: Server, folder: Path) -> None:
    with waiting_client(folder, ready) as client:
        client.send_signal(signal.SIGINT)
        _, error = client.communicate(timeout=DEADLINE)
        assert client.returncode == 130
        assert b"interrupted; finished work is kept" in error


def test_a_changed_installation_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text("")
    found = file.stat()
    loaded: Stamps = {str(file): (found.st_mtime_ns, found.st_size)}
    assert not is_outdated(loaded)
    file.write_text("NEW = 1\n")
    assert is_outdated(loaded)
