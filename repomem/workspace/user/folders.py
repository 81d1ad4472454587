"""The folders of this user outside of any repository: for data, and a last resort in the temporary folder."""

import os
import stat
from pathlib import Path

from repomem.core.processes.owners import is_own, is_writable_by_all, user

LEDGERS = "ledgers"  # in the data folder: a copy of each repository's ledger
TEMPORARY = ("TMPDIR", "TEMP", "TMP")  # variables that name the temporary folder, in order of precedence


def data_folder() -> Path:
    """The user's data folder, `~/.local/share/repomem` on Linux, whether it exists or not."""
    from platformdirs import user_data_path

    return user_data_path("repomem", appauthor=False)


def temporary_folder(name: str) -> Path | None:
    """A folder that only this user can write to; None if others own it or may write to it, or it cannot exist."""
    temporary = _temporary_folder()
    if temporary is None:
        return None
    folder = temporary / f"repomem-{user()}" / name
    is_ours = all(_is_absent_or_ours(each) for each in (folder.parent, folder))
    return folder if is_ours else None


def _is_absent_or_ours(folder: Path) -> bool:
    try:
        found = folder.lstat()
    except OSError:
        return True
    return stat.S_ISDIR(found.st_mode) and is_own(found) and not is_writable_by_all(found)


def _temporary_folder() -> Path | None:
    """The temporary folder. `tempfile` would write to find it, and fall back to the worktree."""
    named = [os.environ.get(name, "") for name in TEMPORARY]
    if os.name == "posix":
        named.append("/tmp")  # noqa: S108  # we use a checked folder of our own in it
    return next((Path(each) for each in named if each and os.path.isabs(each) and os.path.isdir(each)), None)  # noqa: PTH112, PTH117  # Path.is_dir raises where it may not look
