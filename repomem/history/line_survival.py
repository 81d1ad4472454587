"""Line survival: how many of the lines that a commit added are still in the code. Counted, never read from messages."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from repomem.core.types.commits import Hunk

SHORTEST_LINE = 5  # characters; shorter ones (a brace, `end`, `else:`) are everywhere and prove nothing
ALL = 0.9  # of its added lines: a later edit or two does not change what a commit did
NOTHING = 0.1


@dataclass(frozen=True, slots=True)
class LineSurvival:
    """How many meaningful lines a commit added, and how many are in the same file now."""

    added: int
    remaining: int
    is_lost: bool = False  # none of its files was found

    @property
    def is_gone(self) -> bool:
        """Whether next to nothing remains."""
        return self.added > 0 and self.remaining <= NOTHING * self.added

    @property
    def text(self) -> str:
        """As a brief shows it; empty for a commit that added nothing."""
        if self.is_lost:
            return "its files were removed or renamed"
        if not self.added:
            return ""
        if self.is_gone:
            return "removed since"
        if self.remaining >= ALL * self.added:
            return "still in the code"
        return f"{self.remaining} of {self.added} added lines remain"


def line_survival(hunks: Iterable[Hunk], lines_now: Mapping[str, Collection[str]]) -> dict[str, LineSurvival]:
    """By commit; `lines_now` has the stripped current lines of each path that was found."""
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
    found = {commit: LineSurvival(added, remaining) for commit, (added, remaining) in counts.items()}
    return found | {commit: LineSurvival(0, 0, is_lost=True) for commit in lost if commit not in found}
