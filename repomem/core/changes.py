"""What is kept of a commit to tell later what became of its lines: hashes of the lines that say something."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    """What a commit did to the lines of one symbol of a source file; a line is its 32-bit hash."""

    commit: str
    path: str
    symbol: str  # bare; empty outside of every definition
    added: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()
    altered: tuple[tuple[int, int], ...] = ()  # a line and what it became: as good as the same
    old_path: str = ""  # where the file was before, of a rename


@dataclass(frozen=True, slots=True)
class Committed:
    """As much of a commit as telling what it undid takes."""

    commit: str
    parents: tuple[str, ...]
    subject: str
    kind: str = ""  # conventional-commit type
    reverts: str = ""  # the commit that it says it reverts, as written there
    is_cut: bool = False  # a part of it was too long to be read: what it does not hold may be there
