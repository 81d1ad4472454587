"""Reminders: lines to show when an agent touches a file, or a command fails; cached for hooks, which have 50 ms.

A silent hook imports only this module: no git, no SQLite, no LanceDB. The cache is a file for each worktree, with a
stamp of every file whose change may change a reminder about memories: a stale cache is never read.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repomem.core.digests import short_digest
from repomem.core.files import replace_file
from repomem.workspace.user.binding import DATA_FOLDER, is_bound

if TYPE_CHECKING:
    from repomem.workspace.workspace import Workspace

FOLDER = "reminders"
FORMAT = 1
CATALOG = "catalog.sqlite"
LARGEST = 16 << 20  # bytes of a cache; a larger one is not read

Stamp = tuple[str, int, int]  # path, time of writing in ns, size in bytes; zeros without a file
BRANCH = "branch"  # replaces the branch's file, whose name may contain a secret


@dataclass(frozen=True, slots=True)
class Reminder:
    """One line to show, in several lengths, and what triggers it. Empty fields trigger nothing."""

    id: str  # of the memory, or the commit
    lines: tuple[tuple[str, int], ...]  # Markdown with its tokens, the longest first
    places: tuple[tuple[str, str], ...] = ()  # paths, and qualified symbols in them; no symbol: the whole file
    scope: tuple[str, ...] = ()  # globs
    text: str = ""  # of a memory, which may name a command or an error
    command: str = ""  # that failed
    error: str = ""  # its error line
    rank: int = 0  # the lowest is shown first


@dataclass(frozen=True, slots=True)
class Reminders:
    of_memories: tuple[Reminder, ...] = ()
    of_history: tuple[Reminder, ...] = ()  # made by index runs alone, since they read LanceDB
    stamps: tuple[Stamp, ...] = field(default=(), compare=False)

    def __iter__(self) -> Iterator[Reminder]:
        yield from self.of_memories
        yield from self.of_history


@dataclass(frozen=True, slots=True)
class WorktreePaths:
    """The folders of a worktree, found without git."""

    top: Path
    git_dir: Path
    common_dir: Path

    @property
    def folder(self) -> Path:
        """The folder of the index and the ledger."""
        return self.common_dir / DATA_FOLDER

    @property
    def is_indexed(self) -> bool:
        """Whether this user used repomem here."""
        return (self.folder / CATALOG).is_file() and is_bound(self.folder)


def worktree_at(start: str) -> WorktreePaths | None:
    """The worktree that contains a folder; None if there is none."""
    for top in (here := Path(os.path.realpath(start)), *here.parents):
        found = top / ".git"
        if found.is_dir():
            return WorktreePaths(top, found, found)
        if found.is_file():
            return _linked(top, found)
    return None


def _linked(top: Path, file: Path) -> WorktreePaths | None:
    """A linked worktree or a submodule, whose `.git` is a file."""
    with suppress(OSError, ValueError):
        named = file.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
        git_dir = Path(os.path.realpath(top / named))
        common = git_dir / "commondir"
        shared = common.read_text(encoding="utf-8").strip() if common.is_file() else ""
        return WorktreePaths(top, git_dir, Path(os.path.realpath(git_dir / shared)))
    return None


def cached_reminders(worktree: WorktreePaths) -> tuple[Reminders | None, bool]:
    """The cached reminders, and whether nothing has changed since; None if there are none."""
    with suppress(OSError, ValueError, TypeError, KeyError, RecursionError):
        path = _cache(worktree.folder, str(worktree.top))
        if path.stat().st_size <= LARGEST:
            found = _read(json.loads(path.read_bytes()))
            return found, found is not None and all(_stamp(each[0], worktree) == each for each in found.stamps)
    return None, False


def cache_reminders(workspace: "Workspace", reminders: Reminders) -> None:
    """Cache reminders, if the folder is writable; those of memories only if nothing has changed since the stamps."""
    path = _cache(workspace.folder, workspace.root)
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, exist_ok=True)
        _write(path, workspace.root, reminders)
        if stamps_now(workspace) != reminders.stamps:  # what was purged meanwhile must not be stored again
            _write(path, workspace.root, replace(reminders, of_memories=()))


def _write(path: Path, root: str, reminders: Reminders) -> None:
    values = {"format": FORMAT, "root": root, **asdict(reminders)}
    replace_file(path, json.dumps(values).encode("utf-8", "surrogatepass"), is_synced=False)


def worktree_of(workspace: "Workspace") -> WorktreePaths:
    """The same worktree, as git found it."""
    repository = workspace.repository
    return WorktreePaths(Path(workspace.root), repository.git_dir, repository.common_dir)


def stamps_now(workspace: "Workspace") -> tuple[Stamp, ...]:
    """Stamps of the ledger's copies, the list of trusted writers, and what names the current commit."""
    from repomem.adapters.ledger.file import FILE
    from repomem.workspace.ledger import ledger_of
    from repomem.workspace.trust import trust_file

    worktree = worktree_of(workspace)
    paths = [folder / FILE for folder in ledger_of(workspace).folders]
    paths += [trust_file(), worktree.git_dir / "HEAD", worktree.common_dir / "packed-refs"]
    return tuple(_stamp(path, worktree) for path in (*map(str, paths), BRANCH))


def _stamp(path: str, worktree: WorktreePaths) -> Stamp:
    try:
        found = os.stat(_branch_file(worktree) if path == BRANCH else path)  # noqa: PTH116  # a hook counts milliseconds
    except OSError:
        return path, 0, 0
    return path, found.st_mtime_ns, found.st_size


def _branch_file(worktree: WorktreePaths) -> Path:
    """The file of the branch that is checked out; HEAD itself if none is. Raises OSError."""
    head = worktree.git_dir / "HEAD"
    name = head.read_text(encoding="utf-8", errors="replace").removeprefix("ref:").strip()
    return worktree.common_dir / name if name.startswith("refs/") else head


def _cache(folder: Path, root: str) -> Path:
    name = short_digest(os.fsencode(root))
    return folder / FOLDER / f"{name}.json"


def _read(values: Mapping[str, Any]) -> Reminders | None:
    if values["format"] != FORMAT:
        return None
    memories, history = (tuple(map(_reminder, values[name])) for name in ("of_memories", "of_history"))
    return Reminders(memories, history, tuple((str(path), int(at), int(size)) for path, at, size in values["stamps"]))


def _reminder(values: Mapping[str, Any]) -> Reminder:
    pairs: Sequence[Sequence[Any]] = values["lines"]
    lines = tuple((str(text), int(tokens)) for text, tokens in pairs)
    places = tuple((str(path), str(symbol)) for path, symbol in values["places"])
    return Reminder(**{**values, "lines": lines, "places": places, "scope": tuple(values["scope"])})
