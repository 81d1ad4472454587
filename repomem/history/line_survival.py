"""Line survival: how many of a commit's added lines are still in the code. Counted, never taken from messages."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from repomem.adapters.git.hunks import LINE_LENGTH, LINES_KEPT
from repomem.core.types.commits import Hunk
from repomem.history.patch_lines import compact, is_version

SHORTEST_LINE = 5  # characters; shorter ones (a brace, `end`, `else:`) are everywhere and prove nothing
LONGEST_SPLIT = 300  # characters of a line that may have been split: the search is quadratic in them
LONGEST_INDENTED = LINE_LENGTH - 100  # characters without the indentation; a longer line may have been cut
NEXT_TO_NOTHING = 0.1  # of its added lines: an attempt that was given up


@dataclass(frozen=True, slots=True)
class LineSurvival:
    """How many meaningful lines a commit added, and how many are in the same file now."""

    added: int
    remaining: int
    is_lost: bool = False  # none of its files was found
    is_cut: bool = False  # only the first hunks or lines of a hunk were read
    is_traced: bool = True  # the fate of its lines is known: they were not moved to other files

    @property
    def is_gone(self) -> bool:
        """Whether next to nothing remains."""
        return self.added > 0 and self.remaining <= NEXT_TO_NOTHING * self.added

    @property
    def is_whole(self) -> bool:
        """Whether all of its lines remain."""
        return not self.is_lost and self.remaining == self.added

    @property
    def text(self) -> str:
        """As a brief shows it; empty for a commit that added nothing."""
        if self.is_lost:
            return "its files were removed or renamed"
        if not self.added:
            return ""
        if not self.remaining:
            return "removed since" if self.is_traced else "no longer in the files that it changed"
        if self.is_whole and not self.is_cut:
            return "still in the code"
        if self.is_cut:
            which = "all" if self.is_whole else f"{self.remaining:,} of"
            return f"{which} the {self.added:,} added lines that were read remain"
        return f"{self.remaining:,} of {self.added:,} added lines remain"


IsTaken = Callable[[Hunk, str], bool]
"""Whether a stripped line that a hunk added was taken out since, although the file has one like it."""


def line_survival(
    hunks: Iterable[Hunk],
    lines_now: Mapping[str, Collection[str] | None],
    is_taken: IsTaken | None = None,
) -> dict[str, LineSurvival]:
    """By commit; `lines_now` has the stripped current lines of each path that was found, or None if it is unreadable.

    Lines that a formatter realigned, split, quoted or ended otherwise remain. Lines of a removed file are gone. Those
    of an unreadable one and version numbers are not counted.
    """
    compacted: dict[str, set[bytes]] = {}
    counts: dict[str, list[int]] = {}
    found: set[str] = set()
    cut: set[str] = set()
    for hunk in hunks:
        cut |= {hunk.commit} if len(hunk.lines) >= LINES_KEPT else set()
        count = counts.setdefault(hunk.commit, [0, 0])
        found |= {hunk.commit} if hunk.path in lines_now else set()
        now = lines_now.get(hunk.path, ())
        if now is not None:
            added = list(filter(is_counted, map(str.strip, hunk.added)))
            count[0] += len(added)
            added = [line for line in added if not (is_taken and is_taken(hunk, line))]
            missing = [line for line in added if line not in now]
            if missing and hunk.path not in compacted:
                compacted[hunk.path] = set(map(compact, now))
            gone = [line for line in missing if not _remains(compact(line), compacted[hunk.path])]
            count[1] += len(added) - sum(not _is_start_in(line, now) for line in gone)
    return {
        commit: LineSurvival(added, kept, is_lost=commit not in found, is_cut=commit in cut)
        for commit, (added, kept) in counts.items()
    }


def is_counted(line: str) -> bool:
    """Whether a stripped line is counted: not a short one, nor one that only sets a version."""
    return len(line) >= SHORTEST_LINE and bool(compact(line)) and not is_version(line)


def _remains(line: bytes, now: Collection[bytes]) -> bool:
    """Whether a compact line is among the current ones, or split into several of them."""
    if line in now or len(line) > LONGEST_SPLIT:
        return line in now
    ends = {at for at in range(SHORTEST_LINE, len(line)) if line[:at] in now}
    waiting = list(ends)
    while waiting:
        start = waiting.pop()
        if line[start:] in now:
            return True
        further = {at for at in range(start + SHORTEST_LINE, len(line)) if line[start:at] in now} - ends
        ends |= further
        waiting += further
    return False


def _is_start_in(line: str, now: Iterable[str]) -> bool:
    """Whether a line so long that the patch cut it is the start of a current one."""
    return len(line) > LONGEST_INDENTED and any(other.startswith(line) for other in now)
