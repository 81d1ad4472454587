"""Other programs' files that get an entry of repomem's: read whole, and replaced atomically.

A link is followed and its target replaced; mode and owner stay. A change made between reading and writing is never
overwritten.
"""

import os
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from repomem.core.disk_errors import disk_hint
from repomem.core.errors import ForeignError
from repomem.core.files import move_over

MOST_BYTES = 4 << 20  # a settings file has some thousands
NEW_MODE = 0o644  # of a file that was not there, before the umask of its user's other files


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A file as read; `content` is None if it does not exist."""

    path: Path
    content: bytes | None


def read_foreign(path: Path) -> SettingsFile:
    """The file as read. Raises ForeignError if it is not a regular file, too large or unreadable."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise ForeignError(f"{path} is not a regular file", "replace it with a regular file; nothing was changed")
        if found.st_size > MOST_BYTES:
            raise ForeignError(f"{path} is larger than {MOST_BYTES >> 20} MB", "edit it by hand; nothing was changed")
        return SettingsFile(path, path.read_bytes())
    except FileNotFoundError:
        if path.is_symlink():
            raise ForeignError(f"{path} is a link to a file that does not exist", "repair the link first") from None
        return SettingsFile(path, None)
    except OSError as error:
        raise ForeignError(f"cannot read {path}: {error.strerror}", "check its owner and mode") from error


def replace_foreign(before: SettingsFile, content: bytes | None, mode: int = NEW_MODE) -> None:
    """Replace the file's content, or delete it if `content` is None, unless it changed since it was read.

    Creates missing folders. `mode` applies only to a new file. Raises ForeignError if the file was changed or cannot be
    written.
    """
    if read_foreign(before.path).content != before.content:
        raise ForeignError(f"{before.path} was changed by another program just now", "run the command again")
    if content == before.content:
        return
    try:
        if content is None:
            before.path.unlink()
        else:
            _written(Path(os.path.realpath(before.path)), content, mode)
    except OSError as error:
        hint = disk_hint(error, "check its owner and mode")
        raise ForeignError(f"cannot write {before.path}: {error.strerror}", hint) from error


def _make_folders(folder: Path) -> None:
    """Create missing folders with the usual mode, since this process's own umask is stricter."""
    if not folder.is_dir():
        _make_folders(folder.parent)
        folder.mkdir()
        folder.chmod(0o755)


def _written(path: Path, content: bytes, mode: int) -> None:
    """Write a temporary file, sync, rename over the old one: readers see the old bytes or the new ones."""
    _make_folders(path.parent)
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else mode
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(13, "it is read-only")
    descriptor, beside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(beside, mode)  # noqa: PTH101  # mkstemp makes it private
        move_over(Path(beside), path)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)  # noqa: PTH108
        raise
