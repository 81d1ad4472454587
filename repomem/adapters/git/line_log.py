"""The commits that changed a range of lines, followed across commits that changed only white space in the file.

`git log -L` treats such a rewrite (line ends, indentation) as one hunk and continues with the whole file. Here the
range is mapped through it by a diff that ignores white space, and followed again from its parent.
"""

from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from repomem.adapters.git.hunks import HUNK_START, header_path, line_changes
from repomem.adapters.git.repository import Repository
from repomem.core.types.commits import Hunk

WIDENED = 30  # lines by which a commit widens a range that may be a rewrite: each costs one diff
REWRITES = 8  # followed in one file: each costs two runs of git log
IN_HUNK = b" +-\\"  # the first byte of the lines of a patch that are text
OPTIONS = (
    "--no-merges",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--format=commit %H %P",
    "--src-prefix=a/",
    "--dst-prefix=b/",
)


@dataclass(frozen=True, slots=True)
class _Lines:
    """Lines of a file at a commit, followed down to the commits before which the walk ends."""

    path: str
    span: range
    head: str  # a commit's hash
    ends: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Change:
    """A commit that changed the followed lines: where they are in it and where they were before."""

    commit: str
    parent: str  # empty without one
    path: str
    old_path: str
    old: tuple[range, ...]
    new: tuple[range, ...]


@dataclass(frozen=True, slots=True)
class _Rewrite:
    """A commit that rewrote the file around the lines, and where they were in its parent."""

    commit: str
    before: tuple[_Lines, ...]
    is_change: bool  # whether it changed more than white space in them


def commits_of_lines(repository: Repository, path: str, ranges: Iterable[tuple[int, int]], head: str) -> set[str]:
    """The commits that changed ranges of lines of a file at a commit, given by its hash, without merges.

    A range is its first and last line. It is followed through edits above it and renames of the file. Raises GitError
    if the file lacks the lines.
    """
    found: set[str] = set()
    # Each range alone: git fails on several that are nearly adjacent.
    waiting = [_Lines(path, range(first, last + 1), head) for first, last in ranges]
    passed = 0
    while waiting:
        lines = waiting.pop()
        commits, rewrite = _followed(repository, lines, is_mapped=passed < REWRITES)
        if rewrite is None:
            found |= commits
            continue
        passed += 1
        found |= {rewrite.commit} if rewrite.is_change else set()
        waiting += rewrite.before
        if rewrite.commit != lines.head:  # else nothing is left to walk, which git refuses
            waiting.append(replace(lines, ends=(*lines.ends, rewrite.commit)))  # the commits after it and beside it
    return found


def _followed(repository: Repository, lines: _Lines, *, is_mapped: bool) -> tuple[set[str], _Rewrite | None]:
    """The commits that changed the lines, and the first that rewrote the file, at which the walk stops."""
    commits: set[str] = set()
    with closing(_changes(repository, lines)) as changes:
        for change in changes:
            rewrite = _rewrite(repository, change) if is_mapped and _is_widened(change.old, change.new) else None
            if rewrite:
                return commits, rewrite
            commits.add(change.commit)
    return commits, None


def _is_widened(old: Sequence[range], new: Sequence[range]) -> bool:
    return sum(map(len, old)) > sum(map(len, new)) + WIDENED


def _rewrite(repository: Repository, change: _Change) -> _Rewrite | None:
    """The commit as a rewrite; None if it widens the range even when white space is ignored."""
    sides = f"{change.parent}:{change.old_path}", f"{change.commit}:{change.path}"
    hunks = list(line_changes(repository, *sides))
    former = tuple(_former(hunks, each) for each in change.new)
    if not _is_widened(change.old, former):
        return None
    is_change = any(_touches(hunk, each) for hunk in hunks for each in change.new)
    before = tuple(_Lines(change.old_path, each, change.parent) for each in former if each)
    return _Rewrite(change.commit, before, is_change)


def _former(hunks: Sequence[Hunk], lines: range) -> range:
    """Where lines were before these hunks (in order), including everything that a hunk at their edges removed."""
    start, stop = lines.start, lines.stop
    for hunk in hunks:
        new, old = _sides(hunk)
        if new.stop <= lines.start:
            start, stop = (edge + old.stop - new.stop for edge in (lines.start, lines.stop))
        elif new.start < lines.stop:
            start = old.start if new.start <= lines.start else start
            stop = old.stop if new.stop >= lines.stop else lines.stop + old.stop - new.stop
    return range(start, stop)


def _touches(hunk: Hunk, lines: range) -> bool:
    new, _ = _sides(hunk)
    return new.start < lines.stop and new.stop > lines.start


def _sides(hunk: Hunk) -> tuple[range, range]:
    """The added and the removed lines; an empty range is before the line that it starts at."""
    added, removed = len(hunk.added), hunk.removed
    start, old_start = hunk.start + (not added), hunk.old_start + (not removed)
    return range(start, start + added), range(old_start, old_start + removed)


def _changes(repository: Repository, lines: _Lines) -> Generator[_Change, None, None]:
    """Each commit that git finds for the lines; closing this ends git."""
    at = f"-L{lines.span.start},{lines.span.stop - 1}:{lines.path}"
    with repository.stream("log", *OPTIONS, at, lines.head, *(f"^{end}" for end in lines.ends), "--") as output:
        header: list[bytes] = []
        for line in output:
            if line[0] in IN_HUNK and not header[-1].startswith((b"diff ", b"--- ")):
                continue  # text
            if line.startswith(b"commit ") and header:
                yield _change(header)
                header = []
            header.append(line)
        if header:
            yield _change(header)


def _change(header: Sequence[bytes]) -> _Change:
    """The change in the lines of a patch that are not text."""
    commit, _, parent = header[0].decode().removeprefix("commit ").strip().partition(" ")
    names = {line[:4]: header_path(line[4:]) for line in header if line.startswith((b"--- ", b"+++ "))}
    starts = [found.groups() for line in header if (found := HUNK_START.match(line))]
    old = tuple(_range(start[0], start[1]) for start in starts)
    new = tuple(_range(start[2], start[3]) for start in starts)
    return _Change(commit, parent, names.get(b"+++ ", ""), names.get(b"--- ", ""), old, new)


def _range(first: bytes, count: bytes | None) -> range:
    start = int(first)
    return range(start, start + int(count or 1))
