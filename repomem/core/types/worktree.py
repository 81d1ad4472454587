"""Tracked files and the state of a worktree."""

from dataclasses import dataclass
from enum import StrEnum


class FileMode(StrEnum):
    """The kind of a git tree entry."""

    REGULAR = "regular"
    EXECUTABLE = "executable"
    SYMLINK = "symlink"  # its blob is its target
    GITLINK = "gitlink"  # a submodule: its id is a commit of another repository


@dataclass(frozen=True, slots=True)
class TrackedFile:
    """A path in git's index or a tree."""

    path: str
    blob: str  # an object id
    mode: FileMode
    is_absent: bool = False  # excluded by a sparse checkout


@dataclass(frozen=True, slots=True)
class WorktreeStatus:
    """Differences between a worktree, its index and its head. Paths are sorted, without submodules."""

    head: str | None  # None: no commit yet
    branch: str | None  # None: a commit is checked out, not a branch
    changed: tuple[str, ...]  # tracked, and the bytes on disk may differ from the index; unmerged paths too
    deleted: tuple[str, ...]  # tracked, and gone from disk
    untracked: tuple[str, ...]  # neither tracked nor ignored; not those of a repository within this one
    fingerprint: str  # equal fingerprints: nothing changed in between
    staged: tuple[str, ...] = ()  # tracked, and the index differs from the head, as of a renamed file that is unchanged


class UnreadReason(StrEnum):
    """Why a file of the worktree is not read."""

    SYMLINK = "symbolic link"
    NOT_REGULAR = "not a regular file"
    TOO_LARGE = "too large"
    UNREADABLE = "unreadable"
    VANISHED = "vanished"
