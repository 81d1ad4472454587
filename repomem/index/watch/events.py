"""Events of a watcher: changes of folders, ended index runs, a request to stop; and which changes matter."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Protocol

from repomem.adapters.git.repository import Repository
from repomem.adapters.git.worktree import git_folders, tree_folders
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.index.watch.child import Ended
from repomem.workspace.user.binding import DATA_FOLDER

TEMPORARY = lazy_pattern(
    r"4913|.*~"  # vim tries whether it may write; backups
    r"|\..*\.sw[a-z]x?|\.#.*|#.*#"  # swap files of vim; locks and auto-saves of Emacs
    r"|\.goutputstream-.*|.*\.kate-swp|.*___jb_(?:tmp|old)___"  # GNOME, Kate, JetBrains
)


@dataclass(frozen=True, slots=True)
class Changed:
    """A folder of a worktree, or of its git directory, has changed."""

    root: str
    is_of_folders: bool = False  # folders were added or removed, or ignore rules changed


@dataclass(frozen=True, slots=True)
class Stop:
    """A request to end."""


EventQueue = SimpleQueue[Changed | Ended | Stop]  # reentrant: signal handlers write to it


@dataclass(frozen=True, slots=True)
class WatchedFolder:
    """A folder to watch, without those below it."""

    path: Path
    is_git: bool  # of the git directory


class FileWatcher(Protocol):
    """Reports changes of folders as events."""

    @property
    def name(self) -> str:
        """Its name, for `repomem status`."""

    def watch(self, root: str, folders: Iterable[WatchedFolder]) -> None:
        """Watch exactly these folders of a worktree. Raises OSError where the system allows no more."""

    def close(self) -> None:
        """Stop watching."""


OpenWatcher = Callable[[EventQueue], FileWatcher]
"""Starts a file watcher that writes to a queue. Raises OSError where the system has none."""


@dataclass(frozen=True, slots=True)
class Reporter:
    """Prints the watcher's actions and warnings, one per line."""

    info: Callable[[str], None]
    warning: Callable[[str], None]


def is_relevant(name: str, *, is_git: bool) -> bool:
    """Whether a change of the file or folder of this name can change the index."""
    if is_git:
        return not name.endswith(".lock") and name != DATA_FOLDER
    return name != ".git" and not TEMPORARY.fullmatch(name)


def folders_of(root: str) -> Iterator[WatchedFolder]:
    """The folders to watch for one worktree. Raises GitError where it is none."""
    repository = Repository.open(Path(root))
    yield from (WatchedFolder(path, is_git=True) for path in git_folders(repository))
    yield from (WatchedFolder(path, is_git=False) for path in tree_folders(repository))
