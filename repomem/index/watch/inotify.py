"""Ears by inotify: one instance and one thread for all work trees, and a watch for each folder that counts.

Watchdog's observers would spend a thread on each tree, watch every folder below, `node_modules` too, and pass over
those that the system refuses. This stands on the layer below them, which does none of it.
"""

import errno
import logging
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from watchdog.observers.inotify_c import CallbackId, InotifyConstants, InotifyEvent, InotifyFD, Mask, WatchDescriptor

from repomem.index.watch.watch import Changed, Mailbox, Place, is_telling

HEARD = Mask(
    InotifyConstants.IN_CLOSE_WRITE  # not IN_MODIFY: a log that is written all day is never closed
    | InotifyConstants.IN_ATTRIB
    | InotifyConstants.IN_MOVE
    | InotifyConstants.IN_CREATE
    | InotifyConstants.IN_DELETE
    | InotifyConstants.IN_ONLYDIR
    | InotifyConstants.IN_DONT_FOLLOW
    | InotifyConstants.IN_EXCL_UNLINK
)
VANISHED = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})  # since it was listed: its parent tells of it

Inode = tuple[int, int]  # device and number: a watch follows its folder when that is renamed


@dataclass(slots=True)
class Ear:
    """Listens in one folder; watchdog calls it from its thread."""

    root: str
    is_git: bool
    inode: Inode
    mailbox: Mailbox
    siblings: dict[Inode, "Ear"]
    id: CallbackId
    watch: WatchDescriptor = field(init=False)

    def on_event(self, event: InotifyEvent) -> None:
        """Something in the folder has changed, or the folder itself."""
        name = os.fsdecode(event.name)
        if is_telling(name, is_git=self.is_git):
            self.mailbox.put(Changed(self.root, event.is_directory or name == ".gitignore"))

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:  # noqa: ARG002  # the protocol's signature
        """The folder is gone."""
        self.siblings.pop(self.inode, None)
        self.mailbox.put(Changed(self.root, is_of_folders=True))

    def on_queue_overflow(self) -> None:
        """Changes went unheard."""
        self.mailbox.put(Changed(self.root, is_of_folders=True))


@dataclass(slots=True)
class InotifyEars:
    """See the port. Raises OSError where the system gives no instance."""

    mailbox: Mailbox
    name: str = "inotify"
    _inotify: InotifyFD = field(default_factory=InotifyFD)
    _ears: dict[str, dict[Inode, Ear]] = field(default_factory=dict)  # by work tree
    _ids: "count[int]" = field(default_factory=count)

    def __post_init__(self) -> None:
        logging.getLogger("watchdog").setLevel(logging.CRITICAL)  # an overflow is dealt with, not told
        self._inotify.start()

    def attend(self, root: str, places: Iterable[Place]) -> None:
        """See the port."""
        ears = self._ears.setdefault(root, {})
        wanted = {inode: place for place in places if (inode := _inode(place.path))}
        gone = [ears.pop(inode) for inode in list(ears) if inode not in wanted]
        self._inotify.remove_callbacks([(ear.watch, ear.id) for ear in gone])
        for inode, place in wanted.items():
            if inode not in ears:
                self._add(Ear(root, place.is_git, inode, self.mailbox, ears, CallbackId(next(self._ids))), place.path)

    def close(self) -> None:
        """See the port."""
        self._inotify.stop()
        self._inotify.join()

    def _add(self, ear: Ear, path: Path) -> None:
        ear.siblings[ear.inode] = ear
        try:
            ear.watch = self._inotify.add_callback(os.fsencode(path), HEARD, ear, ear.id)
        except OSError as error:
            del ear.siblings[ear.inode]
            if error.errno not in VANISHED:
                raise


def _inode(path: Path) -> Inode | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
