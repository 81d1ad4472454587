"""Remove repomem's files from a repository; the ledger stays unless the user asks to delete it."""

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from repomem.adapters.ledger.file import FILE, LOCK
from repomem.core.errors import RepomemError, StoreError
from repomem.core.processes.background import stop_detached
from repomem.core.processes.locks import TABLES_LOCK, try_lock
from repomem.index.vectors import LOCK as VECTORS_LOCK
from repomem.index.watch.state import watch_state
from repomem.workspace.data_folder import LEDGER_FILES
from repomem.workspace.ledger import ledger_of
from repomem.workspace.user.binding import FILE as BINDING, IDENTITY_FILE
from repomem.workspace.workspace import INDEX_LOCK, Workspace

BESIDE_LEDGER = frozenset([LOCK, BINDING, IDENTITY_FILE])  # of no use without the ledger
BACKGROUND = frozenset(["index", "maintain", "hook"])  # commands that run in the background
WAIT = 10.0  # seconds for each to end


@dataclass(frozen=True, slots=True)
class Removed:
    """Deleted folders, and folders that still have a ledger."""

    folders: tuple[Path, ...]
    kept: tuple[Path, ...]  # copies of the ledger


@contextmanager
def exclusively(workspace: Workspace) -> Iterator[None]:
    """Hold every lock of the index, after ending the background runs of this clone.

    Raises StoreError if a run started by hand does not end, RepomemError while a watcher runs.
    """
    watch = watch_state(workspace.folder)
    if watch and watch.is_running:
        raise RepomemError(
            f"nothing was removed: repomem watch is running (process {watch.pid})", f"stop it first: kill {watch.pid}"
        )
    for folder in {each.root for each in workspace.catalog.worktrees()} | {workspace.root}:
        if os.path.isdir(folder):  # noqa: PTH112  # also of worktrees that are gone
            stop_detached(Path(folder), BACKGROUND, WAIT)
    with ExitStack() as locks:
        for name in (INDEX_LOCK, VECTORS_LOCK, TABLES_LOCK):
            if not locks.enter_context(try_lock(workspace.folder / name, WAIT)):
                raise StoreError(
                    "an index run is still in progress, so nothing was removed",
                    "wait for it to end, then run the command again",
                )
        yield


def removed(workspace: Workspace, *, is_ledger_too: bool) -> Removed:
    """Delete the index and its caches under their locks: see `exclusively`.

    Copies of the ledger are deleted only on request, because nothing can restore them.
    """
    ledger = ledger_of(workspace)
    copies = [folder for folder in ledger.folders if (folder / FILE).is_file()]
    folders = [workspace.store_folder] if workspace.store_folder.parent != workspace.folder else []
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(folder.with_name(f"{folder.name}.damaged"), ignore_errors=True)
    workspace.catalog.close()
    _empty(workspace.folder, frozenset() if is_ledger_too else _kept_in(workspace.folder))
    if is_ledger_too:
        for folder in copies:
            shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):  # the ledger is in it
        workspace.folder.rmdir()
    if is_ledger_too:
        return Removed(tuple(dict.fromkeys((workspace.folder, *folders, *copies))), ())
    return Removed((workspace.folder, *folders), tuple(copies))


def _kept_in(folder: Path) -> frozenset[str]:
    has_ledger = any((folder / name).exists() for name in LEDGER_FILES)
    return LEDGER_FILES | BESIDE_LEDGER if has_ledger else LEDGER_FILES  # another process may write it just now


def _empty(folder: Path, kept: frozenset[str]) -> None:
    for entry in _entries(folder):
        if entry.name in kept:
            continue
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            with suppress(OSError):
                os.unlink(entry.path)  # noqa: PTH108


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    with suppress(OSError):
        yield from list(os.scandir(folder))
