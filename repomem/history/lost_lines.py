"""What was tried and came to nothing, from what commits did to lines: no message is believed that the lines deny.

A line belongs to the commit that added it, through every later dress and rename, until a commit takes it out. Merges
are seen through the commits that they join: what only a merge did is not known. Whether the lines stand today is
asked of the work tree, so a revert that was landed again is none.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from repomem.core.changes import Change, Committed
from repomem.core.types import Episode, Undoing, Undone
from repomem.history.messages import is_fix, restructures, takes_back

ENOUGH = 5  # lines that say something: fewer are a touch, not an attempt
SOON = 50  # commits along first parents within which code is "added and removed again"
NEAR = 5  # commits before and after one in which the lines that it took out may have gone elsewhere
MOST = 0.8  # of what a commit added in a file or symbol, that must go for an attempt to be over
EQUAL = 0.9  # of what a commit added, that a silent revert takes out
OTHER = 0.25  # of a silent revert, that may be about something else
REPLACED = 0.3  # new lines in the file for each that left, from which on code was rewritten, not removed
REPLACED_IN_SYMBOL = 0.1  # the same in the symbols that lost it
ABOUT = 0.5  # of what a commit took out of a file, that must be the attempt: else it did something larger
SAME_FILES = 0.5  # of a commit's files, that one which silently undoes it touches too
SHARE_OF_FIX = 1 / 3  # of a fix's lines in a symbol, by whose loss the fix may be gone
STANDING = 0.1  # of the lines, up to which they are gone: some stand elsewhere by chance
SHORTEST_HASH = 7  # digits by which a message may name a commit: git's own short form


class _Line(NamedTuple):
    commit: str
    symbol: str
    first: int  # as it was added


@dataclass(frozen=True, slots=True)
class Loss:
    """Lines that one commit added in a symbol and another took out."""

    commit: str
    by: str
    path: str  # where they were then
    symbol: str
    lines: frozenset[int]  # as they were added
    left_as: frozenset[int]  # as they were when they left


@dataclass(frozen=True, slots=True)
class Story:
    """What it takes to judge losses. Commits are in the order newest first."""

    commits: Mapping[str, Committed]
    changes: Mapping[str, Sequence[Change]]  # of the commits that lost or took out lines, and of those near them
    now: Callable[[str], Collection[int]]  # the lines that a path has today, wherever its file went
    near: Mapping[str, Sequence[str]]  # a commit to its neighbours in this order
    along: Mapping[str, int]  # a commit to its place along first parents; brought by a merge, to that one's


def losses(changes: Iterable[Change]) -> list[Loss]:
    """What was lost of one file; its changes oldest first, those of one commit together."""
    alive: dict[int, _Line] = {}
    common: set[int] = set()  # added while they stood already: whose they are is not known
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
                    alive[line] = _Line(commit, part.symbol, line)
        alive |= carried
    return [
        Loss(*key, frozenset(first for first, _ in lines), frozenset(line for _, line in lines))
        for key, lines in lost.items()
    ]


def _carried(parts: Sequence[Change], alive: dict[int, _Line]) -> dict[int, _Line]:
    """The lines that are altered, taken from under their old form to stand under the new one."""
    pairs = [(old, new) for part in parts for old, new in part.altered if old in alive]
    carried = {new: alive[old] for old, new in pairs}
    for old, _ in pairs:
        alive.pop(old, None)
    return carried


def along_first_parents(commits: Sequence[Committed]) -> dict[str, int]:
    """Commits, newest first, to their places: 0 is the head, and what a merge brought has the place of the merge."""
    parents = {commit.commit: commit.parents for commit in commits}
    places: dict[str, int] = {}
    chain: list[str] = []
    at = commits[0].commit if commits else ""
    while at in parents:
        places[at] = len(chain)
        chain.append(at)
        at = parents[at][0] if parents[at] else ""
    for merge in reversed(chain):  # the oldest merge that brought a commit is the one that did
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


def worth_judging(found: Iterable[Loss], changes: Iterable[Change], commits: Mapping[str, Committed]) -> list[Loss]:
    """The losses of one file that may come to something, as far as subjects and numbers tell; `changes` are its."""
    added = Counter[tuple[str, str]]()
    for change in changes:
        added[change.commit, ""] += len(change.added)
        if change.symbol:
            added[change.commit, change.symbol] += len(change.added)
    lost = Counter[tuple[str, str]]()
    kept = list(found)
    for loss in kept:
        lost[loss.commit, loss.by] += len(loss.lines)
    return [
        loss
        for loss in kept
        if _is_said(loss, commits)
        or lost[loss.commit, loss.by] >= MOST * added[loss.commit, ""]
        or len(loss.lines) >= max(ENOUGH, MOST * added[loss.commit, loss.symbol])
    ]


def _is_said(loss: Loss, commits: Mapping[str, Committed]) -> bool:
    before, after = commits[loss.commit], commits[loss.by]
    return is_fix(before.subject, before.kind) or says_it_reverts(after, before)


def says_it_reverts(after: Committed, before: Committed) -> bool:
    """Whether the later commit's message names the earlier one, by its hash or its subject."""
    named = after.reverts
    return bool(named) and (
        named == before.subject or (len(named) >= SHORTEST_HASH and before.commit.startswith(named))
    )


def undoings(found: Sequence[Loss], story: Story) -> list[Undoing]:
    """What the losses come to, one for each pair of commits, the newest undoing first."""
    pairs: dict[tuple[str, str], list[Loss]] = defaultdict(list)
    for loss in found:
        pairs[loss.commit, loss.by].append(loss)
    order = {commit: at for at, commit in enumerate(story.commits)}
    judged = [undoing for (commit, by), group in pairs.items() if (undoing := _judged(commit, by, group, story))]
    return sorted(judged, key=lambda one: (order[one.by], order[one.commit]))


def _judged(commit: str, by: str, group: Sequence[Loss], story: Story) -> Undoing | None:
    before, after = story.commits[commit], story.commits[by]
    if before.reverts or takes_back(before.subject):  # to take back a revert is to try again
        return None
    left = [loss for each in group if (loss := _truly_left(each, story))]
    is_cut = before.is_cut or after.is_cut  # what is not read may be what was put back
    if says_it_reverts(after, before) or (not is_cut and _is_inverse(commit, by, story)):
        return _undoing(Undone.REVERTED, left) if _nothing_stands(commit, story) else None
    if after.reverts or after.is_cut:
        return None
    if is_fix(before.subject, before.kind):
        kept = [] if restructures(after.subject) else [loss for loss in left if _is_part_of_fix(loss, story)]
        return _undoing(Undone.FIX_GONE, kept)
    is_reshaped = restructures(before.subject) or restructures(after.subject)
    return _undoing(Undone.REMOVED, [] if is_reshaped else _removed(left, story))


def _undoing(how: Undone, group: Sequence[Loss]) -> Undoing | None:
    if not group:
        return None
    paths = Counter[str]()
    for loss in group:
        paths[loss.path] += len(loss.lines)
    most = min(paths, key=lambda path: (-paths[path], path))
    ordered = sorted(group, key=lambda loss: (loss.path != most, -len(loss.lines), loss.path, loss.symbol))
    symbols = tuple(dict.fromkeys(f"{loss.path}:{loss.symbol}" for loss in ordered if loss.symbol))
    return Undoing(how, group[0].commit, group[0].by, most, symbols, paths.total())


# Reverted


def _is_inverse(commit: str, by: str, story: Story) -> bool:
    """Whether the later commit does the opposite of the earlier one, whatever it calls itself."""
    put_in, took_out = _effect(commit, story)
    put_back, taken = _effect(by, story)
    if ENOUGH > len(put_in) > 1:  # so few may agree by chance, unless nothing else happened in either
        return taken == put_in and put_back == took_out
    return (
        len(put_in) >= ENOUGH
        and len(taken & put_in) >= EQUAL * len(put_in)
        and len(taken - put_in) <= OTHER * len(taken)
        and len(put_back & took_out) >= (1 - OTHER) * len(took_out)
        and len(put_back - took_out) <= OTHER * len(taken)
    )


def _effect(commit: str, story: Story) -> tuple[set[int], set[int]]:
    """The lines that a commit put in and those that it took out, an altered line being one of each."""
    parts = story.changes.get(commit, ())
    pairs = {pair for part in parts for pair in part.altered if pair[0] != pair[1]}
    put_in = {line for part in parts for line in part.added} | {new for _, new in pairs}
    took_out = {line for part in parts for line in part.removed} | {old for old, _ in pairs}
    return put_in - took_out, took_out - put_in


def goes_as_far(before: Episode, after: Episode) -> bool:
    """Whether a commit that undoes another without saying so touches the files of that one, by whatever name."""
    touched = {file.path.rpartition("/")[2] for file in after.files}
    names = [file.path.rpartition("/")[2] for file in before.files]
    return sum(name in touched for name in names) >= SAME_FILES * len(names)


def _nothing_stands(commit: str, story: Story) -> bool:
    """Whether next to nothing of all that the commit added stands in the same files today."""
    parts = story.changes.get(commit, ())
    lines = [(line, part.path) for part in parts for line in part.added]
    standing = sum(line in story.now(path) for line, path in lines)
    return standing <= STANDING * len(lines)


# Removed, and fixes gone


def _truly_left(loss: Loss, story: Story) -> Loss | None:
    """The lines that are neither in the file today nor added elsewhere about that time."""
    elsewhere = set(story.now(loss.path))
    for commit in story.near.get(loss.by, ()):
        if commit != loss.commit:
            elsewhere |= set(_new_lines(story.changes.get(commit, ())))
    left = loss.left_as - elsewhere
    if len(left) == len(loss.left_as):
        return loss
    kept = loss.lines - elsewhere if left else frozenset[int]()
    return Loss(loss.commit, loss.by, loss.path, loss.symbol, kept, left) if kept else None


def _new_lines(parts: Iterable[Change]) -> Iterator[int]:
    for part in parts:
        yield from part.added
        yield from (new for _, new in part.altered)


def _is_part_of_fix(loss: Loss, story: Story) -> bool:
    added = _added(loss.commit, story, loss.path, loss.symbol)
    return bool(loss.symbol) and len(loss.lines) >= SHARE_OF_FIX * added


def _removed(group: Sequence[Loss], story: Story) -> list[Loss]:
    """Those of the losses that make up an attempt: soon gone, and as good as whole, in a file or in a symbol."""
    found: list[Loss] = []
    for path in dict.fromkeys(loss.path for loss in group):
        inside = [loss for loss in group if loss.path == path]
        if not 0 < story.along[inside[0].commit] - story.along[inside[0].by] <= SOON:
            continue
        if _is_over(inside, _added(inside[0].commit, story, path), story):
            found += inside
        else:
            found += [loss for loss in inside if _is_over([loss], _added(loss.commit, story, path, loss.symbol), story)]
    return found


def _is_over(group: Sequence[Loss], added: int, story: Story) -> bool:
    lost = sum(len(loss.lines) for loss in group)
    if lost < ENOUGH or lost < MOST * added:
        return False
    parts = [part for part in story.changes.get(group[0].by, ()) if part.path == group[0].path]
    removed = sum(len(set(part.removed)) for part in parts)
    symbols = {loss.symbol for loss in group}
    instead = sum(len(part.added) for part in parts if part.symbol in symbols)
    return (
        lost >= ABOUT * removed
        and sum(len(part.added) for part in parts) <= REPLACED * removed
        and instead <= REPLACED_IN_SYMBOL * lost
    )


def _added(commit: str, story: Story, path: str, symbol: str | None = None) -> int:
    """How many lines a commit added in a file or a symbol of it, under whatever name the file had then."""
    parts = story.changes.get(commit, ())
    here = [part for part in parts if part.path == path] or [
        part for part in parts if part.path.rpartition("/")[2] == path.rpartition("/")[2]
    ]
    return sum(len(set(part.added)) for part in here if symbol is None or part.symbol == symbol)
