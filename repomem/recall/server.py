"""A repository kept open by a server: opened once, and checked for changes with each answer.

    what is published -> the answer, and beside it a look (git) -> they agree: told; else caught up and answered again

So an answer shows the current worktree without waiting for git first. If the system reports every change, and has
reported none since the last check, git is not run: it takes 0.1 s for 20,000 files.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Never, Protocol, TypeVar

from repomem.adapters.git.ancestry import tips
from repomem.adapters.git.repository import Repository
from repomem.adapters.git.watchable_folders import git_folders, tree_folders
from repomem.adapters.git.worktree import status
from repomem.core.config import LoadedConfig
from repomem.core.errors import GitError, RepomemError, StoreDamaged
from repomem.core.processes.threads import in_thread
from repomem.workspace.freshness import fingerprint
from repomem.workspace.run import Clock
from repomem.workspace.snapshot import snapshot
from repomem.workspace.workspace import Look, Workspace, configured, open_workspace

if TYPE_CHECKING:
    from concurrent.futures import Future

Answer = TypeVar("Answer")
MANY_FILES = 200  # fewer are checked in 20 ms while answering, so no watcher is needed
LOOK_HOLDS = 60.0  # seconds: writes to mapped files and settings outside the clone cause no event


class FolderChanges(Enum):
    """The changes since the last poll."""

    NONE = "none"
    FILES = "files"
    FOLDERS = "folders"  # folders were added or removed, or events lost: list the folders again


class EventPoll(Protocol):
    """A queue of changes in folders, without those below them."""

    def watch(self, folders: Iterable[Path]) -> None:
        """Watch exactly these folders from now on. Raises OSError if the system allows no more."""

    def changes(self) -> FolderChanges:
        """The changes since the last call; includes all made before this one."""

    def close(self) -> None:
        """Stop watching."""


OpenPoll = Callable[[Path], EventPoll | None]
"""Opens a poll for a worktree; None if the system does not report every change there."""


def no_poll(_top: Path) -> None:
    """No events: git is asked before each answer."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The result of a check: the repository as configured now, and its worktree."""

    repository: Repository
    loaded: LoadedConfig
    look: Look


@dataclass(slots=True)
class Watching:
    """A poll whose watches are added after an answer, in a thread; used by one thread at a time."""

    poll: EventPoll
    is_active: bool = False
    _begun: "Future[None] | None" = None

    def begin(self, repository: Repository) -> None:
        """Start watching every folder that git reads, in a thread."""
        if not self.is_active and self._begun is None:
            self._begun = in_thread(lambda: self.poll.watch(folders_of(repository)))

    def changes(self) -> FolderChanges:
        """The changes. Raises OSError if the folders cannot be watched."""
        if self._begun and self._begun.done():
            begun, self._begun, self.is_active = self._begun, None, True
            begun.result()
            self.poll.changes()  # changes made meanwhile belong to the next check
            return FolderChanges.FILES
        if not self.is_active:
            return FolderChanges.FILES
        changes = self.poll.changes()
        self.is_active = changes is not FolderChanges.FOLDERS
        return changes


def folders_of(repository: Repository) -> Iterable[Path]:
    """The folders in which a change can alter git's status. Raises GitError."""
    yield from git_folders(repository)
    yield repository.common_dir / "info"
    yield from tree_folders(repository)


@dataclass(slots=True)
class Live:
    """One repository for the life of a process. The caller asks one question at a time."""

    start: Path
    environ: Mapping[str, str]
    open_poll: OpenPoll = no_poll
    clock: Clock = time.monotonic
    is_for_one: bool = False  # question: prepare nothing for later ones
    _workspace: Workspace | None = None
    _watching: Watching | None = None
    _has_no_poll: bool = False
    _seen: Seen | None = None
    _seen_at: float = 0.0

    @property
    def is_watching(self) -> bool:
        """Whether the next change will be reported."""
        return self._watching is not None and self._watching.is_active

    def asked(self, answer: Callable[[Workspace], Answer]) -> tuple[Answer, list[str]]:
        """The result of `answer` on the present worktree, and notices. `answer` may run twice, so it must not write."""
        found = self._answered(self._opened(), answer)
        if not self.is_for_one:
            self._prepare()
        return found, self._notices()

    def done(self, deed: Callable[[Workspace], Answer]) -> tuple[Answer, list[str]]:
        """The result of an action, and notices. It runs once and asks git itself about the worktree."""
        workspace = self._opened()
        workspace.look = None
        return deed(workspace), self._notices()

    def _answered(self, workspace: Workspace, answer: Callable[[Workspace], Answer]) -> Answer:
        """The answer from the published state if a concurrent check confirms it, else from the checked state."""
        if self._seen and self._is_still(workspace):
            return _on(workspace, self._seen.look, answer)
        begun, looking = self.clock(), in_thread(lambda: _seen_from(self.start, self.environ, workspace))
        expected = self._expected(workspace)
        early = _outcome(workspace, expected, answer) if expected else None
        self._seen = None  # the next steps may fail
        self._seen, self._seen_at = looking.result(), begun
        is_same = workspace.is_on(self._seen.repository, self._seen.loaded)
        if early and is_same and _agree(expected, self._seen.look):
            return early()
        if not is_same:
            self.close()
        return _on(self._opened(), self._seen.look, answer)

    def _expected(self, workspace: Workspace) -> Look | None:
        """The expected check result if nothing changed since the last index run; None if that run was partial."""
        with suppress(StoreDamaged):  # the answer repairs it
            known = workspace.catalog.worktree(workspace.root)
            if known and known.fingerprint:
                return Look(known.fingerprint, self._seen.look.tips if self._seen else None)
        return None

    def _is_still(self, workspace: Workspace) -> bool:
        """Whether nothing can have changed since the last check."""
        if self._watching is None or self._seen is None:
            return False
        try:
            changes = self._watching.changes()
        except (OSError, GitError):
            self._watching.poll.close()
            self._watching, self._has_no_poll = None, True
            return False
        holds = self.clock() - self._seen_at <= LOOK_HOLDS
        return changes is FolderChanges.NONE and holds and workspace.is_on(self._seen.repository, self._seen.loaded)

    def _prepare(self) -> None:
        """After an answer, start what speeds up the next ones in a large repository."""
        workspace = self._workspace
        if workspace and workspace.opened_store and (space := workspace.space):
            store = workspace.opened_store
            if store.wants_vectors(space.table):
                in_thread(lambda: store.hold_vectors(space.table))
        if workspace and not self._has_no_poll and _files_of(workspace) >= MANY_FILES:
            self._start_watching(workspace)

    def _start_watching(self, workspace: Workspace) -> None:
        """Watch the worktree from now on, if possible."""
        if self._watching is None:
            poll = self.open_poll(workspace.repository.top or workspace.repository.git_dir)
            self._has_no_poll = poll is None
            self._watching = Watching(poll) if poll else None
        if self._watching:
            self._watching.begin(workspace.repository)

    def _opened(self) -> Workspace:
        """The workspace, reopened if it was deleted or is not writable."""
        if self._workspace and not self._workspace.is_standing:  # a read-only one may miss writes of others
            self.close()
        if self._workspace is None:
            self._workspace = open_workspace(*configured(self.start, self.environ))
        return self._workspace

    def close(self) -> None:
        """Close the repository; the next question reopens it."""
        if self._workspace:
            self._workspace.close()
        if self._watching:
            self._watching.poll.close()
        self._workspace = self._watching = None

    def _notices(self) -> list[str]:
        """Notices of repairs and ignored settings, each once."""
        if self._workspace is None:
            return []
        told, self._workspace.notices[:] = list(self._workspace.notices), []
        return told


def _on(workspace: Workspace, look: Look, answer: Callable[[Workspace], Answer]) -> Answer:
    """The answer for the worktree as checked."""
    workspace.look = look
    try:
        return answer(workspace)
    finally:
        workspace.look = None


def _outcome(workspace: Workspace, look: Look, answer: Callable[[Workspace], Answer]) -> Callable[[], Answer]:
    """The same, with its error raised only when the answer is used."""
    try:
        found = _on(workspace, look, answer)
    except RepomemError as error:
        return partial(_raise, error)
    return lambda: found


def _raise(error: RepomemError) -> Never:
    raise error


def _agree(expected: Look | None, seen: Look) -> bool:
    return expected is not None and expected.fingerprint == seen.fingerprint and expected.tips in (None, seen.tips)


def _seen_from(start: Path, environ: Mapping[str, str], workspace: Workspace) -> Seen:
    """Git's status of the repository that contains `start`."""
    repository, loaded = configured(start, environ)
    print_now = fingerprint(workspace, status(repository))
    return Seen(repository, loaded, Look(print_now, tuple(tips(repository))))


def _files_of(workspace: Workspace) -> int:
    found = snapshot(workspace)
    return len(found.view.versions) if found else 0
