"""Fingerprints of commits, which identify the same change after a rebase, amend, cherry-pick or squash.

Similar to `git patch-id`, but independent of context lines, the order of changes and how the difference is split into
hunks.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO

from repomem.adapters.git.hunks import HUNK_START, lines_of_hunk
from repomem.adapters.git.log import NEUTRAL, cut_off_commits, entries_in
from repomem.adapters.git.repository import Repository

OPTIONS = (*NEUTRAL, "--no-renames", "--ignore-submodules=none")
LOG_ONLY = frozenset({"--encoding=UTF-8", "--no-notes", "--no-diff-merges"})  # of these; git diff has no such options
NAME_FORMAT = "--format=%H%x00%P%x00%an <%ae>%x00%at%x00%s"
NAME_FIELDS = 5
PATCH = ("--format=commit %H", "-p", "--unified=0", "--inter-hunk-context=0", "--full-index", "--diff-algorithm=myers")
MODES = {b"new file mode": 1, b"new mode": 1, b"deleted file mode": -1, b"old mode": -1}
LONGEST = 20_000  # changed lines; a larger commit is an import of foreign code, and too slow to read
SHORTEST_LINE = 8  # characters: a brace or an `else:` is everywhere


@dataclass(frozen=True, slots=True)
class CommitIdentity:
    """The author and time of a commit, which a rebase, amend or cherry-pick preserves, and its files."""

    commit: str
    parents: tuple[str, ...]
    author: str  # with the address
    time: int  # the author's, seconds since 1970
    subject: str
    paths: frozenset[str]  # against its only parent; none of a merge


@dataclass(frozen=True, slots=True)
class Patch:
    """The lines that a commit adds and removes, wherever in their files.

    The totals of consecutive commits add up to the total of their combined change: a line that one adds and another
    removes counts for nothing.
    """

    id: str = ""  # a digest of all lines that it added and removed; empty if it did nothing
    total: int = 0  # of the hashes of the lines that it added, less those that it removed
    added: frozenset[int] = frozenset()  # hashes of path and line, of lines long enough to say something
    removed: frozenset[int] = frozenset()


def identities_beyond(
    repository: Repository, tips: Iterable[str], known: Iterable[str], limit: int
) -> list[CommitIdentity]:
    """The newest commits reachable from `tips` but not from `known`, newest first, with their files.

    Empty in a treeless clone, which lacks the lists of files.
    """
    return list(_written(repository, [*tips, *(f"^{each}" for each in known)], f"--max-count={limit}"))


def identities_of(repository: Repository, commits: Iterable[str]) -> list[CommitIdentity]:
    """The identities of these commits."""
    return list(_written(repository, list(commits), "--no-walk=unsorted"))


def patches_of(repository: Repository, commits: Iterable[str]) -> dict[str, Patch]:
    """The patch of each commit against its only parent.

    Without merges, commits at the boundary of a shallow clone and commits that change more than LONGEST lines; empty in
    a partial clone, which lacks the bytes.
    """
    cut_off = cut_off_commits(repository)
    feed = [commit for commit in commits if commit not in cut_off]
    if not feed or repository.is_partial:
        return {}
    with repository.stream("log", "--no-walk=unsorted", "--stdin", *OPTIONS, *PATCH, feed=feed) as output:
        return {draft.commit: draft.patch() for draft in _drafts(output) if draft.lines <= LONGEST}


def changed_lines(repository: Repository, old: str, new: str) -> dict[str, tuple[list[bytes], list[bytes]]]:
    """Each file that differs between two commits, as git heads it, with the stripped lines added and removed.

    Empty in a partial clone, which lacks the bytes. Files beyond LONGEST lines of changes are cut there.
    """
    if repository.is_partial:
        return {}
    with repository.stream("diff", *(each for each in OPTIONS if each not in LOG_ONLY), *PATCH[1:], old, new) as output:
        [draft] = [*_drafts(output, _Draft("difference"))]
    found: dict[str, tuple[list[bytes], list[bytes]]] = {}
    for sign, token in draft.tokens:
        file, _, line = token.partition(b"\0")
        added, removed = found.setdefault(os.fsdecode(file), ([], []))
        (added if sign > 0 else removed).append(line.strip())
    return found


def _written(repository: Repository, feed: Sequence[str], walk: str) -> Iterator[CommitIdentity]:
    if repository.is_treeless or not feed:  # without a name git would take the head
        return
    cut_off = cut_off_commits(repository)
    arguments = ("log", "--stdin", walk, *OPTIONS, "-z", "--raw", NAME_FORMAT)
    with repository.stream(*arguments, feed=feed) as output:
        for (commit, parents, author, time, subject), files in entries_in(output, NAME_FIELDS):
            paths = frozenset(file.path for file in files if commit not in cut_off)
            yield CommitIdentity(commit, tuple(parents.split()), author, int(time or 0), subject, paths)


@dataclass(slots=True)
class _Draft:
    """A patch while it is read."""

    commit: str
    file: bytes = b""  # the line that names it
    index: bytes = b""  # the line with its blobs
    lines: int = 0
    tokens: list[tuple[int, bytes]] = field(default_factory=list)  # 1 or -1, file and line
    marks: list[tuple[int, bytes]] = field(default_factory=list)  # the same for modes and binary bytes

    def mark(self, sign: int, text: bytes) -> None:
        self.marks.append((sign, self.file + b"\0\0" + text))

    def patch(self) -> Patch:
        if not self.tokens and not self.marks:
            return Patch()
        whole = hashlib.blake2b(digest_size=16)
        for sign, token in sorted((*self.tokens, *self.marks)):
            whole.update(b"%d%d " % (sign, len(token)))
            whole.update(token)
        lines = [(sign, token, _number(token)) for sign, token in self.tokens]
        said = [(sign, number) for sign, token, number in lines if _says_something(token)]
        return Patch(
            id=whole.hexdigest(),
            total=sum(sign * number for sign, _, number in lines) + sum(s * _number(mark) for s, mark in self.marks),
            added=frozenset(number for sign, number in said if sign > 0),
            removed=frozenset(number for sign, number in said if sign < 0),
        )


def _drafts(output: IO[bytes], draft: _Draft | None = None) -> Iterator[_Draft]:
    """The patches of a log, or of one difference, which has a `draft`.

    Changed lines are counted, so that a line of text is never mistaken for a header.
    """
    draft = draft or _Draft("")
    for line in output:
        if line.startswith(b"commit "):
            if draft.commit:
                yield draft
            draft = _Draft(line[7:].strip().decode())
        elif start := HUNK_START.match(line):
            _read_hunk(output, draft, int(start[2] or 1) + int(start[4] or 1))
        else:
            _read_header(line, draft)
    if draft.commit:
        yield draft


def _read_header(line: bytes, draft: _Draft) -> None:
    words, _, mode = line.rstrip().rpartition(b" ")
    if line.startswith(b"diff --git "):
        draft.file = line.rstrip(b"\n")  # renames are not followed: it names one path, twice
    elif line.startswith(b"index "):
        draft.index = words[6:] if b".." in words else mode
    elif words in MODES:
        draft.mark(MODES[words], b"mode " + mode)
    elif line.startswith(b"Binary files "):
        for sign, blob in zip((-1, 1), draft.index.split(b".."), strict=False):
            if blob.strip(b"0"):
                draft.mark(sign, b"blob " + blob)


def _read_hunk(output: IO[bytes], draft: _Draft, count: int) -> None:
    for line in lines_of_hunk(output, count):
        draft.lines += 1
        if draft.lines <= LONGEST:
            sign = 1 if line.startswith(b"+") else -1
            draft.tokens.append((sign, draft.file + b"\0" + line[1:].rstrip(b"\r\n")))


def _number(token: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(token, digest_size=16).digest())


def _says_something(token: bytes) -> bool:
    return len(token[token.index(b"\0") + 1 :].strip()) >= SHORTEST_LINE
