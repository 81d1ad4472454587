"""Ears of a server: inotify, asked once before an answer, and without a thread that would hear late.

The system queues a change before the call that makes it returns, so what a look may overlook is there when it is asked
for. What no queue tells of (another machine's write, a mapped file) is for looks that come all the same.
"""

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from repomem.recall.server import Heard

if TYPE_CHECKING:
    from watchdog.observers.inotify_c import WatchDescriptor

    from repomem.recall.server import Ears

LOCAL = frozenset({"bcachefs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "overlay", "tmpfs", "xfs", "zfs"})
AT_ONCE = 1 << 16  # bytes of events
IS_FOLDER = 0x40000000  # the numbers of inotify(7): watchdog's names for them would be imported before they are used
CAME_OR_WENT = 0x000003C0  # IN_MOVED_FROM, IN_MOVED_TO, IN_CREATE, IN_DELETE
LOST = 0x0000E000  # IN_UNMOUNT, IN_Q_OVERFLOW, IN_IGNORED
OVERFLOW = 0x00004000
HEARD = 0x07000006 | CAME_OR_WENT  # IN_MODIFY, IN_ATTRIB; only folders, no links, nothing of what is deleted
VANISHED = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EACCES})
EVENT = struct.Struct("iIII")  # watch, mask, cookie, length of the name that follows


def listen(top: Path) -> "Ears | None":
    """Ears for a work tree; None where the system tells of no changes there, or not of all."""
    if sys.platform != "linux" or _file_system(top) not in LOCAL:
        return None
    try:
        return InotifyEars()
    except OSError:
        return None


class InotifyEars:
    """See `recall.server.Ears`. Raises OSError where the system gives no instance."""

    def __init__(self) -> None:
        from watchdog.observers.inotify_c import inotify_init

        self._queue = inotify_init()
        if self._queue < 0:
            raise _failure()
        os.set_blocking(self._queue, False)
        self._watches: set[WatchDescriptor] = set()

    def attend(self, folders: Iterable[Path]) -> None:
        """See the port."""
        from watchdog.observers.inotify_c import inotify_rm_watch

        watches = set(filter(None, map(self._watch, folders)))
        gone, self._watches = self._watches - watches, watches
        for watch in gone:
            inotify_rm_watch(self._queue, watch)

    def heard(self) -> Heard:
        """See the port."""
        heard = Heard.NOTHING
        for watch, mask, name in self._events():
            if watch not in self._watches and not mask & OVERFLOW:
                continue  # of a folder that was left alone
            if _is_of_folders(mask) or name == b".gitignore":
                heard = Heard.FOLDERS
            elif heard is Heard.NOTHING:
                heard = Heard.CHANGES
        return heard

    def close(self) -> None:
        """See the port."""
        os.close(self._queue)

    def _watch(self, folder: Path) -> "WatchDescriptor | None":
        """Listen in a folder; None where it has gone since it was listed."""
        from watchdog.observers.inotify_c import inotify_add_watch

        watch = inotify_add_watch(self._queue, os.fsencode(folder), HEARD)
        if watch >= 0:
            return watch
        failure = _failure()
        if failure.errno not in VANISHED:
            raise failure
        return None

    def _events(self) -> Iterator[tuple[int, int, bytes]]:
        """All that waits in the queue: watch, mask, name."""
        while data := self._read():
            at = 0
            while at < len(data):
                watch, mask, _, length = EVENT.unpack_from(data, at)
                at += EVENT.size
                yield watch, mask, data[at : at + length].rstrip(b"\0")
                at += length

    def _read(self) -> bytes:
        try:
            return os.read(self._queue, AT_ONCE)
        except BlockingIOError:
            return b""


def _is_of_folders(mask: int) -> bool:
    return bool(mask & LOST or (mask & IS_FOLDER and mask & CAME_OR_WENT))


def _failure() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))


def _file_system(path: Path) -> str:
    """The type of the file system that holds a path; empty where the system does not say."""
    try:
        lines = Path("/proc/self/mountinfo").read_bytes().splitlines()
    except OSError:
        return ""
    found = max(
        (mount for line in lines if _holds((mount := _mount(line))[0], path)), key=lambda one: len(one[0].parts)
    )
    return found[1]


def _mount(line: bytes) -> tuple[Path, str]:
    """Where it is mounted, and its type: the fifth field, and the first behind the dash."""
    fields, _, rest = line.partition(b" - ")
    return Path(os.fsdecode(fields.split()[4].decode("unicode_escape").encode("latin-1"))), rest.split()[0].decode()


def _holds(folder: Path, path: Path) -> bool:
    return path.is_relative_to(folder)
