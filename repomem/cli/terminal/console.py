"""The process around a command: its streams, errors and exit code.

Data goes to stdout, everything else to stderr.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Never, TextIO

from repomem.core.errors import RepomemError
from repomem.core.text.escape import visible

if TYPE_CHECKING:
    import typer

    from repomem.workspace.workspace import Workspace

DONE, FAILED, UNEXPECTED, INTERRUPTED = 0, 1, 3, 130  # 2, a usage error, is typer's

INPUT_LIMIT = 1 << 20  # characters read from stdin as one text


def prepare_streams() -> None:
    """Set the streams to UTF-8 in every locale; characters and closed streams never raise."""
    sys.stdin = sys.stdin or _nowhere("r")
    sys.stdout = sys.stdout or _nowhere("w")
    sys.stderr = sys.stderr or _nowhere("w")
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace"), (sys.stderr, "backslashreplace")):
        stream.reconfigure(encoding="utf-8", errors=errors)  # type: ignore[union-attr]  # the interpreter's own


def finish(work: Callable[[], int | None], on_failure: Callable[[str], None] = lambda _: None) -> Never:
    """Run a command, and end the process with its exit code, which `work` may return.

    `on_failure` receives the lines that went to stderr, for output formats that report errors on stdout.
    """
    code = _exit_code(work, on_failure)
    with suppress(OSError, ValueError):
        sys.stderr.flush()
    # Nothing needs the interpreter's shutdown, and stopping LanceDB's threads alone takes 0.1 s.
    os._exit(code)


@contextmanager
def output_errors() -> Iterator[None]:
    """Turn errors of stdout into RepomemError, but for a reader that is gone."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise RepomemError(f"cannot write the output: {error.strerror}", "is the disk full?") from error


def out(text: str) -> None:
    """Write data to stdout."""
    with output_errors():
        sys.stdout.write(text)


def out_lines(lines: Iterable[str]) -> None:
    """Write each of these lines to stdout."""
    out("".join(f"{line}\n" for line in lines))


def words_or_stdin(words: list[str] | None) -> str:
    """The words of the command line, or stdin for a single dash; without invisible characters."""
    if words == ["-"]:
        text = sys.stdin.read(INPUT_LIMIT + 1)
        if len(text) > INPUT_LIMIT:
            raise RepomemError("the input is longer than a million characters", "a few sentences are enough")
        return visible(text).strip()
    return visible(" ".join(words or ())).strip()


def flush() -> None:
    """Flush stdout."""
    with output_errors():
        sys.stdout.flush()


def tell(line: str) -> None:
    """Print a line to stderr, without secrets and invisible characters."""
    from repomem.core.secrets.redact import redact  # a URL or an option's value may contain a secret

    with suppress(OSError):  # stderr is closed: no reason to fail
        sys.stderr.write(f"{redact(visible(line))}\n")


def tell_warnings(warnings: Iterable[str]) -> None:
    """Print warnings about what is not indexed, one per line."""
    for warning in warnings:
        tell(f"warning: {warning}")


def can_ask() -> bool:
    """Whether a person can answer a question."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def asked(question: str) -> bool:
    """Whether a person at a terminal answers yes; false in a pipe."""
    return answered(question) is True


def answered(question: str, keys: str = "y/N") -> bool | None:
    """Whether a person at a terminal answers yes or no; None for any other answer, and in a pipe."""
    if not can_ask():
        return None
    sys.stderr.write(f"{visible(question)} [{keys}] ")
    sys.stderr.flush()
    return {"y": True, "yes": True, "n": False, "no": False}.get(sys.stdin.readline().strip().lower())


def confirmed(question: str, *, refusal: str, hint: str) -> bool:
    """Whether a person at a terminal answers yes. Raises RepomemError, with `refusal` and `hint`, in a pipe."""
    if not can_ask():
        raise RepomemError(refusal, hint)
    return asked(question)


def is_terminal(stream: TextIO) -> bool:
    """Whether it is a terminal that supports colours."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


@contextmanager
def workspace_at(directory: Path) -> Iterator["Workspace"]:
    """The workspace of the repository that contains a folder; prints its notices at the end."""
    from repomem.workspace.workspace import opened

    with opened(directory, os.environ) as workspace:
        try:
            yield workspace
        finally:
            for notice in workspace.notices:
                tell(f"note: {notice}")


def from_top(workspace: "Workspace", directory: Path, target: str) -> str:
    """A target that is `.` or begins with `./` or `../` as a path from the top; any other as it is."""
    top = workspace.repository.top
    if top is None or target.partition("/")[0] not in {".", ".."}:
        return target
    return os.path.relpath(directory.resolve() / target, top.resolve())


def workspace_of(context: "typer.Context") -> "Workspace":
    """The workspace of the folder that a command runs in, open until the command ends; see `workspace_at`."""
    workspace: Workspace = context.with_resource(workspace_at(context.obj))
    return workspace


def warm_workspace_of(context: "typer.Context") -> "Workspace":
    """The same, while LanceDB is being imported."""
    from repomem.workspace.process import warm_up

    warm_up()
    return workspace_of(context)


def failure_lines(error: RepomemError) -> list[str]:
    """An error as lines: the message, and the hint, if any."""
    from repomem.core.secrets.redact import redact

    return [redact(line) for line in (f"error: {error.message}", error.hint and f"hint: {error.hint}") if line]


def _exit_code(work: Callable[[], int | None], on_failure: Callable[[str], None]) -> int:
    """Run the command; the only place that turns errors into lines."""
    try:
        code = work() or DONE
        flush()
    except RepomemError as error:
        return _failed(FAILED, failure_lines(error), on_failure)
    except KeyboardInterrupt:
        tell("interrupted; finished work is kept, run the command again to continue")
        return INTERRUPTED
    except BrokenPipeError:
        sys.stdout = _nowhere("w")  # the buffered rest has no reader
        return DONE
    except Exception as error:  # noqa: BLE001  # the console's one handler: users get a report, no traceback
        from repomem.cli.terminal.crash import crash_lines

        return _failed(UNEXPECTED, crash_lines(error), on_failure)
    return code


def _failed(code: int, lines: list[str], on_failure: Callable[[str], None]) -> int:
    for line in lines:
        tell(line)
    with suppress(RepomemError, BrokenPipeError):
        on_failure("\n".join(lines))
        flush()
    return code


def _nowhere(mode: str) -> TextIO:
    return Path(os.devnull).open(mode, encoding="utf-8")  # type: ignore[return-value]  # a text mode
