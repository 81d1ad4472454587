"""The process around a command: its streams, how failures are told, and the exit code.

Data goes to stdout, everything else to stderr. What a command prints is its own business.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Never, TextIO

from repomem.core.errors import RepomemError
from repomem.core.escape import visible

if TYPE_CHECKING:
    from repomem.workspace.workspace import Workspace

DONE, FAILED, UNEXPECTED, INTERRUPTED = 0, 1, 3, 130  # 2, a usage error, is typer's

INPUT_LIMIT = 1 << 20  # characters read from stdin as one text

FailureTold = Callable[[str], None]
"""Given the lines that went to stderr, for an output format that tells failures itself."""


def prepare_streams() -> None:
    """UTF-8 whatever the locale says, and never a failure over a character or a closed stream."""
    sys.stdin = sys.stdin or _nowhere("r")
    sys.stdout = sys.stdout or _nowhere("w")
    sys.stderr = sys.stderr or _nowhere("w")
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace"), (sys.stderr, "backslashreplace")):
        stream.reconfigure(encoding="utf-8", errors=errors)  # type: ignore[union-attr]  # the interpreter's own


def finish(work: Callable[[], None], failure_told: FailureTold | None = None) -> Never:
    """Do a command's work and end the process with its exit code."""
    code = _exit_code(work, failure_told or (lambda _: None))
    with suppress(OSError, ValueError):
        sys.stderr.flush()
    # Nothing here waits for the interpreter's end, while LanceDB's threads alone take 0.1 s to end in order.
    os._exit(code)


def out(text: str) -> None:
    """Write data, as it is, to stdout."""
    with _output_told():
        sys.stdout.write(text)


def words_or_stdin(words: list[str] | None) -> str:
    """What was said on the command line, without what cannot be seen; a single dash stands for stdin."""
    if words == ["-"]:
        text = sys.stdin.read(INPUT_LIMIT + 1)
        if len(text) > INPUT_LIMIT:
            raise RepomemError("the input is longer than a million characters", "a few sentences do")
        return visible(text).strip()
    return visible(" ".join(words or ())).strip()


def flush() -> None:
    """Hand what was written to stdout to whoever reads it."""
    with _output_told():
        sys.stdout.flush()


def tell(line: str) -> None:
    """Write one line for people to stderr; nothing in it is hidden, and nothing a secret."""
    from repomem.core.secrets.redact import redact  # an address or a value of a setting may hold one

    with suppress(OSError):  # nobody listens: no reason to fail
        sys.stderr.write(f"{redact(visible(line))}\n")


def tell_warnings(warnings: Iterable[str]) -> None:
    """What the index lacks, a line for each."""
    for warning in warnings:
        tell(f"warning: {warning}")


def can_ask() -> bool:
    """Whether a person is there to answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def asked(question: str) -> bool:
    """Whether a person at a terminal says yes; a pipe says no."""
    if not can_ask():
        return False
    sys.stderr.write(f"{visible(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def is_terminal(stream: TextIO) -> bool:
    """Whether people look at it, on a terminal that can do more than print."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


@contextmanager
def workspace_at(directory: Path) -> Iterator["Workspace"]:
    """The workspace of the repository that holds a folder; its notices are told at the end."""
    from repomem.workspace.workspace import opened

    with opened(directory, os.environ) as workspace:
        try:
            yield workspace
        finally:
            for notice in workspace.notices:
                tell(f"note: {notice}")


def failure_lines(error: RepomemError) -> list[str]:
    """A failure in words, and the next step where there is one; an agent may be told them too."""
    from repomem.core.secrets.redact import redact

    return [redact(line) for line in (f"error: {error.message}", error.hint and f"hint: {error.hint}") if line]


def _exit_code(work: Callable[[], None], failure_told: FailureTold) -> int:
    """Run the command; the one place where its failures become words."""
    try:
        from repomem.workspace.workspace import prepare_process

        prepare_process()
        work()
        flush()
    except RepomemError as error:
        return _failed(FAILED, failure_lines(error), failure_told)
    except KeyboardInterrupt:
        tell("interrupted; what was done is kept, run the command again to go on")
        return INTERRUPTED
    except BrokenPipeError:
        sys.stdout = _nowhere("w")  # what is still buffered has no reader
        return DONE
    except Exception as error:  # noqa: BLE001  # the console's one handler: a stranger's terminal is no debugger
        from repomem.cli.terminal.crash import told_crash

        return _failed(UNEXPECTED, told_crash(error), failure_told)
    return DONE


def _failed(code: int, lines: list[str], failure_told: FailureTold) -> int:
    for line in lines:
        tell(line)
    with suppress(RepomemError, BrokenPipeError):
        failure_told("\n".join(lines))
        flush()
    return code


@contextmanager
def _output_told() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise RepomemError(f"cannot write the output: {error.strerror}", "is the disk full?") from error


def _nowhere(mode: str) -> TextIO:
    return Path(os.devnull).open(mode, encoding="utf-8")  # type: ignore[return-value]  # a text mode
