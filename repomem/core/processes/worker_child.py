"""The main loop of a worker process, and the frames that it exchanges with its parent.

It imports little, so that it starts fast. A frame is a length of 8 bytes and a pickle; frames read here were written
by the parent, so unpickling them is safe.
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

OUT_OF_MEMORY = 77  # exit status after a MemoryError, because continuing in a new process is safer


def serve(work: str, cpu_seconds: str, wall_seconds: str, memory_bytes: str) -> None:
    """Import `work`, report readiness, and answer frames until the parent closes the pipe or dies."""
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
            _set_timers(float(cpu_seconds), 2 * float(wall_seconds))  # a living parent's timer ends first
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
    """Stdin and stdout for frames only; output of the work or of its child processes is discarded."""
    inbox, outbox = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    return os.fdopen(inbox, "rb"), os.fdopen(outbox, "wb")


def _set_timers(cpu_seconds: float, wall_seconds: float) -> None:
    """Let the kernel end this process by SIGPROF or SIGALRM, even within C code; 0 disables a timer."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
        signal.setitimer(signal.ITIMER_REAL, wall_seconds)


def _limit_memory(headroom: int) -> None:
    """Limit the address space to its current size and `headroom` bytes, and disable core files."""
    if sys.platform != "linux":
        return  # other systems have no such limit or ignore it
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
    """The next frame's pickle; None at the end of the stream, even within a frame."""
    size = stream.read(8)
    if len(size) < 8:
        return None
    body = stream.read(int.from_bytes(size, "big"))
    return body if len(body) == int.from_bytes(size, "big") else None
