"""Keeping the index of every work tree of a clone fresh: what is listened to, when to look, when to start a run.

    change heard -> agenda (a moment of quiet) -> is it behind? (one git status) -> an index run, in its own process

A look that nobody asked for follows now and then: inotify hears nothing of a mapped file or of another machine's
write. Without ears it is all there is, as often as its cost allows.
"""

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Protocol

from repomem.adapters.git.run import Repository
from repomem.adapters.git.watchable_folders import git_folders, tree_folders
from repomem.adapters.sqlite.catalog import Catalog
from repomem.adapters.sqlite.database import FILE_NAME
from repomem.core.errors import RepomemError, StoreDamaged, StoreError
from repomem.core.locks import try_lock
from repomem.index.watch.child import Ended, IndexChild
from repomem.index.watch.debounce import Agenda
from repomem.index.watch.state import WATCH_LOCK, WatchState, drop_state, keep_state, watch_state
from repomem.workspace.freshness import is_behind
from repomem.workspace.run import Clock
from repomem.workspace.workspace import FOLDER, configured, open_workspace

LOCK_WAIT = 1.0  # seconds: `status` tries the lock too, for a moment
TICK = 5.0  # seconds between two looks at the lock and the catalog, which cost two calls of the system
LOOK = 300.0  # seconds between two looks at all work trees where inotify tells of changes
SHORTEST_LOOK = 2.0  # seconds between two looks where nothing does
COST_FACTOR = 120.0  # times its cost must pass between two looks: under one percent of a core
TEMPORARY = re.compile(
    r"4913|.*~"  # vim tries whether it may write; backups
    r"|\..*\.sw[a-z]x?|\.#.*|#.*#"  # swap files of vim; locks and auto-saves of Emacs
    r"|\.goutputstream-.*|.*\.kate-swp|.*___jb_(?:tmp|old)___"  # GNOME, Kate, JetBrains
)


@dataclass(frozen=True, slots=True)
class Changed:
    """Something in a folder of a work tree has changed, or in its git directory."""

    root: str
    is_of_folders: bool = False  # folders came or went, or what is ignored changed


@dataclass(frozen=True, slots=True)
class Stop:
    """The watching is to end."""


Mailbox = SimpleQueue[Changed | Ended | Stop]  # reentrant: a signal's handler may write to it


@dataclass(frozen=True, slots=True)
class Place:
    """A folder to listen in, without those below it."""

    path: Path
    is_git: bool  # of the git directory


class Ears(Protocol):
    """What tells of changes."""

    @property
    def name(self) -> str:
        """What it is called."""

    def attend(self, root: str, places: Iterable[Place]) -> None:
        """Listen in these folders for a work tree, and in no others. OSError where the system allows no more."""

    def close(self) -> None:
        """Hear no more."""


Listen = Callable[[Mailbox], Ears]
"""Gives ears that write to a mailbox. Raises OSError where there are none."""


@dataclass(frozen=True, slots=True)
class Voice:
    """Where it tells what it does, and what went wrong, a line each."""

    told: Callable[[str], None]
    warned: Callable[[str], None]


def watch(folder: Path, root: str, mailbox: Mailbox, listen: Listen, voice: Voice) -> None:
    """Keep the index in `folder` fresh until Stop is in the mailbox. RepomemError where another process does that."""
    with try_lock(folder / WATCH_LOCK, LOCK_WAIT) as is_held:
        if not is_held:
            other = watch_state(folder)
            name = f"process {other.pid}" if other else "another process"
            raise RepomemError(f"{name} already watches this repository", "its state: repomem status")
        watcher = Watcher(folder, root, mailbox, voice)
        try:
            watcher.begin(listen)
            watcher.go_on()
        finally:
            watcher.end()


def is_telling(name: str, *, is_git: bool) -> bool:
    """Whether a change of the file or folder of this name is a reason to look."""
    if is_git:
        return not name.endswith(".lock") and name != FOLDER
    return name != ".git" and not TEMPORARY.fullmatch(name)


def places_of(root: str) -> Iterator[Place]:
    """The folders to listen in for one work tree. GitError where it is none."""
    repository = Repository.open(Path(root))
    yield from (Place(path, is_git=True) for path in git_folders(repository))
    yield from (Place(path, is_git=False) for path in tree_folders(repository))


@dataclass(slots=True)
class Watcher:
    """One watcher at work. Times are seconds on `clock`."""

    folder: Path
    root: str  # the work tree that it was started in, indexed before or not
    mailbox: Mailbox
    voice: Voice
    clock: Clock = time.monotonic
    ears: Ears | None = None
    child: IndexChild | None = None
    agenda: Agenda = field(default_factory=Agenda)
    state: WatchState = field(default_factory=lambda: WatchState(os.getpid(), _now()))
    costs: dict[str, float] = field(default_factory=dict)  # seconds of the last look, by work tree
    complaints: set[str] = field(default_factory=set)  # that were told, once each
    lock: tuple[int, ...] = ()
    catalog: tuple[int, ...] = ()
    next_tick: float = 0.0
    next_look: float = 0.0

    def begin(self, listen: Listen) -> None:
        """Find the work trees, and ears."""
        self.lock = _identity(self.folder / WATCH_LOCK)[:2]
        try:
            self.ears = listen(self.mailbox)
        except OSError as error:
            self._poll(error)
        self._follow_catalog()
        self._keep(how=self.ears.name if self.ears else "polling")
        count = len(self.state.roots)
        self.voice.told(f"watching {count} work tree{'s' * (count != 1)} by {self.state.how}")

    def go_on(self) -> None:
        """Watch until told to stop. StoreError where the index is deleted meanwhile."""
        while True:
            self._tick()
            self._serve()
            match self._message():
                case Stop():
                    return
                case Changed(root, is_of_folders) if root in self.state.roots:
                    self.agenda.note(root, self.clock(), is_of_folders=is_of_folders)
                case Ended() as ended:
                    self._told_of(ended)

    def end(self) -> None:
        """Leave nothing behind."""
        if self.child:
            self.child.end()
        if self.ears:
            self.ears.close()
        if self._is_locked:
            drop_state(self.folder)

    @property
    def _is_locked(self) -> bool:
        """Whether the lock that it holds is the one that others try: not where the folder was deleted."""
        return _identity(self.folder / WATCH_LOCK)[:2] == self.lock

    def _message(self) -> Changed | Ended | Stop | None:
        due = float("inf") if self.child else self.agenda.next_due()
        try:
            return self.mailbox.get(timeout=max(0.0, min(due, self.next_tick, self.next_look) - self.clock()))
        except Empty:
            return None

    def _tick(self) -> None:
        now = self.clock()
        if now >= min(self.next_tick, self.next_look):
            self.next_tick = now + TICK
            if not self._is_locked:
                raise StoreError("the index was deleted while it was watched", "run repomem index, then repomem watch")
            self._follow_catalog()
        if now >= self.next_look:
            self.agenda.ask(self.state.roots, now)
            self.next_look = now + self._pause()

    def _pause(self) -> float:
        return LOOK if self.ears else max(SHORTEST_LOOK, COST_FACTOR * sum(self.costs.values()))

    def _serve(self) -> None:
        """Look at what is due, until a run is on."""
        for root in self.agenda.due(self.clock()) if self.child is None else ():
            if self.agenda.take(root).is_of_folders:
                self._attend(root)
            if self._needs_run(root) and self._starts(root):
                return

    def _needs_run(self, root: str) -> bool:
        start = self.clock()
        try:
            if not self._is_of_this_clone(root):  # asked first: opening makes a folder for the index
                self._drop(root)
                return False
            repository, loaded = configured(Path(root), os.environ)
            if not self._is_locked:  # the index was deleted just now, and opening it would make it again
                return False
            with closing(open_workspace(repository, loaded)) as workspace:
                return is_behind(workspace)
        except StoreDamaged:  # a run rebuilds it
            return True
        except RepomemError as error:
            self._fail(root, error.message)
            return False
        finally:
            self.costs[root] = self.clock() - start

    def _is_of_this_clone(self, root: str) -> bool:
        found = Repository.open(Path(root))
        return (str(found.top or found.git_dir), found.common_dir / FOLDER) == (root, self.folder)

    def _starts(self, root: str) -> bool:
        try:
            self.child = IndexChild.start(root, self.mailbox.put)
        except OSError as error:
            self._fail(root, f"no process can be started: {error.strerror}")
        return self.child is not None

    def _told_of(self, ended: Ended) -> None:
        self.child = None
        self._keep(runs=self.state.runs + 1, last_run=_now(), last_failure=ended.failure)
        if ended.failure:
            self.costs[ended.root] += ended.seconds  # else who polls would try again every few seconds
            self.next_look = self.clock() + self._pause()
            self._fail(ended.root, ended.failure)
        else:
            self.voice.told(f"indexed {ended.root} in {ended.seconds:.1f} s")

    def _fail(self, root: str, reason: str) -> None:
        """Say once why a work tree cannot be kept fresh, or that it is gone."""
        if Path(root).is_dir():
            self._complain(f"{root} cannot be kept fresh: {reason}")
        else:
            self._drop(root)

    def _complain(self, line: str) -> None:
        if line not in self.complaints:
            self.complaints.add(line)
            self.voice.warned(line)

    def _follow_catalog(self) -> None:
        """Watch the work trees that were indexed since; look at all where the catalog is another one, or none."""
        seen = _identity(self.folder / FILE_NAME)
        if seen == self.catalog:
            return
        is_another = seen[:2] != self.catalog[:2]
        self.catalog = seen
        for root in sorted({self.root, *self._indexed_roots()} - set(self.state.roots)):
            if Path(root).is_dir():
                self._keep(roots=(*self.state.roots, root))
                self._attend(root)
                self.agenda.ask([root], self.clock())
        if is_another:
            self.agenda.ask(self.state.roots, self.clock())

    def _indexed_roots(self) -> list[str]:
        if not self.catalog:
            return []
        try:
            catalog = Catalog.open(self.folder)
            try:
                return [each.root for each in catalog.worktrees()]
            finally:
                catalog.close()
        except StoreError as error:
            self._complain(error.message)
            return []

    def _attend(self, root: str) -> None:
        try:
            if self.ears:
                self.ears.attend(root, places_of(root))
        except RepomemError:
            pass  # the look that follows says it
        except OSError as error:
            self._poll(error)

    def _poll(self, error: OSError) -> None:
        """Go on without ears, and give back what they took."""
        self._complain(f"inotify cannot be used ({error.strerror}): looking every few seconds instead")
        if self.ears:
            self.ears.close()
        self.ears = None
        self.next_look = self.clock()
        self._keep(how="polling")

    def _drop(self, root: str) -> None:
        self.agenda.drop(root)
        self.costs.pop(root, None)
        if self.ears:
            self.ears.attend(root, ())
        self._keep(roots=tuple(each for each in self.state.roots if each != root))
        self.voice.told(f"{root} is gone")

    def _keep(self, **changes: object) -> None:
        self.state = replace(self.state, **changes)  # type: ignore[arg-type]  # names and types of its fields
        keep_state(self.folder, self.state)


def _identity(path: Path) -> tuple[int, ...]:
    """Which file it is, then which state of it; empty where there is none."""
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
