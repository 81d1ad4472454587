"""A repository that is asked again and again, by a server: opened once, and looked at beside each answer.

    what is published -> the answer, and beside it a look (git) -> they agree: told; else caught up and answered again

So an answer shows the work tree as it is, and does not wait for git before it begins. Where ears tell of every change
and have heard of none since the last look, nothing is looked at: git takes 0.1 s for 20,000 files.
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
from repomem.core.threads import beside
from repomem.workspace.freshness import fingerprint
from repomem.workspace.run import Clock
from repomem.workspace.snapshot import snapshot
from repomem.workspace.workspace import Look, Workspace, configured, open_workspace

if TYPE_CHECKING:
    from concurrent.futures import Future

Answer = TypeVar("Answer")
MANY_FILES = 200  # fewer are looked at in 20 ms, beside the answer: not worth the watches
LOOK_HOLDS = 60.0  # seconds, however still it was: nothing tells of a mapped file, or of settings outside the clone


class Heard(Enum):
    """What ears have heard since they were last asked."""

    NOTHING = "nothing"
    CHANGES = "changes"
    FOLDERS = "folders"  # they came or went, or changes went unheard: it is to be listened anew


class Ears(Protocol):
    """What hears of changes in folders, without those below them."""

    def attend(self, folders: Iterable[Path]) -> None:
        """Listen in these folders from now on, and in no others. OSError where the system allows no more."""

    def heard(self) -> Heard:
        """What has changed since this was last asked: all that happened before the call, and at once."""

    def close(self) -> None:
        """Hear no more."""


Listen = Callable[[Path], Ears | None]
"""Gives ears for the work tree in a folder; None where nothing tells of its changes."""


def deaf(_top: Path) -> None:
    """No ears."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look saw: the repository, as it is configured now, and its work tree."""

    repository: Repository
    loaded: LoadedConfig
    look: Look


@dataclass(slots=True)
class Attention:
    """Ears that are told where to listen behind an answer; asked by one thread at a time."""

    ears: Ears
    is_attending: bool = False
    _begun: "Future[None] | None" = None

    def begin(self, repository: Repository) -> None:
        """Listen to all that git looks at, from a moment soon."""
        if not self.is_attending and self._begun is None:
            self._begun = beside(lambda: self.ears.attend(folders_of(repository)))

    def heard(self) -> Heard:
        """What the ears have heard. OSError where they cannot listen."""
        if self._begun and self._begun.done():
            begun, self._begun, self.is_attending = self._begun, None, True
            begun.result()
            self.ears.heard()  # what was changed while it began is for the look that follows
            return Heard.CHANGES
        if not self.is_attending:
            return Heard.CHANGES
        heard = self.ears.heard()
        self.is_attending = heard is not Heard.FOLDERS
        return heard


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
    listen: Listen = deaf
    clock: Clock = time.monotonic
    is_for_one: bool = False  # question: nothing is made ready for later ones
    _workspace: Workspace | None = None
    _attention: Attention | None = None
    _is_deaf: bool = False
    _seen: Seen | None = None
    _seen_at: float = 0.0

    @property
    def is_listening(self) -> bool:
        """Whether it will hear of the next change."""
        return self._attention is not None and self._attention.is_attending

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
        begun, looking = self.clock(), beside(lambda: _seen_from(self.start, self.environ, workspace))
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
        if self._attention is None or self._seen is None:
            return False
        try:
            heard = self._attention.heard()
        except (OSError, GitError):
            self._attention.ears.close()
            self._attention, self._is_deaf = None, True
            return False
        holds = self.clock() - self._seen_at <= LOOK_HOLDS
        return heard is Heard.NOTHING and holds and workspace.is_on(self._seen.repository, self._seen.loaded)

    def _prepare(self) -> None:
        """Begin, behind an answer, what makes the next ones quicker where the repository is large."""
        workspace = self._workspace
        if workspace and workspace.opened_store and (space := workspace.space):
            store = workspace.opened_store
            if store.wants_vectors(space.table):
                beside(lambda: store.hold_vectors(space.table))
        if workspace and not self._is_deaf and _files_of(workspace) >= MANY_FILES:
            self._attend(workspace)

    def _attend(self, workspace: Workspace) -> None:
        """Listen to the work tree from now on, where that can be done."""
        if self._attention is None:
            ears = self.listen(workspace.repository.top or workspace.repository.git_dir)
            self._is_deaf = ears is None
            self._attention = Attention(ears) if ears else None
        if self._attention:
            self._attention.begin(workspace.repository)

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
        if self._attention:
            self._attention.ears.close()
        self._workspace = self._attention = None

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
