"""Handle Ctrl-C between two steps of a long run: within a step it could leave git or a thread in a bad state."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from repomem.cli.terminal.console import tell
from repomem.core.ports import Progress, Stage


@dataclass(slots=True)
class InterruptibleProgress:
    """A progress that raises KeyboardInterrupt after the current step, or at once on a second Ctrl-C."""

    progress: Progress
    is_stopped: bool = False

    def stop(self, number: int, frame: object) -> None:  # noqa: ARG002  # the signature of a signal's handler
        """Handle an interrupt."""
        if self.is_stopped:
            raise KeyboardInterrupt
        self.is_stopped = True
        tell("stopping after this step; press Ctrl-C again to stop at once")

    @contextmanager
    def stage(self, name: str, total: int | None, unit: str) -> Iterator[Stage]:
        """See the port."""
        with self.progress.stage(name, total, unit) as stage:
            yield _Steps(self, stage)


@dataclass(frozen=True, slots=True)
class _Steps:
    whole: InterruptibleProgress
    stage: Stage

    def advance(self, steps: int = 1) -> None:
        self.stage.advance(steps)
        if self.whole.is_stopped:
            raise KeyboardInterrupt


@contextmanager
def interruptible(progress: Progress) -> Iterator[Progress]:
    """The same progress, interrupted only between two steps; an ignored interrupt stays ignored."""
    stoppable = InterruptibleProgress(progress)
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, stoppable.stop)
    try:
        yield stoppable
    finally:
        signal.signal(signal.SIGINT, before)
