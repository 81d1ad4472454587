"""Whether a clone's data folder was made by this user on this machine.

A `.git` that came as an archive may contain a catalog, tables and a ledger that others wrote. So each data folder has a
file with a token and its HMAC under a secret of the user's. Copying or moving the folder keeps it valid, and so does
restoring a backup; only the secret's owner can make one. Containers that share a folder have one line each.

The repository's identity is stored in the same way, so that this user finds it again in a folder that was set aside.
"""

import hmac
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path

from repomem.core.disk_errors import store_errors
from repomem.core.errors import StoreError
from repomem.core.files import bytes_of, replace_file
from repomem.workspace.user.folders import data_folder, temporary_folder
from repomem.workspace.user.tokens import stored_token, token_in

DATA_FOLDER = "repomem"  # of a clone, in the git common directory: shared by all worktrees, tracked by none
FILE = "binding"  # in the data folder of a clone: a token and its HMAC on each line
IDENTITY_FILE = "identity"  # next to it: the repository's identity and its HMAC on each line
SECRET_FILE = "secret"  # noqa: S105  # the name of the file: in the user's data folder
SECRET_BYTES = 32
TOKEN_BYTES = 16
LARGEST = 1 << 14  # bytes of a binding; a larger file is not ours
PURPOSE = b"repomem data folder\0"  # so that no other use of the secret gives a binding
IDENTITY_PURPOSE = b"repomem identity\0"


def is_bound(folder: Path) -> bool:
    """Whether this user bound the folder."""
    return bool(_own_text(folder / FILE, PURPOSE))


def bind(folder: Path) -> None:
    """Bind the folder to this user, in addition to others. Raises StoreError if that cannot be stored."""
    _add(folder / FILE, PURPOSE, secrets.token_hex(TOKEN_BYTES))


def bound_identity(folder: Path) -> str:
    """The repository's identity that this user stored in the folder; empty if there is none."""
    return _own_text(folder / IDENTITY_FILE, IDENTITY_PURPOSE)


def bind_identity(folder: Path, identity: str) -> None:
    """Store the repository's identity in the folder, for this user. Raises StoreError if that cannot be stored."""
    _add(folder / IDENTITY_FILE, IDENTITY_PURPOSE, identity)


def drop_identity(folder: Path) -> None:
    """Delete this user's identities from the folder, and the file if no other user's is left. Raises OSError."""
    path = folder / IDENTITY_FILE
    lines = _content(path).splitlines()
    own = set(_own_lines(lines, IDENTITY_PURPOSE))
    if not own:
        return
    if kept := [line for line in lines if line not in own]:
        replace_file(path, "".join(f"{line}\n" for line in kept).encode())
    else:
        path.unlink()


def _own_text(path: Path, purpose: bytes) -> str:
    """The first text in a file with an HMAC of this user; empty if there is none."""
    return next(_own_lines(_content(path).splitlines(), purpose), "").partition(" ")[0]


def _own_lines(lines: Sequence[str], purpose: bytes) -> Iterator[str]:
    """The lines with an HMAC of this user."""
    known = [secret for file in _secret_files() if (secret := stored_token(file, SECRET_BYTES))] if lines else []
    for line in lines:
        text, _, mac = line.partition(" ")
        if any(hmac.compare_digest(_mac(secret, purpose, text).encode(), mac.encode()) for secret in known):
            yield line


def _add(path: Path, purpose: bytes, text: str) -> None:
    """Add a text and its HMAC to a file. Raises StoreError."""
    secret = next(filter(None, (token_in(path, SECRET_BYTES) for path in _secret_files())), "")
    if not secret:
        raise StoreError(
            f"cannot write the key of this user to {data_folder()}", "make that folder writable, or set XDG_DATA_HOME"
        )
    with store_errors("write", path):
        data = f"{_content(path)}{text} {_mac(secret, purpose, text)}\n".encode()
        replace_file(path, data[-LARGEST:])


def has_secret() -> bool:
    """Whether the user has a secret; creates it if possible."""
    return bool(token_in(data_folder() / SECRET_FILE, SECRET_BYTES))


def _secret_files() -> Iterator[Path]:
    """In the data folder, and as a last resort in the temporary one, for sandboxes that can write nowhere else."""
    yield data_folder() / SECRET_FILE
    if last_resort := temporary_folder(SECRET_FILE):
        yield last_resort / SECRET_FILE


def _mac(secret: str, purpose: bytes, text: str) -> str:
    return hmac.digest(bytes.fromhex(secret), purpose + text.encode("utf-8", "replace"), "sha256").hex()


def _content(path: Path) -> str:
    return bytes_of(path, LARGEST).decode("ascii", "replace")
