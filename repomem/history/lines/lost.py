"""Lines that one commit added and a later commit removed.

A line belongs to the commit that added it, through reformatting, edits and renames, until a commit removes it. Merges
count as the commits that they join: their own changes are not known.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from repomem.adapters.sqlite.changes import CommitSummary, SymbolChange
from repomem.core.types.commits import SHORTEST_HASH
from repomem.history.messages import is_fix

ENOUGH = 5  # meaningful lines: fewer are a small edit, not an attempt
MOST = 0.8  # share of a commit's added lines in a file or symbol whose removal ends the attempt


class _AddedLine(NamedTuple):
    commit: str
    symbol: str
    first: int  # as it was added


@dataclass(frozen=True, slots=True)
class LostLines:
    """Lines that one commit added in a symbol and another removed."""

    commit: str
    by: str
    path: str  # when they were removed
    symbol: str
    lines: frozenset[int]  # as they were added
    left_as: frozenset[int]  # as they were removed


def lost_lines(changes: Iterable[SymbolChange]) -> list[LostLines]:
    """The lost lines of one file; its changes oldest first, those of one commit together."""
    alive: dict[int, _AddedLine] = {}
    common: set[int] = set()  # added by several commits: their owner is unknown
    lost: dict[tuple[str, str, str, str], list[tuple[int, int]]] = defaultdict(list)
    for commit, group in groupby(changes, key=lambda change: change.commit):
        parts = list(group)
        moved = {line for part in parts for line in part.added} & {line for part in parts for line in part.removed}
        carried = _carried(parts, alive)
        for part in parts:
            for line in part.removed:
                if line not in moved and (owner := alive.pop(line, None)) and line not in common:
                    lost[owner.commit, commit, part.path, owner.symbol].append((owner.first, line))
        for part in parts:
            for line in part.added:
                if line in alive:
                    common.add(line)
                elif line not in moved:
                    alive[line] = _AddedLine(commit, part.symbol, line)
        alive |= carried
    return [
        LostLines(*key, frozenset(first for first, _ in lines), frozenset(line for _, line in lines))
        for key, lines in lost.items()
    ]


def _carried(parts: Sequence[SymbolChange], alive: dict[int, _AddedLine]) -> dict[int, _AddedLine]:
    """The altered lines by their new form, removed from `alive` in their old form."""
    pairs = [(old, new) for part in parts for old, new in part.altered if old in alive]
    carried = {new: alive[old] for old, new in pairs}
    for old, _ in pairs:
        alive.pop(old, None)
    return carried


def plausible_losses(
    losses: Sequence[LostLines], changes: Iterable[SymbolChange], commits: Mapping[str, CommitSummary]
) -> list[LostLines]:
    """The losses of one file that may be a revert or a lost fix, by commit subjects and counts alone."""
    added = Counter[tuple[str, str]]()
    for change in changes:
        added[change.commit, ""] += len(change.added)
        if change.symbol:
            added[change.commit, change.symbol] += len(change.added)
    lost = Counter[tuple[str, str]]()
    for loss in losses:
        lost[loss.commit, loss.by] += len(loss.lines)
    return [
        loss
        for loss in losses
        if is_fix(commits[loss.commit].subject, commits[loss.commit].kind)
        or says_it_reverts(commits[loss.by], commits[loss.commit])
        or lost[loss.commit, loss.by] >= MOST * added[loss.commit, ""]
        or len(loss.lines) >= max(ENOUGH, MOST * added[loss.commit, loss.symbol])
    ]


def says_it_reverts(after: CommitSummary, before: CommitSummary) -> bool:
    """Whether the later commit's message names the earlier one, by hash or subject."""
    named = after.reverts
    return bool(named) and (
        named == before.subject or (len(named) >= SHORTEST_HASH and before.commit.startswith(named))
    )
