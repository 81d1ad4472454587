"""Settings of a long run: its progress display, and its time limit."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from repomem.core.ports import Progress, Silence

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Run:
    """Settings of an index run."""

    progress: Progress = field(default_factory=Silence)
    deadline: float = float("inf")  # on `clock`; the rest is left to a later run
    clock: Clock = time.monotonic
    tell: Callable[[str], None] = lambda _: None  # one line for people, before a long step
    agrees: Callable[[str], bool] = lambda _: False  # asks a person to confirm; no without a terminal
    may_download: bool = False  # models; for runs started by hand
    may_share: bool = False  # use shared storage; for background runs

    @property
    def is_background(self) -> bool:
        """Whether it runs in the background, so it may also do work left by other runs."""
        return self.deadline == float("inf")

    def for_share(self, share: float) -> "Run":
        """The same with a share of the remaining time; a patient run stays patient."""
        left = self.deadline - self.clock()
        return self if self.is_background else replace(self, deadline=self.clock() + share * left)

    @property
    def is_late(self) -> bool:
        """Whether the deadline has passed."""
        return self.clock() > self.deadline
