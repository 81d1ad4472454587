"""Commits: what git logs, and the episodes made from it.

A path is a `str` as `os.fsdecode` gives it: bytes that are not UTF-8 become lone surrogates, so that the file can be
opened again. Paths are escaped where they are printed.
"""

from dataclasses import dataclass


def short_hash(commit: str) -> str:
    """The abbreviated hash that repomem shows."""
    return commit[:8]


SHORTEST_HASH = 7  # digits by which a message may name a commit: git's own short form


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of one commit."""

    status: str  # A, M, D, R, C, T
    path: str
    old_path: str = ""  # the source of a rename or copy


@dataclass(frozen=True, slots=True)
class Episode:
    """One commit: what changed, where, when and why."""

    commit: str
    parents: tuple[str, ...]
    author: str
    date: str  # the author's date, YYYY-MM-DD in the author's own time zone
    time: int  # the committer's time, seconds since 1970: git's own order
    subject: str
    body: str
    files: tuple[FileChange, ...] = ()
    kind: str = ""  # conventional-commit type: feat, fix, docs, …; empty where the subject has none
    pull_request: int | None = None
    trailers: tuple[tuple[str, str], ...] = ()
    reverts: str = ""  # the commit that it says it reverts, as written there
    is_bulk: bool = False  # too many files to show that they belong together
    symbols: tuple[str, ...] = ()  # "path:name" of the definitions whose lines it changed; newest commits only

    @property
    def is_merge(self) -> bool:
        """Whether it is a merge commit; its files are not listed."""
        return len(self.parents) > 1


@dataclass(frozen=True, slots=True)
class LogRecord:
    """One commit as git logs it, texts as they were written."""

    commit: str
    parents: tuple[str, ...]
    author: str
    date: str  # the author's, YYYY-MM-DD in the author's own time zone
    time: int  # the committer's, seconds since 1970
    message: str
    files: tuple[FileChange, ...] = ()  # none for a merge


@dataclass(frozen=True, slots=True)
class Hunk:
    """A changed place in a commit, with enough lines to find the definitions there."""

    commit: str
    path: str
    heading: str  # the line before it that starts a function, as git finds it; may be empty
    lines: tuple[str, ...]  # removed lines, then added ones, the first of them, shortened
    removed: int = 0  # how many of the lines were removed
    start: int = 0  # the number of the first added line; where none was added, of the line before

    @property
    def added(self) -> tuple[str, ...]:
        """The added lines."""
        return self.lines[self.removed :]
