"""Whether a change puts back what an earlier commit took out: lines of both, no message is asked.

A line counts where it says something, and only as often as it tells: one that stood in the file before the change is
no return, nor is one that the change moved there. That a single line is back proves little. It does where the change
also takes out what had been put in its place, for then the earlier change is undone at that spot.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from repomem.core.types import Hunk
from repomem.history.lines import is_meaningful, line_hash

ALONE = 3  # lines of one place that are back, where nothing was put in their stead: fewer are back by chance
MOST_OF_PLACE = 0.6  # of the lines that were taken out of such a place
HALF = 0.5  # of the lines of a place, on either side, where the change reverses it
WHOLE = 0.8  # of all that a commit did, by which it is undone as a whole
FEWEST_OF_WHOLE = 3  # lines
FEW = 4  # lines, back and gone together, up to which a return is told only while the earlier change is not old
OLD = 2 * 365 * 86_400  # seconds: what a fix of one line knew of the code is seldom true of it much later

_LISTED = re.compile(r"[\w\s,{}.*]+")  # names of an import or of arguments, one line of many: they say what, not how


@dataclass(frozen=True, slots=True)
class FileEdit:
    """What a change did to one file: hashes of lines that say something, the new ones with their numbers."""

    path: str
    added: Mapping[int, int]  # that the file did not have
    removed: AbstractSet[int]  # that it has no longer


@dataclass(frozen=True, slots=True)
class EditedPlace:
    """A place of an earlier commit: what it took out there, and what it put in."""

    removed: AbstractSet[int]
    added: AbstractSet[int]


@dataclass(frozen=True, slots=True)
class Reversal:
    """What of an earlier commit is undone in one file."""

    path: str
    back: AbstractSet[int]  # lines that it took out, and that are back
    gone: AbstractSet[int]  # lines that it put in, and that are taken out


def put_of(path: str, hunks: Iterable[Hunk], before: AbstractSet[int], moved: AbstractSet[int]) -> FileEdit:
    """What the hunks of a change did to a file that had the lines `before`; lines `moved` came from elsewhere."""
    added: dict[int, int] = {}
    removed: set[int] = set()
    for hunk in hunks:
        removed |= hashes_of(hunk.lines[: hunk.removed])
        for number, line in enumerate(hunk.added, start=hunk.start):
            key = line_hash(line)
            if _tells(line) and key not in before and key not in moved:
                added.setdefault(key, number)
    return FileEdit(path, added, removed)


def spots_of(hunks: Sequence[Hunk]) -> list[EditedPlace]:
    """The places of one commit in one file; what it only moved there is in none of them."""
    removed = [hashes_of(hunk.lines[: hunk.removed]) for hunk in hunks]
    added = [hashes_of(hunk.added) for hunk in hunks]
    moved = set().union(*removed) & set().union(*added)
    return [EditedPlace(old - moved, new - moved) for old, new in zip(removed, added, strict=True)]


def returned(put: FileEdit, spots: Iterable[EditedPlace]) -> Reversal | None:
    """What of an earlier commit's places in a file a change undoes; None where that may be chance."""
    undone = [one for spot in spots if (one := _undone(put, spot))]
    if not undone:
        return None
    back, gone = (set[int]().union(*(pair[side] for pair in undone)) for side in (0, 1))
    return Reversal(put.path, back, gone)


def _undone(put: FileEdit, spot: EditedPlace) -> tuple[AbstractSet[int], AbstractSet[int]] | None:
    back, gone = spot.removed & put.added.keys(), spot.added & put.removed
    if not back or (not spot.added and len(back) < max(ALONE, MOST_OF_PLACE * len(spot.removed))):
        return None
    if spot.added and (len(back) < HALF * len(spot.removed) or len(gone) < max(1, HALF * len(spot.added))):
        return None
    return back, gone


def is_worth_telling(returns: Iterable[Reversal], age: int) -> bool:
    """Whether what an earlier commit, `age` seconds older than the change, lost is more than chance."""
    lines = sum(len(one.back) + len(one.gone) for one in returns)
    return lines > FEW or (lines > 0 and age <= OLD)


def is_whole(puts: Mapping[str, FileEdit], spots: Mapping[str, Sequence[EditedPlace]]) -> bool:
    """Whether a change undoes next to all that a commit did; both by path."""
    did = undone = 0
    for path, places in spots.items():
        for spot in places:
            did += len(spot.removed) + len(spot.added)
            if put := puts.get(path):
                undone += len(spot.removed & put.added.keys()) + len(spot.added & put.removed)
    return undone >= max(FEWEST_OF_WHOLE, WHOLE * did)


def hashes_of(lines: Iterable[str]) -> set[int]:
    """The lines that tell, as they are followed."""
    return {line_hash(line) for line in lines if _tells(line)}


def _tells(line: str) -> bool:
    return is_meaningful(line) and not (line.rstrip().endswith(",") and _LISTED.fullmatch(line.replace("::", "")))
