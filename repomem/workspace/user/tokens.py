"""Random values that are made once for each user and kept in the user's data folder."""

import re
import secrets
from contextlib import suppress
from pathlib import Path

from repomem.core.errors import StoreError
from repomem.core.files import replace_file
from repomem.core.processes.locks import try_lock

WAIT = 2.0  # seconds to wait for another process that creates the file
LONGEST = 256  # bytes that are read of the file


def stored_token(path: Path, size: int) -> str:
    """The token in a file, `size` random bytes as hex digits; empty if the file has none."""
    try:
        with path.open("rb") as file:
            text = file.read(LONGEST).decode("ascii", "replace").strip()
    except OSError:
        return ""
    return text if re.fullmatch(rf"[0-9a-f]{{{2 * size}}}", text) else ""


def token_in(path: Path, size: int) -> str:
    """The same, created if missing; empty if it cannot be stored there."""
    if known := stored_token(path, size):
        return known
    with suppress(OSError, StoreError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with try_lock(path.with_name(f"{path.name}.lock"), WAIT) as is_held:
            if is_held:
                return stored_token(path, size) or _made(path, size)
    return ""


def _made(path: Path, size: int) -> str:
    """A new token, written completely or not at all."""
    made = secrets.token_hex(size)
    replace_file(path, f"{made}\n".encode())
    return made
