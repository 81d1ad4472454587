"""What stays of a commit when it is written anew on another history: its name, and what it did to lines."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Written:
    """Who wrote a commit when, as rebase, amend and cherry-pick keep it, and the files that it touched."""

    commit: str
    parents: tuple[str, ...]
    author: str  # with the address
    time: int  # the author's, seconds since 1970
    subject: str
    paths: frozenset[str] = frozenset()  # against its only parent; none of a merge


@dataclass(frozen=True, slots=True)
class Patch:
    """What a commit did to lines, wherever in their files they stand.

    The totals of commits that follow one another add up to that of all of them as one: a line that one adds and
    another takes out counts for nothing.
    """

    id: str = ""  # a digest of all lines that it added and removed; empty where it did nothing
    total: int = 0  # of the hashes of the lines that it added, less those that it removed
    added: frozenset[int] = frozenset()  # hashes of path and line, of lines long enough to say something
    removed: frozenset[int] = frozenset()
