"""Decides which lost lines are a revert, code that was added and soon removed, or a lost fix.

The lines decide, not the messages: a revert that was landed again is not a revert, because its lines are in the code.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from repomem.adapters.sqlite.changes import CommitSummary, SymbolChange
from repomem.core.grouping import grouped_by
from repomem.core.types.commits import Episode
from repomem.core.types.line_history import RevertedChange, RevertKind
from repomem.history.lines.lost import ENOUGH, MOST, LostLines, says_it_reverts
from repomem.history.messages import is_fix, is_stated_revert, restructures, retires

SOON = 50  # commits along first parents within which code is "added and removed again"
NEAR = 5  # commits before and after a removal that may have moved the lines to another file
EQUAL = 0.9  # share of a commit's added lines that an unstated revert removes
OTHER = 0.25  # share of an unstated revert that may concern something else
REPLACED = 0.3  # new lines in the file per removed line, above which code was rewritten, not removed
REPLACED_IN_SYMBOL = 0.1  # the same in the symbols that lost the lines
ABOUT = 0.5  # share of a commit's removed lines in a file that must belong to the attempt
SAME_FILES = 0.5  # share of a commit's files that an unstated revert of it touches
SHARE_OF_FIX = 0.6  # share of a fix's lines in a symbol whose loss may break the fix
INSTEAD_OF_FIX = 0.5  # new lines in that symbol per lost line, above which the fix was rewritten
REMAINING = 0.1  # share of the lines that may remain by chance


@dataclass(frozen=True, slots=True)
class RevertContext:
    """The input for judging lost lines. Commits are newest first."""

    commits: Mapping[str, CommitSummary]
    changes: Mapping[str, Sequence[SymbolChange]]  # of the commits involved and of their neighbours
    now: Callable[[str], Collection[int]]  # the current lines of a path, wherever its file moved
    near: Mapping[str, Sequence[str]]  # a commit to its neighbours
    along: Mapping[str, int]  # a commit to its position along first parents; of a merged commit, that of its merge


def first_parent_positions(commits: Sequence[CommitSummary]) -> dict[str, int]:
    """Commits, newest first, to their positions: 0 is the head; merged commits have the position of their merge."""
    parents = {commit.commit: commit.parents for commit in commits}
    places: dict[str, int] = {}
    chain: list[str] = []
    at = commits[0].commit if commits else ""
    while at in parents:
        places[at] = len(chain)
        chain.append(at)
        at = parents[at][0] if parents[at] else ""
    for merge in reversed(chain):  # the oldest merge that reaches a commit merged it
        waiting = list(parents[merge][1:])
        while waiting:
            commit = waiting.pop()
            if commit in parents and commit not in places:
                places[commit] = places[merge]
                waiting += parents[commit]
    return places


def neighbours(commits: Sequence[str], of: Iterable[str]) -> dict[str, Sequence[str]]:
    """The commits just before and after each."""
    at = {commit: place for place, commit in enumerate(commits)}
    return {commit: commits[max(at[commit] - NEAR, 0) : at[commit] + NEAR + 1] for commit in of}


def reverted_changes(losses: Sequence[LostLines], context: RevertContext) -> list[RevertedChange]:
    """At most one reverted change for each pair of commits, the newest revert first."""
    pairs = grouped_by(losses, lambda loss: (loss.commit, loss.by))
    order = {commit: at for at, commit in enumerate(context.commits)}
    judged = [found for (commit, by), group in pairs.items() if (found := _judged(commit, by, group, context))]
    return sorted(judged, key=lambda one: (order[one.by], order[one.commit]))


def _judged(commit: str, by: str, group: Sequence[LostLines], context: RevertContext) -> RevertedChange | None:
    before, after = context.commits[commit], context.commits[by]
    if before.reverts or is_stated_revert(before.subject):  # reverting a revert is a new attempt
        return None
    lost = [loss for each in group if (loss := _without_moved(each, context))]
    is_cut = before.is_cut or after.is_cut  # the unread part may put the lines back
    if says_it_reverts(after, before) or (not is_cut and _is_inverse(commit, by, context)):
        return _reverted(RevertKind.REVERTED, lost) if _nothing_remains(commit, context) else None
    if after.reverts or after.is_cut or retires(after.subject):
        return None
    if is_fix(before.subject, before.kind):
        is_rewritten = restructures(after.subject) or _alters_lines_of(commit, by, context)
        kept = [] if is_rewritten else [loss for loss in lost if _is_part_of_fix(loss, context)]
        return _reverted(RevertKind.FIX_GONE, kept)
    is_reshaped = restructures(before.subject) or restructures(after.subject)
    return _reverted(RevertKind.REMOVED, [] if is_reshaped else _removed(lost, context))


def _reverted(how: RevertKind, group: Sequence[LostLines]) -> RevertedChange | None:
    if not group:
        return None
    paths = Counter[str]()
    for loss in group:
        paths[loss.path] += len(loss.lines)
    most = min(paths, key=lambda path: (-paths[path], path))
    ordered = sorted(group, key=lambda loss: (loss.path != most, -len(loss.lines), loss.path, loss.symbol))
    symbols = tuple(dict.fromkeys(f"{loss.path}:{loss.symbol}" for loss in ordered if loss.symbol))
    return RevertedChange(how, group[0].commit, group[0].by, most, symbols, paths.total())


def _is_inverse(commit: str, by: str, context: RevertContext) -> bool:
    """Whether the later commit does the opposite of the earlier one, whatever its message says."""
    added, removed = _effect(commit, context)
    restored, taken = _effect(by, context)
    if ENOUGH > len(added) > 1:  # so few may agree by chance, unless neither commit did anything else
        return taken == added and restored == removed
    return (
        len(added) >= ENOUGH
        and len(taken & added) >= EQUAL * len(added)
        and len(taken - added) <= OTHER * len(taken)
        and len(restored & removed) >= (1 - OTHER) * len(removed)
        and len(restored - removed) <= OTHER * len(taken)
    )


def _effect(commit: str, context: RevertContext) -> tuple[set[int], set[int]]:
    """The lines that a commit added and those that it removed; an altered line counts as both."""
    parts = context.changes.get(commit, ())
    pairs = {pair for part in parts for pair in part.altered if pair[0] != pair[1]}
    added = {line for part in parts for line in part.added} | {new for _, new in pairs}
    removed = {line for part in parts for line in part.removed} | {old for old, _ in pairs}
    return added - removed, removed - added


def touches_same_files(before: Episode, after: Episode) -> bool:
    """Whether the later commit touches enough of the earlier one's files to be its revert, by file name."""
    touched = {file.path.rpartition("/")[2] for file in after.files}
    names = [file.path.rpartition("/")[2] for file in before.files]
    return sum(name in touched for name in names) >= SAME_FILES * len(names)


def _nothing_remains(commit: str, context: RevertContext) -> bool:
    """Whether next to nothing that the commit added is in the same files today."""
    parts = context.changes.get(commit, ())
    lines = [(line, part.path) for part in parts for line in part.added]
    remaining = sum(line in context.now(path) for line, path in lines)
    return remaining <= REMAINING * len(lines)


def _without_moved(loss: LostLines, context: RevertContext) -> LostLines | None:
    """The lines that are neither in the file today nor were added elsewhere by a neighbouring commit."""
    elsewhere = set(context.now(loss.path))
    for commit in context.near.get(loss.by, ()):
        if commit != loss.commit:
            elsewhere.update(*(part.put_in for part in context.changes.get(commit, ())))
    left = loss.left_as - elsewhere
    if len(left) == len(loss.left_as):
        return loss
    kept = loss.lines - elsewhere if left else frozenset[int]()
    return LostLines(loss.commit, loss.by, loss.path, loss.symbol, kept, left) if kept else None


def _is_part_of_fix(loss: LostLines, context: RevertContext) -> bool:
    """Whether the loss may break the fix: most of its lines in a symbol were removed unaltered, and few were added."""
    added = _added(loss.commit, context, loss.path, loss.symbol)
    lost = len(loss.lines & loss.left_as)
    return (
        bool(loss.symbol)
        and lost >= max(1, SHARE_OF_FIX * added)
        and _added(loss.by, context, loss.path, loss.symbol) <= INSTEAD_OF_FIX * lost
    )


def _alters_lines_of(commit: str, by: str, context: RevertContext) -> bool:
    """Whether the later commit also altered lines of the earlier one, so that it rewrote rather than dropped it."""
    own = {line for part in context.changes.get(commit, ()) for line in part.put_in}
    altered = {old for part in context.changes.get(by, ()) for old, new in part.altered if old != new}
    return not own.isdisjoint(altered)


def _removed(group: Sequence[LostLines], context: RevertContext) -> list[LostLines]:
    """The losses that remove most of an attempt in a file or symbol soon after it was added."""
    found: list[LostLines] = []
    for path, inside in grouped_by(group, lambda loss: loss.path).items():
        if not 0 < context.along[inside[0].commit] - context.along[inside[0].by] <= SOON:
            continue
        if _is_over(inside, _added(inside[0].commit, context, path), context):
            found += inside
        else:
            found += [
                loss for loss in inside if _is_over([loss], _added(loss.commit, context, path, loss.symbol), context)
            ]
    return found


def _is_over(group: Sequence[LostLines], added: int, context: RevertContext) -> bool:
    lost = sum(len(loss.lines) for loss in group)
    if lost < ENOUGH or lost < MOST * added:
        return False
    parts = [part for part in context.changes.get(group[0].by, ()) if part.path == group[0].path]
    removed = sum(len(set(part.removed)) for part in parts)
    symbols = {loss.symbol for loss in group}
    instead = sum(len(part.added) for part in parts if part.symbol in symbols)
    return (
        lost >= ABOUT * removed
        and sum(len(part.added) for part in parts) <= REPLACED * removed
        and instead <= REPLACED_IN_SYMBOL * lost
    )


def _added(commit: str, context: RevertContext, path: str, symbol: str | None = None) -> int:
    """How many lines a commit added in a file or a symbol of it, whatever the folder of the file was then."""
    parts = context.changes.get(commit, ())
    here = [part for part in parts if part.path == path] or [
        part for part in parts if part.path.rpartition("/")[2] == path.rpartition("/")[2]
    ]
    return sum(len(set(part.added)) for part in here if symbol is None or part.symbol == symbol)
