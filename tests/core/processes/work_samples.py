"""What the worker processes of test_workers.py are asked to do, good and bad."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from typing import Any


def obey(order: tuple[str, Any]) -> Any:
    """Do what an order names: the kinds of death, and the things that must not disturb a run."""
    verb, argument = order
    return _VERBS[verb](argument)


def _segfault(_: object) -> None:
    ctypes.string_at(0)


def _loop(_: object) -> None:
    while True:
        pass


def _loop_in_c(_: object) -> None:
    sum(range(10**13))  # one call that checks for no Python signal handler


def _hoard(_: object) -> None:
    held = []
    while True:
        held.append(bytearray(1 << 23))


def _fail(message: str) -> None:
    raise LookupError(message)


def _print(text: str) -> str:
    sys.stdout.write(text)
    sys.stdout.flush()
    subprocess.run([sys.executable, "-c", f"print({text!r}); input()"], check=False, stderr=subprocess.DEVNULL)
    return text


def _interrupt(value: object) -> object:
    os.kill(os.getpid(), signal.SIGINT)
    return value


def _pause(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def _burn(seconds: float) -> int:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return os.getpid()


_VERBS: dict[str, Any] = {
    "burn": _burn,
    "return": lambda value: value,
    "segfault": _segfault,
    "loop": _loop,
    "loop in C": _loop_in_c,
    "hoard": _hoard,
    "fail": _fail,
    "print": _print,
    "pause": _pause,
    "exit": os._exit,
    "quit": sys.exit,
    "signal": lambda number: os.kill(os.getpid(), number),
    "interrupt": _interrupt,
    "unpicklable": lambda _: lambda: None,
    "process": lambda _: os.getpid(),
    "modules": lambda _: sorted(sys.modules),
}
