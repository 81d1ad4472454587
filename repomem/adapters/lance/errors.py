"""Converts LanceDB's errors: damage becomes StoreDamaged; permissions, space and limits become StoreError."""

import errno
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import pyarrow as pa

from repomem.core.disk_errors import FULL_HINT
from repomem.core.errors import StoreDamaged, StoreError, first_line

_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN: Final = (errno.EACCES, errno.EPERM, errno.EROFS)
_SHORT: Final = (errno.EAGAIN, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM)


@contextmanager
def translated(folder: Path, table: str = "") -> Iterator[None]:
    """Translate LanceDB's errors within the block; `table` names the damaged table, if it is known."""
    try:
        yield
    except StoreError:
        raise
    except (RuntimeError, ValueError, OSError, KeyError, MemoryError, pa.ArrowException, *panics()) as error:
        refusal = _refusal(error)
        if refusal in _FULL:
            raise StoreError("the disk is full", FULL_HINT) from error
        if (refusal is None or refusal in _FORBIDDEN) and _lacks_links(folder):
            raise StoreError(
                f"the file system of {folder} has no hard links, which LanceDB needs to commit",
                "keep the index on another file system: set REPOMEM_STORE_URI=FOLDER, or store.uri",
            ) from error
        if refusal in _FORBIDDEN:
            raise StoreError(f"cannot write the index in {folder}", "check the folder's owner and mode") from error
        if refusal is not None:
            raise StoreError(
                f"the index cannot be used now: {os.strerror(refusal)}", "check the machine's limits (ulimit -a)"
            ) from error
        raise StoreDamaged(f"the index in {folder} cannot be used: {first_line(error)}", table=table) from error


def _lacks_links(folder: Path) -> bool:
    """Whether files can be created in the folder but no hard links, as on exFAT."""
    with suppress(OSError), tempfile.TemporaryDirectory(dir=folder) as probe:  # other errors are not about links
        (Path(probe) / "file").touch()
        try:
            (Path(probe) / "link").hardlink_to(Path(probe) / "file")
        except OSError:
            return True
    return False


def _refusal(error: Exception) -> int | None:
    """The errno behind an error of LanceDB, if it is about the machine rather than the files."""
    if isinstance(error, MemoryError) or "can't start new thread" in str(error):
        return errno.ENOMEM
    match = re.search(r"os error (\d+)", str(error))
    number = int(match[1]) if match else getattr(error, "errno", None)
    return number if number in (*_FULL, *_FORBIDDEN, *_SHORT) else None


def panics() -> tuple[type[Exception], ...]:
    """The class by which a panic in LanceDB's threads comes up, as some flipped bytes cause; no module exports it."""
    return tuple(each for each in Exception.__subclasses__() if each.__name__ == "RustPanic")
