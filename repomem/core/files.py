"""Replace a file atomically and sync it to the disk; append to one; read one that may be anything.

What Windows does differently is here: flags, files that cannot be replaced while open, folders that cannot be synced.
"""

import os
import stat
import time
from contextlib import suppress
from pathlib import Path

# Flags of os.open. Windows has neither O_NOFOLLOW nor O_NONBLOCK, and without O_BINARY it changes the ends of lines.
NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # a pipe without a writer would block the open itself
REPLACE_SECONDS = 1.0 if os.name == "nt" else 0.0  # Windows replaces no open file; readers of ours take milliseconds
REPLACE_POLL = 0.01  # seconds


def replace_file(path: Path, data: bytes, *, is_synced: bool = True) -> None:
    """Replace a file atomically, readable by its owner only: a crash leaves the old file or the new one.

    Without `is_synced`, a power failure may lose both. Raises OSError.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(data)
            if is_synced:
                file.flush()
                os.fsync(file.fileno())
        move_over(draft, path)
    except OSError:
        with suppress(OSError):  # on a full disk, each command would leave another
            draft.unlink()
        raise


def append_to(path: Path, data: bytes, most: int | None = None) -> None:
    """Append to a file in one write, unless it would then have more than `most` bytes. Raises OSError.

    A new file is readable by its owner only.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | NO_LINK, 0o600)
    try:
        if most is None or os.fstat(descriptor).st_size + len(data) <= most:
            os.write(descriptor, data)
    finally:
        os.close(descriptor)


def move_over(draft: Path, path: Path) -> None:
    """Rename a file over another in one step; on Windows, once no reader has that open. Raises OSError."""
    until = time.monotonic() + REPLACE_SECONDS
    while True:
        try:
            draft.replace(path)
            return
        except PermissionError:
            if time.monotonic() >= until:
                raise
        time.sleep(REPLACE_POLL)


def delete_files_in(folder: Path, pattern: str = "*") -> None:
    """Delete the files of a folder, if it exists. Raises OSError."""
    for path in folder.glob(pattern):
        path.unlink(missing_ok=True)


def sync_path(path: Path) -> None:
    """Sync a file, or a folder's entries where the system can, to the disk. Raises OSError."""
    is_windows = os.name == "nt"
    if is_windows and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDWR if is_windows else os.O_RDONLY)  # Windows syncs only what may be written
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def bytes_of(path: Path, largest: int) -> bytes:
    """The content of a regular file of at most `largest` bytes; empty for anything else: a pipe would block."""
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | NO_LINK | NO_WAIT)
        with os.fdopen(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            if stat.S_ISREG(found.st_mode) and found.st_size <= largest:
                return file.read(largest)
    return b""
