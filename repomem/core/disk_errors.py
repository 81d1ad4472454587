"""What failed on the disk, as an error with the next step: a full or read-only file system, a wrong owner or mode."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from repomem.core.errors import StoreError

FULL_HINT = "free some space and run the command again"
_DISK_HINTS = {
    errno.ENOSPC: FULL_HINT,
    errno.EDQUOT: FULL_HINT,
    errno.EROFS: "make the file system writable and run the command again",
}
DISK_HINT = "check the owner and mode of its folder, and that the disk is not full"


def disk_hint(error: OSError, otherwise: str) -> str:
    """What to do about a full or read-only disk; `otherwise` if it is neither."""
    return _DISK_HINTS.get(error.errno or 0, otherwise)


@contextmanager
def store_errors(action: str, path: Path, hint: str = DISK_HINT) -> Iterator[None]:
    """Turn an OSError into a StoreError, "cannot ACTION PATH"."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"cannot {action} {path}: {error.strerror}", disk_hint(error, hint)) from error
