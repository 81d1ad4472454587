"""Blocks of lines that a commit removed in one place and added in another."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from repomem.core.grouping import shared_start
from repomem.core.types.commits import Hunk
from repomem.history.lines.patch_lines import is_comment, is_meaningful, line_hash

MOVED_LINES = 2  # in a row that make a moved block
MAIN_SOURCE = 0.5  # share of the letters of a hunk that one file lost, for that file to be its former self
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
        removed = [line_hash(line) for line in hunk.removed_lines]
        for place, same in enumerate(removed):
            if same != hashes[at]:
                continue
            up = shared_start(removed[place::-1], hashes[at::-1])
            down = shared_start(removed[place:], hashes[at:])
            block = added[at - up + 1 : at + down]
            is_header = own.start + at - up + 1 == 1 and not any(map(is_meaningful, block))  # a licence is in all files
            size = letters(block) if len(block) >= MOVED_LINES and not is_header else 0
            if size >= MOVED_CHARACTERS and (not best or size > best[0]):
                best = size, MovedBlock(hunk.path, hunk.old_start + place, block)
    return best[1] if best else None


def main_source(hunks: Iterable[Hunk], own: Hunk) -> str:
    """The path that lost most of a hunk's meaningful lines, such as a file that was renamed and changed; or empty."""
    added = {line_hash(line): letters([line]) for line in own.added if is_meaningful(line)}
    lost: dict[str, set[int]] = defaultdict(set)
    for hunk in hunks:
        lost[hunk.path] |= added.keys() & map(line_hash, hunk.removed_lines)
    shares = {path: sum(added[name] for name in names) for path, names in lost.items()}
    best = max(shares, key=lambda path: (shares[path], path), default="")
    return best if best and 0 < MAIN_SOURCE * sum(added.values()) <= shares[best] else ""


def distinctive_line(block: Sequence[str]) -> str:
    """The block's most distinctive line: its longest line of code or, without code, of comments."""
    code, comments = list(filter(is_meaningful, block)), list(filter(is_comment, block))
    return max(code or comments or block, key=lambda line: letters([line])).strip()


def letters(lines: Sequence[str]) -> int:
    """How many letters and digits the lines have."""
    return sum(character.isalnum() for line in lines for character in line)
