"""File events by inotify(7), through watchdog's bindings: one event queue, and a watch for each folder.

Watchdog's observers are not used: they would spend a thread on each tree, watch every folder below (`node_modules`
too), and pass over folders that the system refuses to watch.
"""

import ctypes
import errno
import os
import select
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from watchdog.observers.inotify_c import (
    InotifyConstants,
    Mask,
    WatchDescriptor,
    inotify_add_watch,
    inotify_init,
    inotify_rm_watch,
)

MOVED_CREATED_DELETED = InotifyConstants.IN_MOVE | InotifyConstants.IN_CREATE | InotifyConstants.IN_DELETE
FOLDERS_ONLY = InotifyConstants.IN_ONLYDIR | InotifyConstants.IN_DONT_FOLLOW | InotifyConstants.IN_EXCL_UNLINK
SAVES = Mask(  # not each write: a log that is written all day is never closed
    InotifyConstants.IN_CLOSE_WRITE | InotifyConstants.IN_ATTRIB | MOVED_CREATED_DELETED | FOLDERS_ONLY
)
LOST = InotifyConstants.IN_UNMOUNT | InotifyConstants.IN_Q_OVERFLOW | InotifyConstants.IN_IGNORED
VANISHED = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EACCES})  # since the folder was listed
REASONS = {errno.ENOSPC: "inotify watch limit reached", errno.EMFILE: "inotify instance limit reached"}
READ_SIZE = 1 << 16  # bytes of events
EVENT = struct.Struct("iIII")  # watch, mask, cookie, length of the name that follows


@dataclass(frozen=True, slots=True)
class FolderEvent:
    """A change in a watched folder."""

    watch: int
    name: str  # of the file or folder; empty for the watched folder itself
    is_of_folders: bool  # folders came or went, ignore rules changed, or events were lost
    is_overflow: bool  # events of any folder were lost


class InotifyQueue:
    """Watches on folders, and their events. Raises OSError if the system gives no instance."""

    def __init__(self) -> None:
        self._file = inotify_init()
        if self._file < 0:
            raise _failure()
        os.set_blocking(self._file, False)
        self._end = os.eventfd(0)

    def add(self, folders: Iterable[Path]) -> dict[int, Path]:
        """Watch these folders, except those that are gone. A watch follows its folder when that is renamed.

        Raises OSError if the system allows no more watches.
        """
        return {watch: folder for folder in folders if (watch := self._add(folder)) is not None}

    def remove(self, watches: Iterable[int]) -> None:
        """Drop watches, deleted folders' too."""
        for watch in watches:
            inotify_rm_watch(self._file, WatchDescriptor(watch))

    def read(self) -> Iterator[FolderEvent]:
        """All events that wait; does not block."""
        while data := self._data():
            at = 0
            while at < len(data):
                watch, mask, _, length = EVENT.unpack_from(data, at)
                at += EVENT.size
                name = os.fsdecode(data[at : at + length].rstrip(b"\0"))
                at += length
                is_of_folders = bool(mask & (LOST | InotifyConstants.IN_ISDIR)) or name == ".gitignore"
                is_overflow = bool(mask & InotifyConstants.IN_Q_OVERFLOW)
                yield FolderEvent(watch, name, is_of_folders, is_overflow)

    def wait(self) -> bool:
        """Block until there are events, or until `stop` is called: then false."""
        poller = select.poll()
        poller.register(self._file, select.POLLIN)
        poller.register(self._end, select.POLLIN)
        return all(file != self._end for file, _ in poller.poll())

    def stop(self) -> None:
        """End `wait` in another thread."""
        os.eventfd_write(self._end, 1)

    def close(self) -> None:
        """Drop all watches."""
        os.close(self._file)
        os.close(self._end)

    def _add(self, folder: Path) -> int | None:
        watch = inotify_add_watch(self._file, os.fsencode(folder), SAVES)
        if watch >= 0:
            return watch
        failure = _failure()
        if failure.errno not in VANISHED:
            raise failure
        return None

    def _data(self) -> bytes:
        try:
            return os.read(self._file, READ_SIZE)
        except BlockingIOError:
            return b""


def _failure() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, REASONS.get(number, os.strerror(number)))
