"""The folder of ledger, catalog and locks, in the git common directory; nobody else may write there."""

import os
import stat
from pathlib import Path

from repomem.adapters.git.repository import Repository
from repomem.core.errors import StoreError

FOLDER = "repomem"  # in the git common directory: shared by all worktrees, tracked by none


def private_folder(repository: Repository) -> Path:
    """The data folder of a repository, created if missing. Raises StoreError if others may write there."""
    folder = repository.common_dir / FOLDER
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"cannot make the folder {folder}: {error.strerror}", "check the owner and mode of the git directory"
        ) from error
    if not folder.is_dir() or folder.is_symlink():
        raise StoreError(f"{folder} is not a folder", "move it away and run the command again")
    found = folder.stat()
    if hasattr(os, "getuid") and found.st_uid not in (os.getuid(), 0):
        raise StoreError(
            f"{folder} belongs to another user",
            "move it away, or ask its owner to move it: other users could change the index",
        )
    if found.st_mode & stat.S_IWOTH:
        raise StoreError(
            f"{folder} is writable by everyone", f"delete it or, if you trust its content, run chmod 700 {folder}"
        )
    return folder
