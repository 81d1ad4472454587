"""Whether the code that a memory speaks of is still there, and still does the same. Pure: prints in, a verdict out.

An anchor is compared by the print of its symbol (see `SymbolPrint`), so its looks may change, and it may go to another
file or under another name. Where its code changed, the commit that did it is told.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from repomem.core.records import Anchor
from repomem.core.types import SymbolPrint
from repomem.memory.standing import CHANCE_TOKENS, Status


class Match(NamedTuple):
    """The symbol that an anchor speaks of, in one version of one file."""

    status: Status  # current, moved (under another name) or drifted
    found: SymbolPrint


def match(anchor: Anchor, symbol: str, prints: Sequence[SymbolPrint]) -> Match | None:
    """The anchor's code in a file where it is called `symbol`; None where it is not there."""
    named = [each for each in prints if each.qualified == symbol]
    same = next((each for each in named if each.print == anchor.print), None)
    if same:
        return Match(Status.CURRENT if symbol == anchor.symbol else Status.MOVED, same)
    renamed = by_print(anchor, prints)
    if renamed and (not named or anchor.tokens >= CHANCE_TOKENS):
        return Match(Status.MOVED, renamed)
    return Match(Status.DRIFTED, named[0]) if named else None


def by_print(anchor: Anchor, prints: Iterable[SymbolPrint]) -> SymbolPrint | None:
    """The one symbol that does just what the anchor's did; None where several do, or where chance would do."""
    if not anchor.symbol:
        return None
    same = [each for each in prints if each.print == anchor.print and each.qualified]
    called_alike = [each for each in same if bare(each.qualified) == bare(anchor.symbol)]
    if called_alike:
        return called_alike[0]
    return same[0] if len(same) == 1 and anchor.tokens >= CHANCE_TOKENS else None


def by_name(symbol: str, prints: Iterable[SymbolPrint]) -> SymbolPrint | None:
    """A symbol that is called the same, with whatever encloses it or at least by its last part."""
    listed = [each for each in prints if each.qualified]
    whole = next((each for each in listed if each.qualified == symbol), None)
    last = [each for each in listed if bare(each.qualified) == bare(symbol)]
    return whole or (last[0] if len(last) == 1 else None)


def bare(qualified: str) -> str:
    """The last part of a qualified name."""
    return qualified.rpartition(".")[2]
