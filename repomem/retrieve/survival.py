"""What of an earlier change stands at the head: counted, never guessed from a message."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from repomem.core.types import Hunk

SHORTEST_LINE = 5  # characters; shorter ones (a brace, `end`, `else:`) stand everywhere and prove nothing
ALL = 0.9  # of its added lines: a later touch or two does not change what a commit did
NOTHING = 0.1


@dataclass(frozen=True, slots=True)
class Survival:
    """How many lines a commit added that say something, and how many of them stand in the same file now."""

    added: int
    standing: int

    @property
    def is_gone(self) -> bool:
        """Whether next to nothing of it is left."""
        return self.added > 0 and self.standing <= NOTHING * self.added

    @property
    def told(self) -> str:
        """What a brief says of it; nothing for a commit that added nothing."""
        if not self.added:
            return ""
        if self.is_gone:
            return "gone at HEAD"
        if self.standing >= ALL * self.added:
            return "stands"
        return f"{self.standing} of {self.added} added lines stand"


def survivals(hunks: Iterable[Hunk], lines_now: Mapping[str, Collection[str]]) -> dict[str, Survival]:
    """Commit to what stands of it; `lines_now` has the stripped lines of each path that is live."""
    counts: dict[str, list[int]] = {}
    for hunk in hunks:
        added = [line.strip() for line in hunk.added if len(line.strip()) >= SHORTEST_LINE]
        now = lines_now.get(hunk.path, ())
        count = counts.setdefault(hunk.commit, [0, 0])
        count[0] += len(added)
        count[1] += sum(line in now for line in added)
    return {commit: Survival(*count) for commit, count in counts.items()}
