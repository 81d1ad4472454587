"""Notes to the index run in progress: index this worktree too.

A note is a file that contains the worktree's path and is named by its hash. It is removed before the worktree is read,
so a note left afterwards is about a later change.
"""

from contextlib import suppress
from pathlib import Path

from repomem.core.digests import short_digest
from repomem.workspace.workspace import Workspace


def leave_note(workspace: Workspace) -> None:
    """Ask the run in progress to index this worktree."""
    path = _note_of(workspace.folder, workspace.root)
    with suppress(OSError):  # a full disk: the next run sees the change anyway
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.write_bytes(workspace.root.encode("utf-8", "surrogateescape"))


def take_note(workspace: Workspace, root: str) -> None:
    """Remove the note of a worktree that is about to be indexed."""
    _note_of(workspace.folder, root).unlink(missing_ok=True)


def pending_root(workspace: Workspace) -> str:
    """A worktree with a note, or empty."""
    for note in sorted((workspace.folder / "waiting").glob("*")):
        root = _written_in(note)
        if note == _note_of(workspace.folder, root):
            return root
        note.unlink(missing_ok=True)  # cut off while it was written: no worktree to serve
    return ""


def _written_in(note: Path) -> str:
    try:
        return note.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:  # removed meanwhile
        return ""


def _note_of(folder: Path, root: str) -> Path:
    return folder / "waiting" / short_digest(root)
