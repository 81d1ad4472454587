"""The commits that wrote one line, newest first: followed through edits, layout, renames and moves.

Each step asks `git blame` for the line's commit and looks for the line's earlier version in the same hunk, or else in a
block of lines that the commit moved. A similar single line elsewhere does not count as an earlier version, unless it is
the only one and the commit moved it by a few lines, as in a sorted list. Nor does a line in a block that many files
have, such as a licence. A line of keywords, such as `else:`, has an earlier version only next to the earlier version of
a neighbouring line, and a line without words, such as `}`, has none.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from repomem.adapters.git.blame import Blamed, blame
from repomem.adapters.git.grep import lines_with
from repomem.adapters.git.hunks import line_changes
from repomem.adapters.git.log import first_parent
from repomem.adapters.git.repository import Repository
from repomem.core.errors import NotFound
from repomem.core.types.commits import Hunk
from repomem.history.lines.alignment import REACH, former_line, line_identity
from repomem.history.lines.moved_blocks import MOVED_CHARACTERS, distinctive_line, largest_block, letters, main_source
from repomem.history.lines.patch_lines import has_names, is_meaningful

STEPS = 6  # commits of one line's life
BLAMES = 40  # with those that changed only layout or moved the line
JOINED = 4  # unchanged lines between hunks that are one change
NEIGHBOURS = 2  # lines with names near a line without; one of them must have moved together with it
MANY_FILES = 3  # with the block's most distinctive line: such a block is boilerplate, like a licence


@dataclass(frozen=True, slots=True)
class LineChange:
    """A commit that wrote the line; `commit` is empty if the line is not committed."""

    commit: str
    text: str
    removed: tuple[str, ...] = ()  # the lines of its hunk, those around the line's former self first
    added: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Former:
    """Where the line was before a commit; `is_written` says whether the commit changed its text."""

    path: str
    line: int
    is_written: bool
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


def line_commits(repository: Repository, path: str, line: int) -> Iterator[LineChange]:
    """The commits that wrote a line of the worktree, without those that only changed its layout or moved it.

    Where the clone lacks the older file, the last is the commit that changed the layout or moved the line. Raises
    NotFound if git has no such line.
    """
    one = blame(repository, path, line)
    steps = 0
    for _ in range(BLAMES):
        former = _before(repository, one)
        if former is None or former.is_written or not one.commit:
            yield _change(repository, one, former)
            steps += 1
        if former is None or steps == STEPS:
            return
        try:
            older = blame(repository, former.path, former.line, one.before or first_parent(repository, one.commit))
        except NotFound:
            if one.commit and not former.is_written:
                yield _change(repository, one, former)
            return
        one = older


def _change(repository: Repository, one: Blamed, former: _Former | None) -> LineChange:
    if former is not None:
        return LineChange(one.commit, one.text, former.removed, former.added)
    own = _hunks(repository, one)
    at = _hunk_of(own, one.line)
    if at is None:
        return LineChange(one.commit, one.text, (), (one.text,) if one.commit else ())
    added = own[at].added[one.line - own[at].start :]
    return LineChange(one.commit, one.text, own[at].lines[: own[at].removed], added)


def _before(repository: Repository, one: Blamed) -> _Former | None:
    """The line's earlier version, if any; a line without names has one only next to that of a neighbouring line."""
    if one.commit and not any(map(str.isalnum, one.text)):
        return None
    former = _former_of(repository, one)
    is_alone = former and one.commit and not has_names(one.text) and not _came_with(repository, one, former)
    return None if is_alone else former


def _came_with(repository: Repository, one: Blamed, former: _Former) -> bool:
    """Whether a neighbouring line with names, added by the same commit, came unchanged from next to `former`."""
    for number, text in _neighbours(repository, one):
        other = _former_of(repository, replace(one, line=number, text=text))
        if other is None or other.is_written or other.path != former.path:
            continue
        step, before = number - one.line, other.line - former.line
        if abs(before) <= abs(step) + JOINED and before * step >= 0:
            return True
    return False


def _neighbours(repository: Repository, one: Blamed) -> list[tuple[int, str]]:
    """The nearest lines with names that the commit added in the line's hunk."""
    own = _hunks(repository, one) if one.before else _of_path(_hunks_of_commit(repository, one.commit), one.path)
    at = _hunk_of(own, one.line)
    added = enumerate(own[at].added, start=own[at].start) if at is not None else ()
    return sorted((each for each in added if has_names(each[1])), key=lambda each: abs(each[0] - one.line))[:NEIGHBOURS]


def _former_of(repository: Repository, one: Blamed) -> _Former | None:
    """The line's most likely earlier version."""
    if one.commit and not one.before:
        return _before_its_file(repository, one)
    own = _hunks(repository, one)
    at = _hunk_of(own, one.line)
    if at is None:
        return None
    found = _former_in(own[at : at + 1], one)
    if found is None:  # a diff may show the old and the new form of one statement as two hunks
        joined = _former_in(_joined(own, at), one)
        found = joined if joined and not joined.is_written else None
    if one.commit and (found is None or found.is_written):
        found = _moved_alone(own, one) or found
    if found or not one.commit:
        return found
    hunks = list(line_changes(repository, one.before, one.commit))
    return _moved_from(repository, one, hunks, own[at]) or _moved_nearby(hunks, one)


def _before_its_file(repository: Repository, one: Blamed) -> _Former | None:
    """The earlier version of a line in a new file, if the commit moved it there."""
    hunks = _hunks_of_commit(repository, one.commit)
    own = _of_path(hunks, one.path)
    at = _hunk_of(own, one.line)
    return _moved_from(repository, one, hunks, own[at]) if at is not None else None


def _hunks_of_commit(repository: Repository, commit: str) -> list[Hunk]:
    """All that a commit changed; nothing for one without a parent."""
    parent = first_parent(repository, commit)
    return list(line_changes(repository, parent, commit)) if parent else []


def _of_path(hunks: Iterable[Hunk], path: str) -> list[Hunk]:
    return [hunk for hunk in hunks if hunk.path == path]


def _hunks(repository: Repository, one: Blamed) -> list[Hunk]:
    """How the commit changed the line's file, or how the worktree did."""
    if not one.before:
        return []
    if one.commit:
        return list(line_changes(repository, f"{one.before}:{one.path_before}", f"{one.commit}:{one.path}"))
    return list(line_changes(repository, one.before, path=one.path_before))


def _hunk_of(hunks: Sequence[Hunk], line: int) -> int | None:
    return next((at for at, hunk in enumerate(hunks) if 0 <= line - hunk.start < len(hunk.added)), None)


def _joined(hunks: Sequence[Hunk], at: int) -> Sequence[Hunk]:
    """A hunk and the hunks before and after it that belong to the same change."""
    first, end = at, at + 1
    while first and _gap(hunks[first - 1], hunks[first]) <= JOINED:
        first -= 1
    while end < len(hunks) and _gap(hunks[end - 1], hunks[end]) <= JOINED:
        end += 1
    return hunks[first:end]


def _gap(one: Hunk, after: Hunk) -> int:
    """The unchanged lines between two hunks."""
    start = after.old_start + (not after.removed)
    return start - one.old_start - max(one.removed, 1)


def _former_in(hunks: Sequence[Hunk], one: Blamed) -> _Former | None:
    """The line's earlier version among the lines that the hunks removed."""
    old = [hunk.old_start + at for hunk in hunks for at in range(hunk.removed)]
    removed = [line for hunk in hunks for line in hunk.removed_lines]
    new = [hunk.start + at for hunk in hunks for at in range(len(hunk.added))]
    added = [line for hunk in hunks for line in hunk.added]
    at = new.index(one.line)
    found = former_line(removed, added, at)
    if not found:
        return None
    shown = (tuple(removed[found.index :]), tuple(added[at:]))
    return _Former(one.path_before, old[found.index], not found.is_layout, *shown)


def _moved_from(repository: Repository, one: Blamed, hunks: Sequence[Hunk], own: Hunk) -> _Former | None:
    """The line's place in the block that the commit moved here.

    A block from another file counts only if few files had it, or if that file is this one under its former path.
    """
    best = largest_block(hunks, own, one.line)
    if best and best.path != own.path:
        before = one.before or first_parent(repository, one.commit)
        files = {found.partition(":")[0] for found in lines_with(repository, before, distinctive_line(best.lines))}
        if len(files) >= MANY_FILES:
            near = {own.path, main_source(hunks, own)}
            best = largest_block([hunk for hunk in hunks if hunk.path in near], own, one.line)
    return _Former(best.path, best.line, is_written=False) if best else None


def _moved_nearby(hunks: Iterable[Hunk], one: Blamed) -> _Former | None:
    """The only equal line that the commit removed from the file, if it added the line once and nearby."""
    former = _only_equal(_of_path(hunks, one.path), one)
    return former if former and abs(former.line - one.line) <= REACH else None


def _moved_alone(own: Sequence[Hunk], one: Blamed) -> _Former | None:
    """The same anywhere in the file, for a line long enough to be unique, such as the head of a function."""
    return _only_equal(own, one) if letters([one.text]) >= MOVED_CHARACTERS else None


def _only_equal(own: Sequence[Hunk], one: Blamed) -> _Former | None:
    """The only equal line that the commit removed from the file, if it added the line once."""
    same = line_identity(one.text)
    gone = [
        hunk.old_start + at for hunk in own for at, text in enumerate(hunk.removed_lines) if line_identity(text) == same
    ]
    count = sum(line_identity(text) == same for hunk in own for text in hunk.added)
    if len(gone) != 1 or count != 1 or not is_meaningful(one.text):
        return None
    return _Former(one.path_before, gone[0], is_written=False)
