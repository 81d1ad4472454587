"""The life of one worker process, and the frames in which it and its parent speak.

It imports little, and nothing of the parent's side: a run over three files waits for its start. A frame is 8 bytes of
length and a pickle; the parent wrote the one that is read here, so that unpickling it is safe.
"""

import os
import pickle
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

OUT_OF_MEMORY = 77  # exit status after a MemoryError: a fresh process is safer than what is left of this one


def serve(work: str, cpu_seconds: str, wall_seconds: str, memory_bytes: str) -> None:
    """A child's life: import `work`, say so, answer frames until the parent closes the pipe or dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    inbox, outbox = _own_pipes()
    with suppress(BrokenPipeError), inbox, outbox:
        try:
            module, _, name = work.partition(":")
            function: Callable[[Any], Any] = getattr(import_module(module), name)
        except (ImportError, AttributeError) as exc:
            outbox.write(frame_of(str(exc) or type(exc).__name__))
            return
        _limit_memory(int(memory_bytes))
        outbox.write(frame_of(""))
        outbox.flush()
        while (frame := read_frame(inbox)) is not None:
            _set_timers(float(cpu_seconds), 2 * float(wall_seconds))  # the parent is first, where it lives
            answer = _answer(function, frame)
            _set_timers(0, 0)
            outbox.write(answer)
            outbox.flush()


def _answer(function: Callable[[Any], Any], frame: bytes) -> bytes:
    try:
        return frame_of((True, function(pickle.loads(frame))))  # noqa: S301  # see above
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except Exception as exc:  # noqa: BLE001  # the border: whatever one item does is one line in the report
        return frame_of((False, type(exc).__name__))


def _own_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Stdin and stdout for our frames alone: what the work prints, or a program that it starts, goes nowhere."""
    inbox, outbox = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    return os.fdopen(inbox, "rb"), os.fdopen(outbox, "wb")


def _set_timers(cpu_seconds: float, wall_seconds: float) -> None:
    """Let the kernel end this process by SIGPROF or SIGALRM, inside C as well; 0 takes a timer back."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
        signal.setitimer(signal.ITIMER_REAL, wall_seconds)


def _limit_memory(headroom: int) -> None:
    """Bound the address space to what is mapped now and `headroom` bytes; leave no core files behind."""
    if sys.platform != "linux":
        return  # elsewhere the limit does not exist or is not kept
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    bounds = [limit for limit in (soft, hard, mapped + headroom) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min(bounds), hard))


def frame_of(value: object) -> bytes:
    body = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return len(body).to_bytes(8, "big") + body


def read_frame(stream: BinaryIO) -> bytes | None:
    """The next frame's pickle; None where the stream ends, in the middle of a frame too."""
    size = stream.read(8)
    if len(size) < 8:
        return None
    body = stream.read(int.from_bytes(size, "big"))
    return body if len(body) == int.from_bytes(size, "big") else None
