"""Whether a change restores lines that an earlier commit removed; messages are not considered.

Only meaningful lines count, not those already in the file or moved there. A single restored line proves little, unless
the change also removes the line that replaced it: then the earlier edit is undone at that place.
"""

from collections.abc import Iterable, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.commits import Hunk
from repomem.history.lines.patch_lines import is_meaningful, line_hash

ALONE = 3  # restored lines of one place without replacement: fewer may be chance
MOST_OF_PLACE = 0.6  # of the lines that were removed from such a place
HALF = 0.5  # of the lines of a place, on either side, that the change must reverse
WHOLE = 0.8  # of all lines of a commit: above it, the whole commit is undone
FEWEST_OF_WHOLE = 3  # lines
FEW = 4  # restored and removed lines: up to this count, only recent commits are reported
OLD = 2 * 365 * 86_400  # seconds: a one-line fix seldom applies to the code so much later

_LISTED = lazy_pattern(r"[\w\s,{}.*]+")  # one name in a list of imports or arguments


@dataclass(frozen=True, slots=True)
class FileEdit:
    """The change of one file: hashes of meaningful lines; added ones have their line number."""

    path: str
    added: Mapping[int, int]  # new in the file
    removed: AbstractSet[int]  # no longer in the file


@dataclass(frozen=True, slots=True)
class EditedPlace:
    """One place that an earlier commit edited: the lines removed and added there."""

    removed: AbstractSet[int]
    added: AbstractSet[int]


@dataclass(frozen=True, slots=True)
class Reversal:
    """The lines of an earlier commit that are undone in one file."""

    path: str
    back: AbstractSet[int]  # lines that it removed, and that are back
    gone: AbstractSet[int]  # lines that it added, and that are removed


def edit_of(path: str, hunks: Iterable[Hunk], before: AbstractSet[int], moved: AbstractSet[int]) -> FileEdit:
    """The edit of a file by hunks; `before` are its lines before the change, `moved` lines from elsewhere."""
    added: dict[int, int] = {}
    removed: set[int] = set()
    for hunk in hunks:
        removed |= hashes_of(hunk.removed_lines)
        for number, line in enumerate(hunk.added, start=hunk.start):
            key = line_hash(line)
            if _is_meaningful(line) and key not in before and key not in moved:
                added.setdefault(key, number)
    return FileEdit(path, added, removed)


def edited_places(hunks: Sequence[Hunk]) -> list[EditedPlace]:
    """The places of one commit in one file, without moved lines."""
    removed = [hashes_of(hunk.removed_lines) for hunk in hunks]
    added = [hashes_of(hunk.added) for hunk in hunks]
    moved = set().union(*removed) & set().union(*added)
    return [EditedPlace(old - moved, new - moved) for old, new in zip(removed, added, strict=True)]


def reversal(edit: FileEdit, spots: Iterable[EditedPlace]) -> Reversal | None:
    """The lines of an earlier commit that an edit undoes; None if that may be chance."""
    undone = [one for spot in spots if (one := _undone(edit, spot))]
    if not undone:
        return None
    back, gone = (set[int]().union(*(pair[side] for pair in undone)) for side in (0, 1))
    return Reversal(edit.path, back, gone)


def _undone(edit: FileEdit, spot: EditedPlace) -> tuple[AbstractSet[int], AbstractSet[int]] | None:
    back, gone = spot.removed & edit.added.keys(), spot.added & edit.removed
    if not back or (not spot.added and len(back) < max(ALONE, MOST_OF_PLACE * len(spot.removed))):
        return None
    if spot.added and (len(back) < HALF * len(spot.removed) or len(gone) < max(1, HALF * len(spot.added))):
        return None
    return back, gone


def is_reportable(returns: Iterable[Reversal], age: int) -> bool:
    """Whether the undone lines of a commit `age` seconds older than the change are more than chance."""
    lines = sum(len(one.back) + len(one.gone) for one in returns)
    return lines > FEW or (lines > 0 and age <= OLD)


def is_whole_commit(puts: Mapping[str, FileEdit], spots: Mapping[str, Sequence[EditedPlace]]) -> bool:
    """Whether the edits undo nearly a whole commit; both by path."""
    did = undone = 0
    for path, places in spots.items():
        for spot in places:
            did += len(spot.removed) + len(spot.added)
            if edit := puts.get(path):
                undone += len(spot.removed & edit.added.keys()) + len(spot.added & edit.removed)
    return undone >= max(FEWEST_OF_WHOLE, WHOLE * did)


def hashes_of(lines: Iterable[str]) -> set[int]:
    """The hashes of meaningful lines."""
    return {line_hash(line) for line in lines if _is_meaningful(line)}


def _is_meaningful(line: str) -> bool:
    return is_meaningful(line) and not (line.rstrip().endswith(",") and _LISTED.fullmatch(line.replace("::", "")))
