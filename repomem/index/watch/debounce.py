"""When to check a worktree after file events: after a moment of quiet, but within a maximum wait."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

QUIET = 0.4  # seconds without a change: a save is several writes, and a checkout thousands
LONGEST = 2.0  # seconds from the first change on, for programs that write without a pause


@dataclass(frozen=True, slots=True)
class Burst:
    """Changes of one worktree that lead to one check; times are seconds on the caller's clock."""

    first: float
    last: float
    is_of_folders: bool  # folders were added or removed, or ignore rules changed

    @property
    def due(self) -> float:
        """When to check."""
        return min(self.last + QUIET, self.first + LONGEST)


@dataclass(slots=True)
class Debounce:
    """The bursts that wait, by worktree."""

    bursts: dict[str, Burst] = field(default_factory=dict)

    def note(self, root: str, now: float, *, is_of_folders: bool = False) -> None:
        burst = self.bursts.get(root) or Burst(now, now, is_of_folders)
        self.bursts[root] = replace(burst, last=now, is_of_folders=burst.is_of_folders or is_of_folders)

    def ask(self, roots: Iterable[str], now: float) -> None:
        """Make worktrees due at once, changed or not."""
        for root in roots:
            self.note(root, now)
            self.bursts[root] = replace(self.bursts[root], first=now - LONGEST)

    def due(self, now: float) -> list[str]:
        """The worktrees to check, the longest waiting first."""
        ready = (root for root, burst in self.bursts.items() if burst.due <= now)
        return sorted(ready, key=lambda root: (self.bursts[root].due, root))

    def take(self, root: str) -> Burst:
        """Remove and return the burst of a worktree; later changes start another."""
        return self.bursts.pop(root)

    def drop(self, root: str) -> None:
        self.bursts.pop(root, None)

    def next_due(self) -> float:
        """When the next check is due; infinite where none is."""
        return min((burst.due for burst in self.bursts.values()), default=float("inf"))
