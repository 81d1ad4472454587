"""Replace a file atomically and sync it to the disk; read one that may be anything."""

import os
import stat
from contextlib import suppress
from pathlib import Path

# Flags of os.open. Windows has neither O_NOFOLLOW nor O_NONBLOCK, and without O_BINARY it changes the ends of lines.
NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # a pipe without a writer would block the open itself


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
        draft.replace(path)
    except OSError:
        with suppress(OSError):  # on a full disk, each command would leave another
            draft.unlink()
        raise


def sync_path(path: Path) -> None:
    """Sync a file, or a folder's entries, to the disk. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
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
