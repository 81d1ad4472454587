"""Notes that a run leaves to the one that is on: my work tree has changed too, index it for me.

A note is a file named after the work tree that holds its path. Who serves it takes it before reading the work tree,
so that a note left from then on is of a later change.
"""

import hashlib
from contextlib import suppress
from pathlib import Path

from repomem.workspace.workspace import Workspace


def leave_note(workspace: Workspace) -> None:
    """Ask the run that is on to index this work tree."""
    path = _note_of(workspace.folder, workspace.root)
    with suppress(OSError):  # a full disk: the next run sees the change by itself
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.write_bytes(_encoded(workspace.root))


def take_note(workspace: Workspace, root: str) -> None:
    """Take the note of a work tree that is about to be indexed."""
    _note_of(workspace.folder, root).unlink(missing_ok=True)


def waiting_root(workspace: Workspace) -> str:
    """A work tree that waits to be indexed, or empty where none does."""
    for note in sorted((workspace.folder / "waiting").glob("*")):
        root = _written_in(note)
        if note == _note_of(workspace.folder, root):
            return root
        note.unlink(missing_ok=True)  # cut off while it was written: nobody can be served
    return ""


def _written_in(note: Path) -> str:
    try:
        return note.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:  # taken meanwhile
        return ""


def _note_of(folder: Path, root: str) -> Path:
    return folder / "waiting" / hashlib.blake2b(_encoded(root), digest_size=8).hexdigest()


def _encoded(root: str) -> bytes:
    return root.encode("utf-8", "surrogateescape")
