"""Commits as git logs them, and the episodes made from them.

A path is a `str` from `os.fsdecode`: bytes that are not UTF-8 become lone surrogates, so that the file can be opened
again. Paths are escaped when printed.
"""

from dataclasses import dataclass


def short_hash(commit: str) -> str:
    """The abbreviated hash that repomem shows."""
    return commit[:8]


SHORTEST_HASH = 7  # hex digits of an abbreviated hash in a message, as git abbreviates
FILES_KEPT = 300  # of a commit; a longer list is no evidence for any file
SYMBOLS_KEPT = 100  # of a commit

# A line that a commit put in the place of another (empty: of none; None: of others, not one by one): before, after.
Edit = tuple[str | None, str]


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of one commit."""

    status: str  # A, M, D, R, C, T
    path: str
    old_path: str = ""  # the source of a rename or copy


@dataclass(frozen=True, slots=True)
class Episode:
    """One commit as evidence: its message, files and changed symbols."""

    commit: str
    parents: tuple[str, ...]
    author: str
    date: str  # the author's date, YYYY-MM-DD in the author's own time zone
    time: int  # the committer's time, in seconds since 1970
    subject: str
    body: str
    files: tuple[FileChange, ...] = ()
    kind: str = ""  # conventional-commit type: feat, fix, docs, …; empty without one
    pull_request: int | None = None
    trailers: tuple[tuple[str, str], ...] = ()
    reverts: str = ""  # hash or subject of the commit that its message reverts
    is_bulk: bool = False  # changes too many files to relate them to each other
    symbols: tuple[str, ...] = ()  # "path:name" of the changed definitions; newest commits only

    @property
    def is_merge(self) -> bool:
        """Whether it is a merge commit; its files are not listed."""
        return len(self.parents) > 1

    @property
    def title(self) -> str:
        """The subject without the pull request's number at its end, even if it is repeated there."""
        title, number = self.subject, f"(#{self.pull_request})"
        while title.endswith(number):
            title = title.removesuffix(number).rstrip()
        return title


@dataclass(frozen=True, slots=True)
class LogRecord:
    """One commit as git logs it, with unchanged texts."""

    commit: str
    parents: tuple[str, ...]
    author: str
    date: str  # the author's, YYYY-MM-DD in the author's own time zone
    time: int  # the committer's, in seconds since 1970
    message: str
    files: tuple[FileChange, ...]  # none for a merge


@dataclass(frozen=True, slots=True)
class Hunk:
    """One change in a commit, with enough lines to find the changed definitions."""

    commit: str
    path: str
    heading: str  # git's function context line; may be empty
    lines: tuple[str, ...]  # removed lines, then added ones; only the first, shortened
    removed: int = 0  # number of removed lines in `lines`
    start: int = 0  # number of the first added line; if none was added, of the line before
    old_start: int = 0  # number of the first removed line; if none was removed, of the line before

    @property
    def removed_lines(self) -> tuple[str, ...]:
        return self.lines[: self.removed]

    @property
    def added(self) -> tuple[str, ...]:
        return self.lines[self.removed :]
