"""The folder of ledger, catalog and locks, in the git common directory, writable only by its user."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path

from repomem.adapters.git.repository import Repository
from repomem.adapters.ledger import file as ledger_file
from repomem.core.disk_errors import store_errors
from repomem.core.errors import StoreError
from repomem.core.processes.locks import try_lock
from repomem.core.processes.owners import is_own_or_root, is_writable_by_all
from repomem.workspace.user.binding import (
    DATA_FOLDER,
    IDENTITY_FILE,
    bind,
    bind_identity,
    bound_identity,
    drop_identity,
    has_secret,
    is_bound,
)
from repomem.workspace.user.folders import data_folder

ASIDE = "repomem.foreign-"  # next to it: the ledger of a data folder that this user did not make
LEDGER_FILES = frozenset([ledger_file.FILE, ledger_file.DAMAGED])
FILES_SET_ASIDE = LEDGER_FILES | {IDENTITY_FILE}  # so that its user finds everything again
WAIT = 10.0  # seconds to wait for another process that sets the same folder aside
REBUILT = (
    "the data folder in this clone's git directory was made by another user, on another machine, under another HOME"
    " or by an earlier version. The index is rebuilt from git. Memories that are not also in your copies are shown as"
    " from an untrusted writer: see `repomem doctor`"
)


def private_folder(repository: Repository, tell: Callable[[str], None], *, is_trusted: bool = False) -> Path:
    """The data folder of a repository, created if missing, and bound to this user.

    A folder not bound by this user is set aside, unless `is_trusted`; `tell` reports that. Raises StoreError if others
    may write there.
    """
    folder = repository.common_dir / DATA_FOLDER
    if not os.path.lexists(folder):
        with _alone() if foreign_folders(folder) else nullcontext():  # another process may just be replacing it
            if not os.path.lexists(folder):
                _make(folder, is_trusted=is_trusted)
    try:
        _check(folder)
    except StoreError:
        with _alone():  # likewise
            _check(folder)
    if not is_bound(folder):
        _settle(folder, tell, is_trusted=is_trusted)
    return folder


def foreign_folders(folder: Path) -> list[Path]:
    """The saved parts of foreign data folders that this one replaced."""
    found = folder.parent.glob(f"{ASIDE}*")
    return sorted(each for each in found if each.is_dir() and not each.is_symlink())


def _settle(folder: Path, tell: Callable[[str], None], *, is_trusted: bool) -> None:
    """Bind a folder that is not bound yet, if the user trusts it or nothing is in it; else set it aside."""
    with _alone():
        if is_bound(folder):
            return  # by another process, meanwhile
        with _store_errors(folder, "read"):
            is_empty = not any(folder.iterdir())
        if is_trusted or is_empty:
            with suppress(StoreError):  # such as a read-only folder, trusted at each command
                bind(folder)
            return
        if not has_secret():
            raise StoreError(
                f"cannot check whose folder {folder} is: the secret in your data folder cannot be read or created",
                "make your home writable; or, if the folder is yours, set REPOMEM_STORE_TRUST=true",
            )
        if not os.access(folder.parent, os.W_OK):
            raise StoreError(
                f"{folder} was made by another user, on another machine or by an earlier version",
                "run repomem where it can write that folder; or, if you trust it, set REPOMEM_STORE_TRUST=true",
            )
        _set_aside(folder)
        tell(REBUILT)


def _set_aside(folder: Path) -> None:
    """Replace a foreign folder by a new one, with its ledger as an untrusted writer's. Its other files are deleted.

    If this user's own folder was set aside earlier, by another user, its identity and memories return. A ledger set
    aside is deleted if the user or another such ledger has every line, so that alternating users do not fill the disk.
    """
    from repomem.workspace.foreign_ledger import drop_redundant, foreign_records

    with _store_errors(folder):
        draft = Path(tempfile.mkdtemp(prefix=f".{DATA_FOLDER}-", dir=folder.parent))
        aside = folder.with_name(ASIDE + draft.name.rpartition("-")[2])
        bind(draft)
        earlier = [folder, *foreign_folders(folder)]
        if identity := next(filter(None, map(bound_identity, earlier)), ""):
            bind_identity(draft, identity)
        if records := foreign_records(earlier):
            ledger_file.replace(draft, records)
        folder.rename(aside)
        draft.rename(folder)
        _keep_ledger(aside)
        set_aside = foreign_folders(folder)
        drop_redundant(set_aside)
        for each in set_aside:
            with suppress(OSError):
                drop_identity(each)  # the new folder has it
                each.rmdir()  # if it is empty now


def _keep_ledger(folder: Path) -> None:
    """Delete everything in a folder but its ledger and identity; the folder too, if it has neither."""
    for entry in list(os.scandir(folder)):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
        elif entry.name not in FILES_SET_ASIDE or not entry.is_file(follow_symlinks=False):
            Path(entry.path).unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()


def _make(folder: Path, *, is_trusted: bool) -> None:
    """Make a bound folder at once, or leave that to another process. If trusted, it need not be bound."""
    with _store_errors(folder, "make"):
        draft = Path(tempfile.mkdtemp(prefix=f".{DATA_FOLDER}-", dir=folder.parent))
        try:
            with suppress(StoreError) if is_trusted else nullcontext():
                bind(draft)
            draft.rename(folder)
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            if not folder.is_dir():
                raise


@contextmanager
def _alone() -> Iterator[None]:
    """Hold the user's lock for setting folders aside, if there can be one."""
    with suppress(OSError):
        data_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    if not data_folder().is_dir() or not os.access(data_folder(), os.W_OK):
        yield
        return
    with try_lock(data_folder() / "binding.lock", WAIT) as is_held:
        if not is_held:
            raise StoreError(
                "another repomem process is setting up this user's data folder", "wait for it, or end it if it hangs"
            )
        yield


def _store_errors(folder: Path, action: str = "replace") -> AbstractContextManager[None]:
    hint = "check the owner and mode of the git directory, and that the disk is not full"
    return store_errors(f"{action} the folder", folder, hint)


def _check(folder: Path) -> None:
    """Raise StoreError unless it is a folder of this user that no one else may write to, and that can be read."""
    if not folder.is_dir() or folder.is_symlink():
        raise StoreError(f"{folder} is not a folder", "move it away and run the command again")
    with _store_errors(folder, "read"):
        found = folder.stat()
    if not is_own_or_root(found):
        raise StoreError(
            f"{folder} belongs to another user",
            "move it away, or ask its owner to move it: other users could change the index",
        )
    if is_writable_by_all(found):
        raise StoreError(
            f"{folder} is writable by everyone", f"delete it or, if you trust its content, run chmod 700 {folder}"
        )
    if not os.access(folder, os.R_OK | os.X_OK):  # as where root made it
        raise StoreError(
            f"{folder} cannot be read by this user", "work in a clone of your own, or ask its owner to move it"
        )
