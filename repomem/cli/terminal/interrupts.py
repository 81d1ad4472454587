"""Ctrl-C between two steps of a long run: in the middle of one it would leave git or a thread in an odd state."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from repomem.cli.terminal.console import tell
from repomem.core.ports import Progress, Stage


@dataclass(slots=True)
class Stoppable:
    """Another progress that is interrupted with the next step that is done, or at once by a second Ctrl-C."""

    progress: Progress
    is_stopped: bool = False

    def stop(self, number: int, frame: object) -> None:  # noqa: ARG002  # the signature of a signal's handler
        """Take note of an interrupt."""
        if self.is_stopped:
            raise KeyboardInterrupt
        self.is_stopped = True
        tell("stopping behind this step; Ctrl-C again stops at once")

    @contextmanager
    def stage(self, name: str, total: int | None, unit: str) -> Iterator[Stage]:
        """See the port."""
        with self.progress.stage(name, total, unit) as stage:
            yield _Steps(self, stage)


@dataclass(frozen=True, slots=True)
class _Steps:
    whole: Stoppable
    stage: Stage

    def advance(self, steps: int = 1) -> None:
        self.stage.advance(steps)
        if self.whole.is_stopped:
            raise KeyboardInterrupt


@contextmanager
def stopped_between_steps(progress: Progress) -> Iterator[Progress]:
    """The same progress, by which an interrupt comes between two steps; one that is ignored stays so."""
    stoppable = Stoppable(progress)
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, stoppable.stop)
    try:
        yield stoppable
    finally:
        signal.signal(signal.SIGINT, before)
