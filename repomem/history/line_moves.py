"""The files to which later commits moved the lines that a commit added.

Of a commit that was read whole the records prove a move. Of another one its patch is read again, without limits: a line
was moved if its old file has fewer copies after the commit than before, and the other file more.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress

from repomem.adapters.git.hunks import line_changes
from repomem.adapters.git.log import first_parent
from repomem.core.errors import GitError
from repomem.history.change_history import ChangeHistory
from repomem.history.lines.patch_lines import line_hash

MOST_MOVES = 3  # of lines from file to file that are followed
MOVED = 0.5  # share of the lines that a commit took out of a file, to be moved to another and not removed


def moved_to(history: ChangeHistory, commit: str, path: str, moves: int = MOST_MOVES) -> Iterator[str]:
    """The paths to which the lines that a commit added in a file were moved, by the commits that took them out."""
    names = history.names_of(path)
    taken: dict[str, set[int]] = defaultdict(set)
    for loss in history.losses_of(names):
        if loss.commit == commit:
            taken[loss.by] |= loss.left_as
    unread = unread_removers(history, commit, names)
    wrote = {line for change in history.changes_of(names) if change.commit == commit for line in change.put_in}
    for by in sorted(unread):
        copies = _copies_added(history, by)
        gone = {line for name in names for line, count in copies.get(name, {}).items() if count < 0}
        taken[by] = gone & (wrote | taken[by])
    for by, lines in taken.items():
        added = _lines_added(history, by, is_read=by not in unread)
        same = {other: new & lines for other, new in added.items()}
        if len(set[int]().union(*same.values())) >= MOVED * len(lines):
            for other in sorted(other for other, common in same.items() if common):
                yield other
                if moves > 1:
                    yield from moved_to(history, by, other, moves - 1)


def unread_removers(history: ChangeHistory, commit: str, names: tuple[str, ...]) -> set[str]:
    """The later commits that took lines out of a file, and of which not all lines were read."""
    order = history.recorded.order
    changes = history.changes_of(names)
    by = {change.commit for change in changes if change.removed and order[change.commit] > order[commit]}
    return {commit for commit in by if history.commits[commit].is_cut}


def _lines_added(history: ChangeHistory, commit: str, *, is_read: bool) -> Mapping[str, set[int]]:
    """The lines, by their hash, that a commit added to each path."""
    if not is_read:
        copies = _copies_added(history, commit)
        return {path: {line for line, count in lines.items() if count > 0} for path, lines in copies.items()}
    added: dict[str, set[int]] = defaultdict(set)
    for part in history.snapshot.workspace.catalog.changes.of_commits([commit]):
        added[part.path].update(part.put_in)
    return added


def _copies_added(history: ChangeHistory, commit: str) -> Mapping[str, Mapping[int, int]]:
    """By path and hash, how many more copies of each line a file has after a commit, or how many fewer.

    Nothing if this clone lacks an object.
    """
    if commit not in history.copies_added:
        repository = history.snapshot.workspace.repository
        found: dict[str, Counter[int]] = defaultdict(Counter)
        with suppress(GitError):
            if parent := first_parent(repository, commit):
                for hunk in line_changes(repository, parent, commit):
                    found[hunk.path].update(map(line_hash, hunk.added))
                    found[hunk.path].subtract(map(line_hash, hunk.removed_lines))
        history.copies_added[commit] = found
    return history.copies_added[commit]
