"""How much of each commit is still in the code, wherever its lines were moved to."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby

from repomem.core.errors import GitError
from repomem.core.types.commits import Episode, Hunk
from repomem.history.change_history import ChangeHistory, change_history_of
from repomem.history.changes import is_followed
from repomem.history.line_survival import LineSurvival, line_survival
from repomem.history.patches import patches_of
from repomem.workspace.snapshot import Snapshot

MOST_MOVES = 3  # of lines from file to file that are followed
MOVED = 0.5  # share of the lines that a commit took out of a file, to be moved to another and not removed


def with_patch(episodes: Iterable[Episode]) -> list[str]:
    """The commits whose patches are read."""
    return [episode.commit for episode in episodes if not episode.is_bulk]


def survival_of(snapshot: Snapshot, episodes: Iterable[Episode]) -> dict[str, LineSurvival]:
    """The line survival of each commit; empty if the clone lacks an object."""
    try:
        hunks = patches_of(snapshot).hunks(with_patch(episodes))
    except GitError:
        return {}
    history = change_history_of(snapshot)
    now = _lines_now(history, dict.fromkeys(hunk.path for hunk in hunks))
    found = line_survival(hunks, now)
    by_commit = {commit: list(own) for commit, own in groupby(hunks, key=lambda hunk: hunk.commit)}
    for commit in [commit for commit, one in found.items() if not one.is_whole]:
        own = by_commit[commit]
        if moved := _lines_elsewhere(history, commit, own):
            paths = now.keys() | moved.keys()
            found |= line_survival(own, {path: (now.get(path) or set()) | moved.get(path, set()) for path in paths})
        if not _is_traced(history, commit, own):
            found[commit] = replace(found[commit], is_traced=False)
    return found


def _is_traced(history: ChangeHistory, commit: str, hunks: Sequence[Hunk]) -> bool:
    """Whether each file has a record, as source code has, of which commits took out the lines that this one added."""
    paths = {hunk.path for hunk in hunks if hunk.added}
    losses = ([loss.commit for loss in history.losses_of(history.names_of(path))] for path in paths)
    return all(is_followed(path) for path in paths) and all(commit in lost for lost in losses)


def _lines_now(history: ChangeHistory, paths: Iterable[str]) -> dict[str, set[str] | None]:
    """The lines of each path that is found, under any of its names; None for one that cannot be read."""
    found: dict[str, set[str] | None] = {}
    for path, live in history.live_places(paths).items():
        texts = [lines for each in live if (lines := history.lines_of(each)) is not None]
        if live:
            found[path] = set().union(*texts) if texts else None
    return found


def _lines_elsewhere(history: ChangeHistory, commit: str, hunks: Sequence[Hunk]) -> dict[str, set[str]]:
    """The lines of the files that later commits moved lines of this commit to, by the path that it changed."""
    if commit not in history.commits:
        return {}
    found = {}
    for path in dict.fromkeys(hunk.path for hunk in hunks):
        moved_to = dict.fromkeys(_moved_to(history, commit, path))
        texts = map(history.texts_of, chain.from_iterable(history.live_places(moved_to).values()))
        if moved_to:
            found[path] = set[str]().union(*texts)
    return found


def _moved_to(history: ChangeHistory, commit: str, path: str, moves: int = MOST_MOVES) -> Iterator[str]:
    """The paths to which the lines that a commit added in a file were moved, by the commits that took them out."""
    taken: dict[str, set[int]] = defaultdict(set)
    for loss in history.losses_of(history.names_of(path)):
        if loss.commit == commit:
            taken[loss.by] |= loss.left_as
    for by, lines in taken.items():
        added: dict[str, set[int]] = defaultdict(set)
        for part in history.snapshot.workspace.catalog.changes.of_commits([by]):
            added[part.path] |= lines & {*part.added, *(new for _, new in part.altered)}
        if len(set[int]().union(*added.values())) >= MOVED * len(lines):
            for other in sorted(other for other, same in added.items() if same):
                yield other
                if moves > 1:
                    yield from _moved_to(history, by, other, moves - 1)
