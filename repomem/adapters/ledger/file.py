"""One copy of the ledger: a file of lines that are only added, and its lock.

What this module returns from is on the disk. A line that is no record, such as one that a power cut tore, is set
aside in a file beside it by the next writer; readers step over it.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from repomem.adapters.ledger.lines import BadLine, line_of, record_of_line
from repomem.core.errors import StoreError
from repomem.core.files import sync_path
from repomem.core.locks import try_lock
from repomem.core.records import Record
from repomem.core.secrets.redact import redact

FILE = "ledger"
LOCK = "ledger.lock"
DAMAGED = "ledger.damaged"
WAIT = 2.0  # seconds for another writer, who takes some milliseconds
MOST_BYTES = 1 << 30  # what is larger was not written by this program


@dataclass(frozen=True, slots=True)
class LedgerCopy:
    """What one copy holds."""

    folder: Path
    records: dict[str, Record]
    by_line: dict[bytes, Record]
    bad: tuple[bytes, ...]  # lines that are no records
    is_torn: bool = False  # its last line has no end

    @property
    def is_sound(self) -> bool:
        """Whether every byte belongs to a record."""
        return not self.bad and not self.is_torn


def read_copy(folder: Path, known: Mapping[bytes, Record] = MappingProxyType({})) -> LedgerCopy:
    """What the copy in a folder holds; nothing where there is none. Raises StoreError where it cannot be read.

    `known` has the records of lines that were read before: two copies are mostly the same, and reading JSON is dear.
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


def size_of(folder: Path) -> int:
    """Bytes of the copy in a folder; 0 where there is none that can be seen."""
    try:
        return (folder / FILE).stat().st_size
    except OSError:
        return 0


def stamp_of(folder: Path) -> str:
    """Another text whenever the copy in a folder was written; 0 where nothing can be seen of it."""
    try:
        found = (folder / FILE).stat()
    except OSError:
        return "0"
    return f"{found.st_size}.{found.st_mtime_ns}" if found.st_size else "0"  # a purge may leave the size as it was


def may_exist(folder: Path) -> bool:
    """Whether there is a folder, or something that does not let anybody look."""
    try:
        return stat.S_ISDIR(folder.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True


def damaged_lines(folder: Path) -> int:
    """How many lines were set aside."""
    return _bytes(folder / DAMAGED).count(b"\n")


@contextmanager
def locked(folder: Path, wait: float | None = None) -> Iterator[None]:
    """Hold a copy for one change, after `wait` seconds at most, or WAIT.

    Raises StoreError where its folder cannot be written, belongs to somebody else, or another does not let go.
    """
    with _told(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if hasattr(os, "getuid") and folder.stat().st_uid not in {os.getuid(), 0}:
            raise StoreError(f"{folder} belongs to another user", "move it away, or have its owner do so")
    with try_lock(folder / LOCK, WAIT if wait is None else wait) as is_held:
        if not is_held:
            raise StoreError("another repomem process holds the ledger", "wait for it, or end it if it hangs")
        yield


def add(copy: LedgerCopy, records: Iterable[Record]) -> None:
    """Append the records that the copy lacks, while it is locked; a failure leaves the file as it was."""
    if not copy.is_sound:
        _set_aside(copy)
    data = b"".join(line_of(record) for record in records if record.id not in copy.records)
    if not data:
        return
    path = copy.folder / FILE
    with _told(path), _opened(path, os.O_APPEND) as descriptor:
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
    """Put a new file in the place of the old one, while it is locked: a crash leaves the one or the other."""
    path = folder / FILE
    draft = path.with_name(f"{FILE}.new")
    with _told(path):
        with _opened(draft, os.O_TRUNC) as descriptor:
            _write(descriptor, b"".join(map(line_of, records)))
        draft.replace(path)
        _sync_folder(folder)


def drop_damaged(folder: Path) -> None:
    """Delete the lines that were set aside, and the draft that a crash may have left."""
    with _told(folder):
        for name in (DAMAGED, f"{FILE}.new"):
            (folder / name).unlink(missing_ok=True)


def has_damaged_secrets(folder: Path) -> bool:
    """Whether the lines that were set aside, or a lost draft, hold what looks like a secret."""
    return bool(_damaged_secrets(folder))


def drop_damaged_secrets(folder: Path) -> None:
    """Delete the lines that were set aside where one of them holds what looks like a secret; also a lost draft."""
    for path in _damaged_secrets(folder):
        with _told(path):
            path.unlink(missing_ok=True)


def _damaged_secrets(folder: Path) -> list[Path]:
    texts = {folder / name: _bytes(folder / name).decode("utf-8", "replace") for name in (DAMAGED, f"{FILE}.new")}
    return [path for path, text in texts.items() if redact(text) != text]


def _set_aside(copy: LedgerCopy) -> None:
    """Keep the good lines alone; people may look at the others."""
    path = copy.folder / DAMAGED
    with _told(path), _opened(path, os.O_APPEND) as descriptor:
        _write(descriptor, b"".join(line + b"\n" for line in copy.bad))
    replace(copy.folder, list(copy.records.values()))


@contextmanager
def _opened(path: Path, flag: int) -> Iterator[int]:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | flag, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
    os.fsync(descriptor)


def _sync_folder(folder: Path) -> None:
    """Make a new name in the folder durable, and the folder's own name, which may be as new, where that can be."""
    if os.name == "posix":
        sync_path(folder)
        with suppress(OSError):  # such as a parent that only lets pass
            sync_path(folder.parent)


def _bytes(path: Path) -> bytes:
    with _told(path, "read"):
        try:
            if path.stat().st_size > MOST_BYTES:
                raise StoreError(f"{path} is larger than a ledger can be", "move it away: its copies have the records")
            return path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return b""


@contextmanager
def _told(path: Path, deed: str = "write") -> Iterator[None]:
    try:
        yield
    except OSError as error:
        hint = "check the owner and mode of its folder, and that the disk is not full"
        raise StoreError(f"cannot {deed} {path}: {error.strerror}", hint) from error
