"""File events for a server: read before each answer, without a thread that could lag behind.

The system queues an event before the call that makes a change returns, so every change is in the queue when it is read.
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from repomem.recall.server import FolderChanges

if TYPE_CHECKING:
    from repomem.recall.server import EventPoll


def open_poll(top: Path) -> "EventPoll | None":
    """The file events of a worktree; None if the system does not report every change there."""
    if sys.platform != "linux":
        return None
    from repomem.adapters.watcher.inotify import is_local  # with watchdog: later than the first answer

    try:
        return InotifyPoll() if is_local(top) else None
    except OSError:
        return None


class InotifyPoll:
    """See `recall.server.EventPoll`. Raises OSError if the system gives no instance."""

    def __init__(self) -> None:
        from repomem.adapters.watcher.inotify import WRITES, InotifyQueue

        self._queue = InotifyQueue(WRITES)
        self._watches: set[int] = set()

    def watch(self, folders: Iterable[Path]) -> None:
        """See the port."""
        watches = set(self._queue.add(folders))
        dropped, self._watches = self._watches - watches, watches
        self._queue.remove(dropped)

    def changes(self) -> FolderChanges:
        """See the port."""
        changes = FolderChanges.NONE
        for event in self._queue.read():
            if event.watch not in self._watches and not event.is_overflow:
                continue  # of a folder that is no longer watched
            if event.is_of_folders:
                changes = FolderChanges.FOLDERS
            elif changes is FolderChanges.NONE:
                changes = FolderChanges.FILES
        return changes

    def close(self) -> None:
        """See the port."""
        self._queue.close()
