"""Runs foreign programs, agents and tests, with a time limit; a program is ended together with all that it started."""

import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from repomem.core.errors import RepomemError

GRACE = 3.0  # seconds to end by itself after the signal
POLL = 0.1  # seconds between looks for its end while it prints nothing
CHUNK = 1 << 16  # bytes: what a pipe holds by default
LEFT_IN_PIPE = 1 << 20  # bytes: the most that a pipe holds without root, so all that was printed before the end
TIMEOUT = "timeout"


@dataclass(slots=True)
class LimitedProcess:
    """A running program."""

    process: "subprocess.Popen[bytes]"
    started: float = field(default_factory=time.monotonic)
    stopped: str = ""  # why it was ended before it ended by itself
    ended: float = 0.0
    _done: threading.Event = field(default_factory=threading.Event)

    @property
    def lines(self) -> Iterator[bytes]:
        """Its output until it has ended.

        A program that it started in another session is not ended with it and may hold the pipe open for ever, so the
        end of the pipe is not waited for.
        """
        rest = b""
        for chunk in self._chunks():
            *whole, rest = (rest + chunk).split(b"\n")
            yield from (line + b"\n" for line in whole)
        if rest:
            yield rest

    def _chunks(self) -> Iterator[bytes]:
        assert self.process.stdout is not None
        pipe, left = self.process.stdout.fileno(), LEFT_IN_PIPE
        while left > 0:
            has_ended = self._done.is_set()  # asked before the pipe: what it printed last is read
            if select.select([pipe], [], [], 0.0 if has_ended else POLL)[0]:
                if not (chunk := os.read(pipe, CHUNK)):
                    return
                left -= len(chunk) if has_ended else 0
                yield chunk
            elif has_ended:
                return

    @property
    def code(self) -> int | None:
        """Its exit code; None if it was stopped."""
        return None if self.stopped else self.process.returncode

    @property
    def seconds(self) -> float:
        """How long it ran."""
        return (self.ended or time.monotonic()) - self.started

    def stop(self, reason: str) -> None:
        """End it and all that it started."""
        if not self.stopped and self.process.poll() is None:
            self.stopped = reason
            _signal_group(self.process, signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(GRACE)
        _signal_group(self.process, signal.SIGKILL)  # what it started may have ignored the signal, or outlived it

    def watch(self, limit: float) -> None:
        """Wait for its end or the limit; then end what it left running, so that its output ends."""
        try:
            self.process.wait(limit)
        except subprocess.TimeoutExpired:
            self.stop(TIMEOUT)
            self.process.wait()
        self.ended = time.monotonic()
        _signal_group(self.process, signal.SIGKILL)
        self._done.set()

    def wait(self) -> None:
        """Wait until it has ended."""
        self._done.wait()


@contextmanager
def limited(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    limit: float,
    *,
    prompt: str = "",
    errors: Path | None = None,
) -> Iterator[LimitedProcess]:
    """Start a program in a folder, for at most `limit` seconds; it is ended when the block is left.

    `prompt` is its stdin. Its stderr goes to the file `errors`, or with its output. Raises RepomemError if it cannot be
    started.
    """
    with open(errors or os.devnull, "wb") as stderr:  # noqa: PTH123  # either may be a name
        try:
            process = subprocess.Popen(  # noqa: S603  # the user's own command
                command,
                cwd=folder,
                env={**environment, "PWD": str(folder)},  # OpenCode works in $PWD, which would be the user's folder
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr if errors else subprocess.STDOUT,
                start_new_session=True,  # a group of its own: Ctrl-C does not reach it, and it is ended as a whole
            )
        except OSError as error:
            raise RepomemError(f"cannot start {command[0]}: {error.strerror}", "check the command") from error
    assert process.stdin is not None
    running = LimitedProcess(process)
    threads = [
        threading.Thread(target=running.watch, args=(limit,), daemon=True),
        threading.Thread(target=_write, args=(process.stdin, prompt), daemon=True),
    ]
    for thread in threads:
        thread.start()
    try:
        yield running
    finally:
        running.stop("interrupted")
        running.wait()
        if process.stdout:
            process.stdout.close()


def _write(stdin: IO[bytes], prompt: str) -> None:
    with suppress(OSError, ValueError), stdin:  # it may end without reading it
        stdin.write(prompt.encode("utf-8", "surrogatepass"))


def _signal_group(process: "subprocess.Popen[bytes]", number: int) -> None:
    with suppress(OSError):  # it has ended
        os.killpg(process.pid, number)
