"""Keep the index of every worktree of a clone fresh.

    file event -> debounce (a moment of quiet) -> is the index behind? (one git status) -> an index run, in a process

Every worktree is also checked from time to time: inotify does not report writes to mapped files or from other
machines. Without inotify, only these checks run, as often as their cost allows.
"""

import os
import time
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from queue import Empty

from repomem.adapters.git.repository import Repository
from repomem.adapters.sqlite.catalog import Catalog
from repomem.adapters.sqlite.database import FILE_NAME
from repomem.core.errors import RepomemError, StoreDamaged, StoreError
from repomem.core.processes.locks import try_lock
from repomem.core.text.counts import counted
from repomem.index.watch.child import Ended, IndexChild
from repomem.index.watch.debounce import Debounce
from repomem.index.watch.events import Changed, EventQueue, FileWatcher, OpenWatcher, Reporter, Stop, folders_of
from repomem.index.watch.state import WATCH_LOCK, WatchState, delete_state, save_state, watch_state
from repomem.workspace.freshness import is_behind
from repomem.workspace.user.binding import DATA_FOLDER
from repomem.workspace.workspace import configured, open_workspace

LOCK_WAIT = 1.0  # seconds: `repomem status` holds the lock for a moment
TICK = 5.0  # seconds between two checks of the lock and the catalog, which cost two system calls
CHECK = 300.0  # seconds between two checks of all worktrees, with inotify
SHORTEST_CHECK = 2.0  # seconds between two checks without inotify
COST_FACTOR = 120.0  # times the cost of a check passes before the next one: under one percent of a core


def watch(folder: Path, root: str, events: EventQueue, open_watcher: OpenWatcher, reporter: Reporter) -> None:
    """Keep the index in `folder` fresh until the queue has a Stop. RepomemError if another process watches it."""
    with try_lock(folder / WATCH_LOCK, LOCK_WAIT) as is_held:
        if not is_held:
            other = watch_state(folder)
            name = f"process {other.pid}" if other else "another process"
            raise RepomemError(f"{name} already watches this repository", "see its state with: repomem status")
        watcher = Watcher(folder, root, events, reporter)
        try:
            watcher.start(open_watcher)
            watcher.run()
        finally:
            watcher.close()


@dataclass(slots=True)
class Watcher:
    """The state of a running watch. Times are seconds of `time.monotonic`."""

    folder: Path
    root: str  # the worktree that it was started in, indexed or not
    events: EventQueue
    reporter: Reporter
    watcher: FileWatcher | None = None
    child: IndexChild | None = None
    debounce: Debounce = field(default_factory=Debounce)
    state: WatchState = field(default_factory=lambda: WatchState(os.getpid(), _now()))
    costs: dict[str, float] = field(default_factory=dict)  # seconds of the last check, by worktree
    warnings: set[str] = field(default_factory=set)  # printed so far, once each
    lock: tuple[int, ...] = ()
    catalog: tuple[int, ...] = ()
    next_tick: float = 0.0
    next_check: float = 0.0

    def start(self, open_watcher: OpenWatcher) -> None:
        """Find the worktrees, and watch them."""
        self.lock = _identity(self.folder / WATCH_LOCK)[:2]
        try:
            self.watcher = open_watcher(self.events)
        except OSError as error:
            self._poll(error)
        self._follow_catalog()
        self._update_state(how=self.watcher.name if self.watcher else "polling")
        count = len(self.state.roots)
        self.reporter.info(f"watching {counted(count, 'worktree')} by {self.state.how}")

    def run(self) -> None:
        """Handle events until Stop. Raises StoreError if the index is deleted meanwhile."""
        while True:
            self._tick()
            self._check_due()
            match self._next_event():
                case Stop():
                    return
                case Changed(root, is_of_folders) if root in self.state.roots:
                    self.debounce.note(root, time.monotonic(), is_of_folders=is_of_folders)
                case Ended() as ended:
                    self._run_ended(ended)

    def close(self) -> None:
        """End the index run and the file watcher, and delete the state file."""
        if self.child:
            self.child.end()
        if self.watcher:
            self.watcher.close()
        if self._is_locked:
            delete_state(self.folder)

    @property
    def _is_locked(self) -> bool:
        """Whether the lock file is still the one that this process has locked: the folder may have been deleted."""
        return _identity(self.folder / WATCH_LOCK)[:2] == self.lock

    def _next_event(self) -> Changed | Ended | Stop | None:
        due = float("inf") if self.child else self.debounce.next_due()
        try:
            return self.events.get(timeout=max(0.0, min(due, self.next_tick, self.next_check) - time.monotonic()))
        except Empty:
            return None

    def _tick(self) -> None:
        now = time.monotonic()
        if now >= min(self.next_tick, self.next_check):
            self.next_tick = now + TICK
            if not self._is_locked:
                raise StoreError(
                    "the index was deleted while repomem watched it", "run repomem index, then repomem watch"
                )
            self._follow_catalog()
        if now >= self.next_check:
            self.debounce.ask(self.state.roots, now)
            self.next_check = now + self._pause()

    def _pause(self) -> float:
        return CHECK if self.watcher else max(SHORTEST_CHECK, COST_FACTOR * sum(self.costs.values()))

    def _check_due(self) -> None:
        """Check the worktrees that are due, until one needs an index run."""
        for root in self.debounce.due(time.monotonic()) if self.child is None else ():
            if self.debounce.take(root).is_of_folders:
                self._watch_folders(root)
            if self._needs_run(root) and self._start_run(root):
                return

    def _needs_run(self, root: str) -> bool:
        start = time.monotonic()
        try:
            if not self._is_of_this_clone(root):  # first: opening the workspace creates a folder for the index
                self._forget(root)
                return False
            repository, loaded = configured(Path(root), os.environ)
            if not self._is_locked:  # the index was deleted, and opening the workspace would create it again
                return False
            with closing(open_workspace(repository, loaded)) as workspace:
                return is_behind(workspace)
        except StoreDamaged:  # an index run rebuilds it
            return True
        except RepomemError as error:
            self._fail(root, error.message)
            return False
        finally:
            self.costs[root] = time.monotonic() - start

    def _is_of_this_clone(self, root: str) -> bool:
        found = Repository.open(Path(root))
        return (str(found.top or found.git_dir), found.common_dir / DATA_FOLDER) == (root, self.folder)

    def _start_run(self, root: str) -> bool:
        try:
            self.child = IndexChild.start(root, self.events.put)
        except OSError as error:
            self._fail(root, f"no process can be started: {error.strerror}")
        return self.child is not None

    def _run_ended(self, ended: Ended) -> None:
        self.child = None
        self._update_state(runs=self.state.runs + 1, last_run=_now(), last_failure=ended.failure)
        if ended.failure:
            self.costs[ended.root] += ended.seconds  # or polling would try again every few seconds
            self.next_check = time.monotonic() + self._pause()
            self._fail(ended.root, ended.failure)
        else:
            self.reporter.info(f"indexed {ended.root} in {ended.seconds:.1f} s")

    def _fail(self, root: str, reason: str) -> None:
        """Warn once that a worktree cannot be kept fresh, or forget it where it is gone."""
        if Path(root).is_dir():
            self._warn_once(f"{root} cannot be kept fresh: {reason}")
        else:
            self._forget(root)

    def _warn_once(self, line: str) -> None:
        if line not in self.warnings:
            self.warnings.add(line)
            self.reporter.warning(line)

    def _follow_catalog(self) -> None:
        """Watch worktrees that were indexed since; check all of them where the catalog was replaced or deleted."""
        seen = _identity(self.folder / FILE_NAME)
        if seen == self.catalog:
            return
        is_another = seen[:2] != self.catalog[:2]
        self.catalog = seen
        for root in sorted({self.root, *self._indexed_roots()} - set(self.state.roots)):
            if Path(root).is_dir():
                self._update_state(roots=(*self.state.roots, root))
                self._watch_folders(root)
                self.debounce.ask([root], time.monotonic())
        if is_another:
            self.debounce.ask(self.state.roots, time.monotonic())

    def _indexed_roots(self) -> list[str]:
        if not self.catalog:
            return []
        try:
            with closing(Catalog.open(self.folder)) as catalog:
                return [each.root for each in catalog.worktrees()]
        except StoreError as error:
            self._warn_once(error.message)
            return []

    def _watch_folders(self, root: str) -> None:
        try:
            if self.watcher:
                self.watcher.watch(root, folders_of(root))
        except RepomemError:
            pass  # the check that follows reports it
        except OSError as error:
            self._poll(error)

    def _poll(self, error: OSError) -> None:
        """Go on without file events."""
        self._warn_once(f"cannot use inotify ({error.strerror}): checking every few seconds instead")
        if self.watcher:
            self.watcher.close()
        self.watcher = None
        self.next_check = time.monotonic()
        self._update_state(how="polling")

    def _forget(self, root: str) -> None:
        self.debounce.drop(root)
        self.costs.pop(root, None)
        if self.watcher:
            self.watcher.watch(root, ())
        self._update_state(roots=tuple(each for each in self.state.roots if each != root))
        self.reporter.info(f"{root} is gone")

    def _update_state(self, **changes: object) -> None:
        self.state = replace(self.state, **changes)  # type: ignore[arg-type]  # names and types of its fields
        save_state(self.folder, self.state)


def _identity(path: Path) -> tuple[int, ...]:
    """Device and inode, then time and size; empty without a file."""
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
