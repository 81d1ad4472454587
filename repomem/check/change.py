"""The change to check: its range, commits, files and lines, and the files before it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from repomem.adapters.git.file_history import blobs_at
from repomem.adapters.git.hunks import between
from repomem.adapters.git.log import commit_time, log
from repomem.adapters.git.objects import blobs_of
from repomem.adapters.git.ranges import Range, commits_in, renames_between
from repomem.adapters.git.repository import Repository
from repomem.adapters.git.worktree import read_file, status
from repomem.adapters.languages.classify import text_of
from repomem.core.errors import GitError
from repomem.core.grouping import grouped_by
from repomem.core.types.commits import Episode, Hunk
from repomem.core.types.worktree import UnreadReason
from repomem.history.lines.patch_lines import line_hash
from repomem.history.log_parsing import episode_of
from repomem.workspace.workspace import Workspace

PARTIAL = "this clone is partial and lacks files that the change needs"
MOST_TOLD = 500  # commits of a range whose messages are read


@dataclass(frozen=True)
class CheckedChange:
    """The change to check. Paths are those at its head; a deleted file has its old path."""

    repository: Repository
    range: Range
    hunks: Sequence[Hunk]
    renames: Mapping[str, str]  # path to the path before

    @cached_property
    def commits(self) -> list[str]:
        """The commits of the range, newest first."""
        return commits_in(self.repository, self.range)

    @cached_property
    def episodes(self) -> list[Episode]:
        """The commits of the range as episodes, with their messages."""
        return [episode_of(record) for record in log(self.repository, self.commits[:MOST_TOLD])]

    @cached_property
    def time(self) -> int:
        """The commit time of its head, in seconds since 1970; the clock is not used, so that results are repeatable."""
        return commit_time(self.repository, self.range.head)

    @cached_property
    def by_path(self) -> Mapping[str, list[Hunk]]:
        """The hunks of each file."""
        return grouped_by(self.hunks, lambda hunk: hunk.path)

    @cached_property
    def removed(self) -> set[int]:
        """Hashes of all lines that it removes; an added line among them was moved."""
        return {line_hash(line) for hunk in self.hunks for line in hunk.removed_lines}

    @cached_property
    def added_text(self) -> str:
        """All added lines in lower case, for a fast first test."""
        return "\n".join(line for hunk in self.hunks for line in hunk.added).lower()

    def old_path(self, path: str) -> str:
        """The path of a file before the change."""
        return self.renames.get(path, path)

    def texts_before(self, paths: Iterable[str]) -> dict[str, str]:
        """The texts of these files before the change, without new files."""
        wanted = list(dict.fromkeys(paths))
        places = [(self.range.base, self.old_path(path)) for path in wanted]
        blobs = dict(zip(wanted, blobs_at(self.repository, places), strict=True))
        known = {blob: text_of(data) or "" for blob, data in blobs_of(self.repository, filter(None, blobs.values()))}
        return {path: known[blob] for path, blob in blobs.items() if blob in known}


def change_of(workspace: Workspace, span: Range) -> CheckedChange:
    """The change of a range. GitError if a partial clone lacks its files."""
    repository = workspace.repository
    most = workspace.loaded.config.index.max_file_kb * 1024
    head = "" if span.has_worktree else span.head
    try:
        hunks = list(between(repository, span.base, head))
        renames = renames_between(repository, span.base, head)
    except GitError as error:
        if repository.is_partial:
            raise GitError(PARTIAL, "clone without --filter, also in a CI job") from error
        raise
    if span.has_worktree:
        hunks += _untracked(repository, most)
    return CheckedChange(repository, span, hunks, renames)


def _untracked(repository: Repository, most: int) -> list[Hunk]:
    """Untracked files as added hunks."""
    found = []
    for path in status(repository).untracked:
        data = read_file(repository, path, most)
        text = None if isinstance(data, UnreadReason) else text_of(data)
        if text:
            found.append(Hunk("", path, "", tuple(text.splitlines()), 0, 1))
    return found
