"""How a long run is to go: who watches it, and how long it may take."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from repomem.core.ports import Progress, Silence

Clock = Callable[[], float]


def unheard(line: str) -> None:
    """Nobody listens."""


def nobody(question: str) -> bool:  # noqa: ARG001  # the signature of whoever can be asked
    """Nobody is there to say yes."""
    return False


@dataclass(frozen=True, slots=True)
class Run:
    """How an index run is to go."""

    progress: Progress = field(default_factory=Silence)
    deadline: float = float("inf")  # on `clock`; what is not done by then is left for a later run
    clock: Clock = time.monotonic
    tell: Callable[[str], None] = unheard  # one line for people, before what it speaks of is done
    agrees: Callable[[str], bool] = nobody  # whether a person says yes to a question
    may_download: bool = False  # a model; somebody started the run by hand, and sees what it does
    may_share: bool = False  # take from shared storage and give to it; nobody waits for an answer

    @property
    def is_patient(self) -> bool:
        """Whether nobody waits for it, so that it may do what others left to it."""
        return self.deadline == float("inf")

    def for_share(self, share: float) -> "Run":
        """The same with only a share of the time that is left; a patient run stays patient."""
        left = self.deadline - self.clock()
        return self if self.is_patient else replace(self, deadline=self.clock() + share * left)

    @property
    def is_late(self) -> bool:
        """Whether the deadline has passed."""
        return self.clock() > self.deadline
