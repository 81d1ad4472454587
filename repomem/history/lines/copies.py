"""The copies of each line that remain in a file after its recorded changes, each with the commit that wrote it.

A file may have a line in two functions: when a commit removes it from one of them, the other copy keeps its author.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from repomem.adapters.sqlite.changes import SymbolChange

UNKNOWN = ""  # the commit of a copy that is older than the records, or one of several


class LineCopy(NamedTuple):
    """A line of a symbol, and the commit that added it or altered another line to it."""

    symbol: str
    commit: str


def line_copies(changes: Iterable[SymbolChange]) -> Mapping[int, Sequence[LineCopy]]:
    """The copies of each line of one file, by the line's hash.

    `changes` are oldest first, those of one commit together. A line that a commit moves within the file keeps its
    author. One that it alters is a new line, whatever its message says: "fix typo" may turn false into true.
    """
    copies: dict[int, list[LineCopy]] = defaultdict(list)
    for commit, group in groupby(changes, key=lambda change: change.commit):
        parts = list(group)
        taken: dict[int, list[LineCopy]] = defaultdict(list)
        for part in parts:
            for line in part.taken_out:
                taken[line].append(_taken(copies[line], part.symbol))
        for part in parts:
            altered = dict.fromkeys(new for _, new in part.altered)  # several lines may have become one
            for line in (*part.added, *altered):
                author = _author_of(taken[line]) if taken.get(line) else commit
                copies[line].append(LineCopy(part.symbol, author))
    return copies


def _author_of(taken: list[LineCopy]) -> str:
    """The author of a copy that a commit moved elsewhere in the file; unknown if the moved copies have several."""
    is_known = len({one.commit for one in taken}) == 1
    author = taken.pop().commit
    return author if is_known else UNKNOWN


def _taken(copies: list[LineCopy], symbol: str) -> LineCopy:
    """Remove a symbol's copy from the copies of a line and return it.

    If it has none, the symbol may have had another name. If copies have several authors, it is unknown which copy was
    removed, and so the authors of the remaining ones are unknown too.
    """
    own = [one for one in copies if one.symbol == symbol] or list(copies)
    if not own:
        return LineCopy(symbol, UNKNOWN)
    if len({one.commit for one in own}) == 1:
        copies.remove(own[0])
        return own[0]
    for one in own:
        copies.remove(one)
    copies.extend(LineCopy(one.symbol, UNKNOWN) for one in own[1:])
    return LineCopy(symbol, UNKNOWN)
