"""A repository that is asked again and again, by a server: opened once, and looked at beside each answer.

    what is published -> the answer, and beside it a look (git) -> they agree: told; else caught up and answered again

So an answer shows the work tree as it is, and does not wait for git before it begins. Where the system reports every
change, and has reported none since the last look, git is not asked: it takes 0.1 s for 20,000 files.
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
from repomem.adapters.git.run import Repository
from repomem.adapters.git.watchable_folders import git_folders, tree_folders
from repomem.adapters.git.worktree import status
from repomem.core.config import LoadedConfig
from repomem.core.errors import GitError, RepomemError, StoreDamaged
from repomem.core.threads import in_thread
from repomem.workspace.freshness import fingerprint
from repomem.workspace.run import Clock
from repomem.workspace.snapshot import snapshot
from repomem.workspace.workspace import Look, Workspace, configured, open_workspace

if TYPE_CHECKING:
    from concurrent.futures import Future

Answer = TypeVar("Answer")
MANY_FILES = 200  # fewer are looked at in 20 ms, beside the answer: not worth the watches
LOOK_HOLDS = 60.0  # seconds, however still it was: nothing tells of a mapped file, or of settings outside the clone


class FolderChanges(Enum):
    """What has changed since the last poll."""

    NONE = "none"
    FILES = "files"
    FOLDERS = "folders"  # folders came or went, or events were lost: the folders must be listed again


class EventPoll(Protocol):
    """A queue of changes in folders, without those below them."""

    def watch(self, folders: Iterable[Path]) -> None:
        """Watch exactly these folders from now on. Raises OSError where the system allows no more."""

    def changes(self) -> FolderChanges:
        """What has changed since the last call; includes all changes made before this one."""

    def close(self) -> None:
        """Stop watching."""


OpenPoll = Callable[[Path], EventPoll | None]
"""Opens a poll for a work tree; None where the system does not report every change there."""


def no_poll(_top: Path) -> None:
    """No events: git is asked before each answer."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look saw: the repository, as it is configured now, and its work tree."""

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
        """Start to watch every folder that git reads, in a thread."""
        if not self.is_active and self._begun is None:
            self._begun = in_thread(lambda: self.poll.watch(folders_of(repository)))

    def changes(self) -> FolderChanges:
        """What has changed. Raises OSError where the folders cannot be watched."""
        if self._begun and self._begun.done():
            begun, self._begun, self.is_active = self._begun, None, True
            begun.result()
            self.poll.changes()  # what was changed while it began is for the look that follows
            return FolderChanges.FILES
        if not self.is_active:
            return FolderChanges.FILES
        changes = self.poll.changes()
        self.is_active = changes is not FolderChanges.FOLDERS
        return changes


def folders_of(repository: Repository) -> Iterable[Path]:
    """The folders in which a change makes git say something else. GitError where it cannot tell."""
    yield from git_folders(repository)
    yield repository.common_dir / "info"
    yield from tree_folders(repository)


@dataclass(slots=True)
class Live:
    """One repository for as long as a process lives. One question at a time: the caller sees to that."""

    start: Path
    environ: Mapping[str, str]
    open_poll: OpenPoll = no_poll
    clock: Clock = time.monotonic
    is_for_one: bool = False  # question: nothing is made ready for later ones
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
        """What `answer` reads of the work tree as it is, and notices; it may be asked twice, so it changes nothing."""
        found = self._answered(self._opened(), answer)
        if not self.is_for_one:
            self._prepare()
        return found, self._notices()

    def done(self, deed: Callable[[Workspace], Answer]) -> tuple[Answer, list[str]]:
        """What comes of a deed, and notices; it is done once, and asks git by itself how the work tree stands."""
        workspace = self._opened()
        workspace.look = None
        return deed(workspace), self._notices()

    def _answered(self, workspace: Workspace, answer: Callable[[Workspace], Answer]) -> Answer:
        """The answer on what is published, if a look beside it agrees; else the answer on what the look saw."""
        if self._seen and self._is_still(workspace):
            return _on(workspace, self._seen.look, answer)
        begun, looking = self.clock(), in_thread(lambda: _seen_from(self.start, self.environ, workspace))
        expected = self._expected(workspace)
        early = _outcome(workspace, expected, answer) if expected else None
        self._seen = None  # what follows may fail
        self._seen, self._seen_at = looking.result(), begun
        is_same = workspace.is_on(self._seen.repository, self._seen.loaded)
        if early and is_same and _agree(expected, self._seen.look):
            return early()
        if not is_same:
            self.close()
        return _on(self._opened(), self._seen.look, answer)

    def _expected(self, workspace: Workspace) -> Look | None:
        """What a look will see if nothing has changed since the last index run; None where that was not a whole one."""
        with suppress(StoreDamaged):  # who answers repairs it
            known = workspace.catalog.worktree(workspace.root)
            if known and known.fingerprint:
                return Look(known.fingerprint, self._seen.look.tips if self._seen else None)
        return None

    def _is_still(self, workspace: Workspace) -> bool:
        """Whether nothing can have changed since the last look."""
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
        """Begin, behind an answer, what makes the next ones quicker where the repository is large."""
        workspace = self._workspace
        if workspace and workspace.opened_store and (space := workspace.space):
            store = workspace.opened_store
            if store.wants_vectors(space.table):
                in_thread(lambda: store.hold_vectors(space.table))
        if workspace and not self._has_no_poll and _files_of(workspace) >= MANY_FILES:
            self._start_watching(workspace)

    def _start_watching(self, workspace: Workspace) -> None:
        """Watch the work tree from now on, where that is possible."""
        if self._watching is None:
            poll = self.open_poll(workspace.repository.top or workspace.repository.git_dir)
            self._has_no_poll = poll is None
            self._watching = Watching(poll) if poll else None
        if self._watching:
            self._watching.begin(workspace.repository)

    def _opened(self) -> Workspace:
        """The workspace, opened anew where the one that is open was deleted or cannot be written."""
        if self._workspace and not self._workspace.is_standing:  # one that is only read may not see others' writes
            self.close()
        if self._workspace is None:
            self._workspace = open_workspace(*configured(self.start, self.environ))
        return self._workspace

    def close(self) -> None:
        """Let go of the repository; the next question opens it anew."""
        if self._workspace:
            self._workspace.close()
        if self._watching:
            self._watching.poll.close()
        self._workspace = self._watching = None

    def _notices(self) -> list[str]:
        """What was repaired or ignored, told once."""
        if self._workspace is None:
            return []
        told, self._workspace.notices[:] = list(self._workspace.notices), []
        return told


def _on(workspace: Workspace, look: Look, answer: Callable[[Workspace], Answer]) -> Answer:
    """The answer where the work tree stands as a look saw it."""
    workspace.look = look
    try:
        return answer(workspace)
    finally:
        workspace.look = None


def _outcome(workspace: Workspace, look: Look, answer: Callable[[Workspace], Answer]) -> Callable[[], Answer]:
    """The same, its failure put off until somebody asks for the answer."""
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
    """What git says of the repository that holds the folder `start`."""
    repository, loaded = configured(start, environ)
    print_now = fingerprint(workspace, status(repository))
    return Seen(repository, loaded, Look(print_now, tuple(tips(repository))))


def _files_of(workspace: Workspace) -> int:
    found = snapshot(workspace)
    return len(found.view.versions) if found else 0
