"""The live files of a worktree or a commit: the places where an anchor can be."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from repomem.adapters.git.attributes import line_ends
from repomem.adapters.git.objects import blob_id
from repomem.adapters.git.worktree import read_file, status, tracked
from repomem.core.types.worktree import UnreadReason
from repomem.workspace.snapshot import Snapshot
from repomem.workspace.workspace import Workspace


@dataclass(slots=True)
class LiveFiles:
    """The live files at one revision."""

    workspace: Workspace
    head: str
    blobs: Mapping[str, str]  # path to blob, of every live file
    dirty: Sequence[str] = ()  # paths whose blob git may not have


def live_files_of(snapshot: Snapshot) -> LiveFiles:
    """The files of the indexed worktree, or of the commit that the snapshot looks at."""
    if snapshot.past:
        return LiveFiles(snapshot.workspace, snapshot.past.commit, snapshot.past.blobs)
    if not snapshot.worktree.fingerprint:  # the index is incomplete: a file that it lacks is not deleted
        return live_files_now(snapshot.workspace)
    return LiveFiles(snapshot.workspace, snapshot.head, snapshot.tree.blobs, snapshot.dirty_paths)


def live_files_at(workspace: Workspace, commit: str) -> LiveFiles:
    """The files of a commit, read from git."""
    return LiveFiles(workspace, commit, {file.path: file.blob for file in tracked(workspace.repository, commit)})


def live_files_now(workspace: Workspace) -> LiveFiles:
    """The files of the worktree, read from git and from disk without the index."""
    worktree = status(workspace.repository)
    blobs = {file.path: file.blob for file in tracked(workspace.repository) if file.path not in worktree.deleted}
    dirty = [*worktree.changed, *worktree.untracked, *worktree.staged]
    blobs |= {path: blob for path, blob, _ in stored_files(workspace, dirty)}
    return LiveFiles(workspace, worktree.head or "", blobs, dirty)


def stored_bytes(workspace: Workspace, path: str) -> tuple[str, bytes] | None:
    """Blob and bytes of a worktree file as git would store it; None if it cannot be read."""
    return next(((blob, data) for _, blob, data in stored_files(workspace, [path])), None)


def stored_files(workspace: Workspace, paths: Sequence[str]) -> Iterator[tuple[str, str, bytes]]:
    """Path, blob and bytes of the worktree files that can be read, as git would store them; git is asked once."""
    if not paths:
        return
    repository = workspace.repository
    ends = line_ends(repository, dict.fromkeys(paths))
    for path in paths:
        data = read_file(repository, path, workspace.loaded.config.index.max_file_kb * 1024)
        if not isinstance(data, UnreadReason):
            stored = ends.stored(path, data)
            yield path, blob_id(stored, repository.object_format), stored
