"""Blocks of lines that a commit removed in one place and added in another."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from repomem.adapters.languages.file_roles import PROSE_SUFFIXES, suffix_of
from repomem.core.types.commits import Hunk
from repomem.history.patch_lines import is_meaningful, line_hash

MOVED_LINES = 2  # in a row that make a moved block
MOVED_CHARACTERS = 40  # letters and digits in a moved block, as `git blame -C` asks for


@dataclass(frozen=True, slots=True)
class MovedBlock:
    """The lines of a block, and the place where one of them was before."""

    path: str
    line: int
    lines: Sequence[str]


def largest_block(hunks: Iterable[Hunk], own: Hunk, line: int) -> MovedBlock | None:
    """The longest block of lines removed by the hunks that the commit added again around a line of its own hunk."""
    added, at = own.added, line - own.start
    hashes = [line_hash(line) for line in added]
    best: tuple[int, MovedBlock] | None = None
    for hunk in hunks:
        removed = [line_hash(line) for line in hunk.lines[: hunk.removed]]
        for place, same in enumerate(removed):
            if same != hashes[at]:
                continue
            up, down = _run(removed[place::-1], hashes[at::-1]), _run(removed[place:], hashes[at:])
            block = added[at - up + 1 : at + down]
            size = letters(block) if len(block) >= MOVED_LINES and _can_move(block, hunk.path, own.path) else 0
            if size >= MOVED_CHARACTERS and (not best or size > best[0]):
                best = size, MovedBlock(hunk.path, hunk.old_start + place, block)
    return best[1] if best else None


def _can_move(block: Sequence[str], path: str, to: str) -> bool:
    """Whether a block is more than what files have alike, such as a licence or imports."""
    return path == to or suffix_of(to) in PROSE_SUFFIXES or any(map(is_meaningful, block))


def _run(one: Sequence[int], other: Sequence[int]) -> int:
    """How many items both begin with."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def letters(lines: Sequence[str]) -> int:
    """How many letters and digits the lines have."""
    return sum(character.isalnum() for line in lines for character in line)
