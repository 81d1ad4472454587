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
    is_lost: bool = False  # none of its files is to be found: what became of its lines is not known

    @property
    def is_gone(self) -> bool:
        """Whether next to nothing of it is left."""
        return self.added > 0 and self.standing <= NOTHING * self.added

    @property
    def told(self) -> str:
        """What a brief says of it; nothing for a commit that added nothing."""
        if self.is_lost:
            return "its files are gone or renamed"
        if not self.added:
            return ""
        if self.is_gone:
            return "gone at HEAD"
        if self.standing >= ALL * self.added:
            return "stands"
        return f"{self.standing} of {self.added} added lines stand"


def survivals(hunks: Iterable[Hunk], lines_now: Mapping[str, Collection[str]]) -> dict[str, Survival]:
    """Commit to what stands of it; `lines_now` has the stripped lines that each path has now, where that is known."""
    counts: dict[str, list[int]] = {}
    lost: dict[str, None] = {}
    for hunk in hunks:
        if hunk.path not in lines_now:
            lost[hunk.commit] = None
            continue
        added = [line.strip() for line in hunk.added if len(line.strip()) >= SHORTEST_LINE]
        now = lines_now[hunk.path]
        count = counts.setdefault(hunk.commit, [0, 0])
        count[0] += len(added)
        count[1] += sum(line in now for line in added)
    found = {commit: Survival(added, standing) for commit, (added, standing) in counts.items()}
    return found | {commit: Survival(0, 0, is_lost=True) for commit in lost if commit not in found}
