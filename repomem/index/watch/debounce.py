"""When a watched work tree is to be looked at: after a moment of quiet, but never kept waiting for long. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

QUIET = 0.4  # seconds without a change: a save is several writes, and a checkout thousands
LONGEST = 2.0  # seconds from the first change on, for who writes without a pause


@dataclass(frozen=True, slots=True)
class Burst:
    """Changes of one work tree that are looked at together; times are seconds on the caller's clock."""

    first: float
    last: float
    is_of_folders: bool  # folders came or went, or what is ignored changed

    @property
    def due(self) -> float:
        """When to look."""
        return min(self.last + QUIET, self.first + LONGEST)


@dataclass(slots=True)
class Agenda:
    """The bursts that wait, by work tree."""

    bursts: dict[str, Burst] = field(default_factory=dict)

    def note(self, root: str, now: float, *, is_of_folders: bool = False) -> None:
        """Something has changed."""
        burst = self.bursts.get(root) or Burst(now, now, is_of_folders)
        self.bursts[root] = replace(burst, last=now, is_of_folders=burst.is_of_folders or is_of_folders)

    def ask(self, roots: Iterable[str], now: float) -> None:
        """Look at once, whether something has changed or not."""
        for root in roots:
            self.note(root, now)
            self.bursts[root] = replace(self.bursts[root], first=now - LONGEST)

    def due(self, now: float) -> list[str]:
        """The work trees to look at, the one that waits longest first."""
        ready = (root for root, burst in self.bursts.items() if burst.due <= now)
        return sorted(ready, key=lambda root: (self.bursts[root].due, root))

    def take(self, root: str) -> Burst:
        """The burst that is now looked at; what changes from here on is another."""
        return self.bursts.pop(root)

    def drop(self, root: str) -> None:
        """Forget a work tree."""
        self.bursts.pop(root, None)

    def next_due(self) -> float:
        """When to look next; infinite where nothing waits."""
        return min((burst.due for burst in self.bursts.values()), default=float("inf"))
