"""Whether the code of an anchor is still there and unchanged. Pure: fingerprints in, a match out.

Symbols are compared by fingerprint (see `SymbolPrint`), so formatting, file and name may change. Code can only have
moved to a place that lacked it before: copies and trivial functions that were always there do not count.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

from repomem.core.records import Anchor
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.symbol_names import last_part
from repomem.core.types.code import CONTAINERS, FUNCTIONS, SymbolPrint
from repomem.memories.status import CHANCE_TOKENS, Status

Item = TypeVar("Item")
ALIKE = 0.5  # share of equal token triples that renamed or moved code keeps
ALIKE_NAMESAKE = 0.3  # the same, if the name is unchanged
SHARED_WORDS = 0.6  # of its distinct words: a file with fewer cannot contain similar code
MOST_GROWN = 6  # times longer or shorter: no similar code beyond that

_SIGN = lazy_pattern(rb"\w+|[^\w\s]")
_WORD = lazy_pattern(rb"\w+")
_DECORATES = lazy_pattern(rb"@|#?\[|template\b")
_INDENTED = lazy_pattern(rb"(?:[ \t]*\n)*([ \t]*)\S")


class Match(NamedTuple):
    """The symbol of an anchor in one version of one file."""

    status: Status  # current, moved (under another name) or drifted
    found: SymbolPrint


def is_same(one: SymbolPrint, anchor: Anchor) -> bool:
    """Whether it behaves like the anchor's code: the same tokens, or the same except local names."""
    return one.print == anchor.print or (bool(anchor.unnamed) and one.unnamed == anchor.unnamed)


def as_seen(anchor: Anchor, symbol: str, found: SymbolPrint) -> Anchor:
    """An anchor on the code as it was last seen."""
    return replace(anchor, symbol=symbol, print=found.print, tokens=found.tokens, unnamed=found.unnamed)


def match(
    anchor: Anchor, symbol: str, prints: Sequence[SymbolPrint], before: Iterable[SymbolPrint] = ()
) -> Match | None:
    """The anchor's code in a file where its name is `symbol`; None if it is not there.

    `before` are the fingerprints of an earlier version, where the location of the code was known.
    """
    named = [each for each in prints if each.qualified == symbol]
    same = next((each for each in named if is_same(each, anchor)), None)
    if same:
        return Match(Status.CURRENT if symbol == anchor.symbol else Status.MOVED, same)
    renamed = by_print(anchor, fresh(prints, before))
    if renamed and (not named or anchor.tokens >= CHANCE_TOKENS):
        return Match(Status.MOVED, renamed)
    overload = min(named, key=lambda each: abs(each.tokens - anchor.tokens), default=None)
    return Match(Status.DRIFTED, overload) if overload else None


def fresh(prints: Iterable[SymbolPrint], before: Iterable[SymbolPrint]) -> list[SymbolPrint]:
    """The symbols that are new or changed since `before`."""
    old = {(each.qualified, each.print) for each in before}
    return [each for each in prints if each.qualified and (each.qualified, each.print) not in old]


def by_print(anchor: Anchor, prints: Iterable[SymbolPrint]) -> SymbolPrint | None:
    """The one symbol with the anchor's fingerprint; None if several have it, or if it may be chance."""
    if not anchor.symbol:
        return None
    same = [each for each in prints if each.qualified and is_same(each, anchor)]
    called_alike = [each for each in same if last_part(each.qualified) == last_part(anchor.symbol)]
    if called_alike:
        return called_alike[0]
    return same[0] if len(same) == 1 and anchor.tokens >= CHANCE_TOKENS else None


def renamed_function(
    anchor: Anchor, prints: Sequence[SymbolPrint], before: Iterable[SymbolPrint]
) -> SymbolPrint | None:
    """The anchor's function under a new name, however short, in the change of its file that removed the old name.

    None if other functions with its fingerprint came or went in that change.
    """
    old = list(before)
    old_names, names = ({each.qualified for each in some} for some in (old, prints))
    went = {each.qualified for each in old if is_same(each, anchor)} - names
    came = [each for each in prints if each.qualified not in old_names and is_same(each, anchor)]
    is_rename = went == {anchor.symbol} and len(came) == 1 and came[0].kind in FUNCTIONS
    return came[0] if is_rename else None


def by_print_elsewhere(anchor: Anchor, prints: Iterable[SymbolPrint]) -> SymbolPrint | None:
    """The same in another file, where for a trivial function the name must match too."""
    found = by_print(anchor, prints)
    is_proof = found is None or anchor.tokens >= CHANCE_TOKENS or found.qualified == anchor.symbol
    return found if is_proof else None


def most_similar_symbol(
    known: SymbolPrint, text: bytes, listed: Iterable[tuple[SymbolPrint, bytes]]
) -> tuple[float, SymbolPrint] | None:
    """The symbol most similar to a known one that can be the same code changed, with its similarity."""
    best: tuple[float, SymbolPrint] | None = None
    for each, other in listed:
        if _is_of_a_kind(known.kind, each.kind) and len(text) < MOST_GROWN * len(other) < MOST_GROWN**2 * len(text):
            is_namesake = last_part(known.qualified) == last_part(each.qualified)
            share = dice(_triples(text), _triples(other))
            if share >= (ALIKE_NAMESAKE if is_namesake else ALIKE) and (best is None or share > best[0]):
                best = share, each
    return best


def dice(one: Counter[Item], other: Counter[Item]) -> float:
    """Dice's coefficient: the share of what two counters have in common, 0 to 1."""
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0


def may_contain_symbol(data: bytes, text: bytes, symbol: str) -> bool:
    """Whether a file may contain a symbol, changed or not: it has its name, or enough of its words."""
    words, there = set(_WORD.findall(text)), set(_WORD.findall(data))
    return last_part(symbol).encode() in there or len(words & there) >= SHARED_WORDS * len(words)


def holds(data: bytes, text: bytes, above: bytes) -> bool:
    """Whether a file contains these lines complete: nothing appended, and no decorator added above.

    `above` is the line that was before them. Line ends are LF. A False is not certain: the formatting may differ.
    """
    at = data.find(text) if text else -1
    while at >= 0:
        end = at + len(text)
        is_whole = data[at - 1 : at] in {b"", b"\n"} and data[end : end + 1] in {b"", b"\n"}
        if is_whole and not _goes_on(data[end:], text):
            before = data[data.rfind(b"\n", 0, max(0, at - 1)) + 1 : at].strip()
            if before == above or not _DECORATES.match(before):
                return True
        at = data.find(text, at + 1)
    return False


def _goes_on(rest: bytes, text: bytes) -> bool:
    """Whether the next line is indented more than the first one of the text."""
    following = _INDENTED.match(rest)
    first = _INDENTED.match(text)
    return bool(following and first and len(following[1]) > len(first[1]))


def _triples(text: bytes) -> Counter[tuple[bytes, ...]]:
    signs = _SIGN.findall(text)
    return Counter(zip(signs, signs[1:], signs[2:], strict=False))


def _is_of_a_kind(one: str, other: str) -> bool:
    return one == other or any({one, other} <= kinds for kinds in (FUNCTIONS, CONTAINERS))
