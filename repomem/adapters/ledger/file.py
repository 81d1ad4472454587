"""One copy of the ledger: an append-only file of lines, and its lock.

Every write is synced before its function returns. Readers skip damaged lines, such as one that a power cut tore; the
next writer moves them to a separate file.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from repomem.adapters.ledger.lines import BadLine, line_of, record_of_line
from repomem.core.disk_errors import store_errors
from repomem.core.errors import StoreError
from repomem.core.files import NO_LINK, move_over, sync_path
from repomem.core.processes.locks import try_lock
from repomem.core.processes.owners import is_own_or_root
from repomem.core.records import Record
from repomem.core.secrets.redact import redact

FILE = "ledger"
LOCK = "ledger.lock"
DAMAGED = "ledger.damaged"
WAIT = 2.0  # seconds to wait for another writer, which takes milliseconds
MOST_BYTES = 1 << 30  # repomem never writes a larger file


@dataclass(frozen=True, slots=True)
class LedgerCopy:
    """The content of one copy."""

    folder: Path
    records: dict[str, Record]
    by_line: dict[bytes, Record]
    bad: tuple[bytes, ...]  # damaged lines
    is_torn: bool  # the last line has no line feed

    @property
    def is_sound(self) -> bool:
        """Whether there are no damaged lines."""
        return not self.bad and not self.is_torn


def read_copy(folder: Path, known: Mapping[bytes, Record] = MappingProxyType({})) -> LedgerCopy:
    """Read the copy in a folder, which may be absent. Raises StoreError if it cannot be read.

    `known` maps lines to records already parsed: copies are mostly equal, and parsing JSON is slow.
    """
    *lines, rest = _bytes(folder / FILE).split(b"\n")
    by_line: dict[bytes, Record] = {}
    bad = []
    for line in (*lines, *([rest] if rest else [])):
        try:
            by_line[line] = known.get(line) or record_of_line(line)
        except BadLine:
            bad.append(line)
    return LedgerCopy(
        folder, {record.id: record for record in by_line.values()}, by_line, tuple(bad), is_torn=bool(rest)
    )


def readable_data(folder: Path) -> bytes:
    """The bytes of the copy in a folder; empty if it is absent or cannot be read."""
    try:
        return _bytes(folder / FILE)
    except StoreError:
        return b""


def size_of(folder: Path) -> int:
    """Size of the copy in a folder in bytes; 0 if it is absent or not accessible."""
    try:
        return (folder / FILE).stat().st_size
    except OSError:
        return 0


def stamp_of(folder: Path) -> str:
    """A text that changes with every write; "0" if the copy is absent, empty or not accessible."""
    try:
        status = (folder / FILE).stat()
    except OSError:
        return "0"
    return f"{status.st_size}.{status.st_mtime_ns}" if status.st_size else "0"  # a purge may keep the size


def may_exist(folder: Path) -> bool:
    """Whether the folder exists, or cannot be accessed."""
    try:
        return stat.S_ISDIR(folder.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True


def damaged_lines(folder: Path) -> list[bytes]:
    """The damaged lines set aside."""
    return _bytes(folder / DAMAGED).splitlines()


@contextmanager
def locked(folder: Path, wait: float | None = None) -> Iterator[None]:
    """Hold the lock of a copy, waiting at most `wait` seconds (None: WAIT).

    Raises StoreError if the folder cannot be written or belongs to another user, or the lock is not released.
    """
    with store_errors("write", folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not is_own_or_root(folder.stat()):
            raise StoreError(f"{folder} belongs to another user", "move it away, or ask its owner to move it")
    with try_lock(folder / LOCK, WAIT if wait is None else wait) as is_held:
        if not is_held:
            raise StoreError("another repomem process has locked the ledger", "wait for it, or end it if it hangs")
        yield


def add(copy: LedgerCopy, records: Iterable[Record]) -> None:
    """Append the records that the locked copy lacks; a failure leaves the file unchanged."""
    if not copy.is_sound:
        _set_aside(copy)
    data = b"".join(line_of(record) for record in records if record.id not in copy.records)
    if not data:
        return
    path = copy.folder / FILE
    with store_errors("write", path), _opened(path, os.O_APPEND) as descriptor:
        size = os.fstat(descriptor).st_size
        try:
            _write(descriptor, data)
        except OSError:
            with suppress(OSError):
                os.ftruncate(descriptor, size)
            raise
        if not size:
            _sync_folder(copy.folder)


def replace(folder: Path, records: Sequence[Record]) -> None:
    """Replace the file of a locked copy: a crash leaves the old one or the new one."""
    path = folder / FILE
    draft = path.with_name(f"{FILE}.new")
    with store_errors("write", path):
        with _opened(draft, os.O_TRUNC) as descriptor:
            _write(descriptor, b"".join(map(line_of, records)))
        move_over(draft, path)
        _sync_folder(folder)


def drop_damaged(folder: Path) -> None:
    """Delete the lines set aside, and a draft left by a crash."""
    with store_errors("write", folder):
        for name in (DAMAGED, f"{FILE}.new"):
            (folder / name).unlink(missing_ok=True)


def drop_damaged_secrets(folder: Path) -> None:
    """Delete the file of lines set aside, and a draft left by a crash, if it contains a secret."""
    for path in damaged_secrets(folder):
        with store_errors("write", path):
            path.unlink(missing_ok=True)


def damaged_secrets(folder: Path) -> list[Path]:
    """The file of lines set aside, and a draft left by a crash, if it contains a secret."""
    texts = {folder / name: _bytes(folder / name).decode("utf-8", "replace") for name in (DAMAGED, f"{FILE}.new")}
    return [path for path, text in texts.items() if redact(text) != text]


def _set_aside(copy: LedgerCopy) -> None:
    """Move damaged lines to a separate file, where people may inspect them."""
    path = copy.folder / DAMAGED
    with store_errors("write", path), _opened(path, os.O_APPEND) as descriptor:
        _write(descriptor, b"".join(line + b"\n" for line in copy.bad))
    replace(copy.folder, list(copy.records.values()))


@contextmanager
def _opened(path: Path, flag: int) -> Iterator[int]:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | NO_LINK | flag, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
    os.fsync(descriptor)


def _sync_folder(folder: Path) -> None:
    """Sync the folder, and its parent if possible, since the folder may be new too."""
    sync_path(folder)
    with suppress(OSError):  # such as a parent without read permission
        sync_path(folder.parent)


def _bytes(path: Path) -> bytes:
    with store_errors("read", path):
        try:
            if path.stat().st_size > MOST_BYTES:
                raise StoreError(f"{path} is larger than a ledger can be", "move it away: its copies have the records")
            return path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return b""
