"""A file watcher by inotify: one queue and one thread for all worktrees."""

from collections.abc import Iterable
from threading import Lock, Thread

from repomem.adapters.watcher.inotify import InotifyQueue
from repomem.index.watch.events import Changed, EventQueue, WatchedFolder, is_relevant


class InotifyWatcher:
    """See `watch.FileWatcher`. Raises OSError if the system gives no instance."""

    name = "inotify"

    def __init__(self, events: EventQueue) -> None:
        self._events = events
        self._inotify = InotifyQueue()
        self._folders: dict[str, dict[int, WatchedFolder]] = {}  # by worktree
        self._lock = Lock()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def watch(self, root: str, folders: Iterable[WatchedFolder]) -> None:
        by_path = {folder.path: folder for folder in folders}
        with self._lock:  # events of a new watch are not read before its worktree is recorded
            watches = {watch: by_path[path] for watch, path in self._inotify.add(by_path).items()}
            before = self._folders.get(root, {})
            self._folders[root] = watches
            used = {watch for each in self._folders.values() for watch in each}
            self._inotify.remove(watch for watch in before if watch not in used)

    def close(self) -> None:
        self._inotify.stop()
        self._thread.join()
        self._inotify.close()

    def _run(self) -> None:
        while self._inotify.wait():
            with self._lock:
                for event in self._inotify.read():
                    for root, folders in self._folders.items():
                        folder = folders.get(event.watch)
                        if event.is_overflow or (folder and is_relevant(event.name, is_git=folder.is_git)):
                            self._events.put(Changed(root, event.is_of_folders))
