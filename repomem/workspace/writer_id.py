"""An anonymous id for each user and machine, for places that many machines write to."""

import re
import secrets
from contextlib import suppress
from pathlib import Path

from repomem.core.errors import StoreError
from repomem.core.files import replace_file
from repomem.core.locks import try_lock

ID_BYTES = 8
WAIT = 2.0  # seconds to wait for another process that creates the file
_ID = re.compile(r"[0-9a-f]{16}")


def writer_id() -> str:
    """The id of this user on this machine, 16 hex digits, created once and stored in the user's data folder.

    Where nothing can be kept there, each call gives a new one.
    """
    path = _file()
    known = _kept(path)
    if known:
        return known
    with suppress(OSError, StoreError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with try_lock(path.with_name("writer.lock"), WAIT) as is_held:
            if is_held:
                return _kept(path) or _made(path)
    return secrets.token_hex(ID_BYTES)


def kept_writer_id() -> str:
    """The same. Raises StoreError if it cannot be stored, since each call would get another id."""
    told = writer_id()
    if _kept(_file()) != told:
        raise StoreError(
            f"cannot save this user's writer id in {_file().parent}; a new id would send every memory again",
            "make that folder writable, or set XDG_DATA_HOME to another folder",
        )
    return told


def _file() -> Path:
    from platformdirs import user_data_path

    return user_data_path("repomem", appauthor=False) / "writer"


def _kept(path: Path) -> str:
    """The id in the file; empty if there is none."""
    try:
        with path.open("rb") as file:
            text = file.read(64).decode("ascii", "replace").strip()
    except OSError:
        return ""
    return text if _ID.fullmatch(text) else ""


def _made(path: Path) -> str:
    """A new id, written completely or not at all."""
    made = secrets.token_hex(ID_BYTES)
    replace_file(path, f"{made}\n".encode())
    return made
