"""The commits that touched a file, and the files that a commit changed; git is asked once for each."""

from dataclasses import dataclass, field
from typing import NamedTuple

from repomem.adapters.git.file_history import Change, FileRevision, blobs_at, changes, steps
from repomem.adapters.languages.file_roles import role_of
from repomem.core.types.code import Role
from repomem.memories.anchors.live_files import LiveFiles

MOST_CANDIDATES = 60  # files of one commit that are searched for a symbol that left its file
COPIES = frozenset({Role.GENERATED, Role.VENDORED})


class CandidateFile(NamedTuple):
    """A file that may contain code that left another file."""

    path: str
    blob: str
    old_blob: str  # of the same path before; empty for a new file


@dataclass(slots=True)
class Commits:
    """The commits up to the revision of the live files."""

    files: LiveFiles
    _steps: dict[tuple[str, str], list[FileRevision]] = field(default_factory=dict)
    _changes: dict[str, list[Change]] = field(default_factory=dict)

    def touching(self, path: str, start: str) -> list[FileRevision]:
        """The commits after `start` that touched a path, oldest first."""
        if not self.files.head:
            return []
        if (path, start) not in self._steps:
            self._steps[path, start] = steps(self.files.workspace.repository, path, start, self.files.head)
        return self._steps[path, start]

    def changes_of(self, commit: str) -> list[Change]:
        """The files that a commit changed."""
        if commit not in self._changes:
            self._changes[commit] = changes(self.files.workspace.repository, commit)
        return self._changes[commit]

    def blob_before(self, commit: str, path: str) -> str:
        """The blob of a path before a commit; empty if there was none."""
        return blobs_at(self.files.workspace.repository, [(f"{commit}^", path)])[0]

    def candidates(self, commit: str, path: str) -> list[CandidateFile]:
        """The other files that a commit wrote; the one that `path` was renamed to comes first."""
        changed = self.changes_of(commit)
        written = [each for each in changed if each.blob and each.file.path != path and _may_go(path, each.file.path)]
        near = sorted(written, key=lambda each: not is_rename_of(each, path))[:MOST_CANDIDATES]
        return [CandidateFile(each.file.path, each.blob, each.old_blob) for each in near]

    def renames(self, commit: str, path: str) -> list[str]:
        """The paths that a commit renamed `path` to."""
        return [each.file.path for each in self.changes_of(commit) if is_rename_of(each, path)] if commit else []

    def dirty_files(self) -> list[CandidateFile]:
        """The uncommitted files of the worktree."""
        paths = [path for path in self.files.dirty if path in self.files.blobs][:MOST_CANDIDATES]
        head = self.files.head
        old = blobs_at(self.files.workspace.repository, [(head, path) for path in paths]) if head else [""] * len(paths)
        return [CandidateFile(path, self.files.blobs[path], blob) for path, blob in zip(paths, old, strict=True)]


def is_rename_of(change: Change, path: str) -> bool:
    """Whether a change renamed `path`."""
    return change.file.status == "R" and change.file.old_path == path


def _may_go(old: str, new: str) -> bool:
    """Whether code may have moved from one file to another: generated and vendored files only hold copies."""
    role = role_of(new, "", {})
    return role not in COPIES or role is role_of(old, "", {})
