"""Progress of a long run: bars on a terminal, else a line for each slow stage."""

import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from repomem.cli.terminal.console import is_terminal, tell
from repomem.core.ports import Progress, Silence, Stage

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress, TaskID

WIDEST = 100  # columns; a bar across a very wide terminal is hard to read
LONG_STAGE = 10.0  # seconds; a log should not list instant steps


def progress_for_terminal(*, is_quiet: bool = False) -> Progress:
    """Bars or lines, depending on stderr."""
    if is_quiet:
        return Silence()
    return Bars() if is_terminal(sys.stderr) else Lines()


class Bars:
    """Progress as bars. Rich is loaded by the first stage: most runs find nothing to do."""

    def stage(self, name: str, total: int | None, unit: str) -> AbstractContextManager[Stage]:
        """See the port."""
        return _bar(name, total, unit) if total != 0 else Silence()


class Lines:
    """Progress as a line for each stage that took long."""

    @contextmanager
    def stage(self, name: str, total: int | None, unit: str) -> Iterator[Stage]:  # noqa: ARG002  # the port's signature
        """See the port."""
        start, count = time.monotonic(), _Count()
        yield count
        seconds = time.monotonic() - start
        if seconds > LONG_STAGE:
            tell(f"{name}: {count.done:,} {unit} in {seconds:.0f} s")


@contextmanager
def _bar(name: str, total: int | None, unit: str) -> Iterator[Stage]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", style="bold"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("{task.fields[unit]}  {task.fields[rate]}"),
        TimeElapsedColumn(),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, expand=console.width < WIDEST, refresh_per_second=8) as bars:
        task = bars.add_task(name, total=total, unit=unit, rate="")
        yield _Bar(bars, task, time.monotonic())


@dataclass(slots=True)
class _Bar:
    bars: "RichProgress"
    task: "TaskID"
    start: float
    done: int = 0

    def advance(self, steps: int = 1) -> None:
        self.done += steps
        self.bars.update(self.task, advance=steps, rate=_rate(self.done, time.monotonic() - self.start))


def _rate(done: int, seconds: float) -> str:
    """The speed: steps per second, or seconds per step."""
    return f"{done / max(seconds, 0.001):,.0f}/s" if done > seconds else f"{seconds / max(done, 1):,.1f} s each"


@dataclass(slots=True)
class _Count:
    done: int = 0

    def advance(self, steps: int = 1) -> None:
        self.done += steps
