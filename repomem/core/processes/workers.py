"""Applies a function to items in worker processes; an item that crashes, hangs or exhausts its process is skipped.

This is the parent's side; `worker_child` is the other. Workers are plain interpreters with `-P`, not those of
`multiprocessing`, which would import the parent's main module and any `random.py` of an untrusted repository in the
current directory. Frames are sent through stdin and stdout, with one thread per direction, so that the parent never
waits for a worker that does not read.
"""

import pickle
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, BinaryIO, Generic, TypeVar

from repomem.core.errors import RepomemError
from repomem.core.processes.background import OWN_SESSION
from repomem.core.processes.worker_child import OUT_OF_MEMORY, frame_of, read_frame

WINDOW_ITEMS = 16  # sent to a worker in advance: it never waits, and few are sent again when it dies
WINDOW_BYTES = 1 << 20  # the same in bytes, to bound memory
START_SECONDS = 60.0  # for imports from a cold disk on a busy machine
DEATH_SECONDS = 2.0  # from the end of a worker's output to its exit status

_BOOT = (
    "import sys; sys.path[:] = sys.argv[5:]; "
    "from repomem.core.processes.worker_child import serve; serve(*sys.argv[1:5])"
)

K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class WorkerFault:
    """Why an item has no result: the end of its process, or the type of the exception."""

    reason: str


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits for one item. CPU time and memory only apply on platforms that can limit them."""

    cpu_seconds: float = 2.0  # so that a busy machine skips no file
    wall_seconds: float = 20.0  # for items that wait without using the CPU
    memory_bytes: int = 1 << 30  # address space beyond that of the started process


def run_in_workers(
    work: str, items: Iterable[tuple[K, Any]], *, processes: int, limits: Limits | None = None
) -> Generator[tuple[K, Any], None, None]:
    """Yield (key, result or `WorkerFault`) once for each (key, argument) of `items`, in any order.

    `work` is "package.module:function", imported only in the workers. Arguments and results are pickled, keys are not.
    `items` is read lazily; another process starts when all windows are full. Closing the iterator ends all processes.
    Raises `RepomemError` if a process cannot start or import `work`.
    """
    crew = _Crew(work, iter(items), max(1, processes), limits or Limits())
    try:
        while crew.hand_out():
            yield from crew.collect()
    finally:
        crew.dismiss_all()


@dataclass(frozen=True, slots=True)
class _Item(Generic[K]):
    key: K
    frame: bytes


@dataclass(slots=True, eq=False)
class _Worker(Generic[K]):
    """A worker process and the items sent to it; it processes the first."""

    process: subprocess.Popen[bytes]
    outbox: SimpleQueue[bytes | None] = field(default_factory=SimpleQueue)
    threads: list[Thread] = field(default_factory=list)
    items: deque[_Item[K]] = field(default_factory=deque)
    size: int = 0  # bytes of the items' frames
    is_ready: bool = False
    since: float = field(default_factory=time.monotonic)  # the last time that an item was sent or an answer came

    def dismiss(self) -> None:
        self.process.kill()
        self.process.wait()
        self.outbox.put(None)
        for thread in self.threads:
            thread.join()


@dataclass(slots=True)
class _Crew(Generic[K]):
    """The running workers, and the items not sent to any."""

    work: str
    source: Iterator[tuple[K, Any]]
    processes: int
    limits: Limits
    workers: list[_Worker[K]] = field(default_factory=list)
    waiting: deque[_Item[K]] = field(default_factory=deque)
    news: "SimpleQueue[tuple[_Worker[K], float, bytes | None]]" = field(default_factory=SimpleQueue)

    def hand_out(self) -> bool:
        """Send items to workers with room, starting processes as needed; False when all items are done."""
        for worker in self.workers:
            self._fill(worker)
        while len(self.workers) < self.processes and self._has_more():
            self._fill(self._start())
        return any(worker.items for worker in self.workers)

    def collect(self) -> Iterator[tuple[K, Any]]:
        """Wait for one answer, the end of a worker or a timeout, and yield the resulting (key, result) pairs."""
        try:
            worker, at, frame = self.news.get(timeout=max(0.0, self._deadline() - time.monotonic()))
        except Empty:
            yield from self._give_up_overdue()
            return
        if worker not in self.workers:
            return  # dismissed, and its item reported
        if frame is None:
            yield from self._bury(worker)
            return
        worker.since = max(worker.since, at)  # the answer may have waited in the queue
        if worker.is_ready:
            item = worker.items.popleft()
            worker.size -= len(item.frame)
            is_result, value = pickle.loads(frame)  # noqa: S301  # from our own child
            yield item.key, value if is_result else WorkerFault(value)
            return
        worker.is_ready = True
        if error := pickle.loads(frame):  # noqa: S301  # from our own child
            raise _not_started(error)

    def dismiss_all(self) -> None:
        for worker in self.workers:
            worker.dismiss()

    def _has_more(self) -> bool:
        if not self.waiting:
            self.waiting.extend(_Item(key, frame_of(argument)) for key, argument in islice(self.source, 1))
        return bool(self.waiting)

    def _fill(self, worker: _Worker[K]) -> None:
        """Refill a worker once half of its window is done, which takes fewer writes."""
        if len(worker.items) > WINDOW_ITEMS // 2:
            return
        frames = []
        while len(worker.items) < WINDOW_ITEMS and worker.size < WINDOW_BYTES and self._has_more():
            item = self.waiting.popleft()
            worker.items.append(item)
            worker.size += len(item.frame)
            frames.append(item.frame)
        if frames:
            worker.since = time.monotonic()
            worker.outbox.put(b"".join(frames))

    def _start(self) -> _Worker[K]:
        limits = (self.limits.cpu_seconds, self.limits.wall_seconds, self.limits.memory_bytes)
        command = [sys.executable, "-P", "-c", _BOOT, self.work, *map(str, limits), *filter(None, sys.path)]
        try:
            process = subprocess.Popen(  # noqa: S603  # our own interpreter
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # messages of crashing libraries must not reach the terminal
                **OWN_SESSION,  # only the parent handles Ctrl-C
            )
        except OSError as exc:
            raise _not_started(str(exc)) from exc
        assert process.stdin
        assert process.stdout
        worker: _Worker[K] = _Worker(process)
        worker.threads += [
            Thread(target=_send, args=(worker.outbox, process.stdin), daemon=True),
            Thread(target=_receive, args=(worker, process.stdout, self.news), daemon=True),
        ]
        self.workers.append(worker)
        for thread in worker.threads:
            thread.start()
        return worker

    def _deadline(self) -> float:
        return min(worker.since + self._patience(worker) for worker in self.workers if worker.items)

    def _patience(self, worker: _Worker[K]) -> float:
        return self.limits.wall_seconds if worker.is_ready else START_SECONDS

    def _give_up_overdue(self) -> Iterator[tuple[K, WorkerFault]]:
        now = time.monotonic()
        for worker in [w for w in self.workers if w.items and w.since + self._patience(w) <= now]:
            yield from self._lose(worker, f"took over {self._patience(worker):g} s")

    def _bury(self, worker: _Worker[K]) -> Iterator[tuple[K, WorkerFault]]:
        with suppress(subprocess.TimeoutExpired):
            worker.process.wait(DEATH_SECONDS)
        yield from self._lose(worker, _reason(worker.process.poll(), self.limits))

    def _lose(self, worker: _Worker[K], reason: str) -> Iterator[tuple[K, WorkerFault]]:
        """Remove a worker, report the item that it was processing as failed, and queue its other items again."""
        worker.dismiss()
        self.workers.remove(worker)
        if not worker.is_ready:
            raise _not_started(reason)
        if worker.items:
            blamed = worker.items.popleft()
            self.waiting.extendleft(reversed(worker.items))
            yield blamed.key, WorkerFault(reason)


def _not_started(reason: str) -> RepomemError:
    return RepomemError(f"a worker process did not start: {reason}", hint=f"check that {sys.executable} runs")


def _reason(status: int | None, limits: Limits) -> str:
    if status is None:
        return "closed its output"
    if status == OUT_OF_MEMORY:
        return "ran out of memory"
    if status >= 0:
        return f"exited with status {status}"
    names = {number.value: number.name for number in signal.Signals}
    name = names.get(-status, f"signal {-status}")
    timers = {
        "SIGPROF": f"took over {limits.cpu_seconds:g} s of CPU time",
        "SIGALRM": f"took over {limits.wall_seconds:g} s",
    }
    return timers.get(name, f"killed by {name}")


def _send(outbox: SimpleQueue[bytes | None], stream: BinaryIO) -> None:
    with suppress(OSError), stream:  # the end of a worker is noticed by its output
        while (frames := outbox.get()) is not None:
            stream.write(frames)
            stream.flush()


def _receive(worker: _Worker[K], stream: BinaryIO, news: "SimpleQueue[tuple[_Worker[K], float, bytes | None]]") -> None:
    with stream:
        while (frame := read_frame(stream)) is not None:
            news.put((worker, time.monotonic(), frame))
    news.put((worker, time.monotonic(), None))
