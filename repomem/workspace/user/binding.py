"""Whether a clone's data folder was made by this user on this machine.

A `.git` that came as an archive may contain a catalog, tables and a ledger that others wrote. So each data folder has a
file with a token and its HMAC under a secret of the user's. Copying or moving the folder keeps it valid, and so does
restoring a backup; only the secret's owner can make one. Containers that share a folder have one line each.
"""

import hmac
import secrets
from collections.abc import Iterator
from pathlib import Path

from repomem.core.errors import StoreError
from repomem.core.files import bytes_of, replace_file
from repomem.workspace.user.folders import data_folder, temporary_folder
from repomem.workspace.user.tokens import kept_token, token_in

FILE = "binding"  # in the data folder of a clone: a token and its HMAC on each line
SECRET_FILE = "secret"  # noqa: S105  # the name of the file: in the user's data folder
SECRET_BYTES = 32
TOKEN_BYTES = 16
LARGEST = 1 << 14  # bytes of a binding; a larger file is not ours
PURPOSE = b"repomem data folder\0"  # so that no other use of the secret gives a binding


def is_bound(folder: Path) -> bool:
    """Whether this user bound the folder."""
    lines = [line.partition(" ") for line in _content(folder / FILE).splitlines()]
    known = [secret for path in _secret_files() if (secret := kept_token(path, SECRET_BYTES))] if lines else []
    return any(
        hmac.compare_digest(_mac(secret, token).encode(), mac.encode()) for token, _, mac in lines for secret in known
    )


def bind(folder: Path) -> None:
    """Bind the folder to this user, in addition to others. Raises StoreError if that cannot be stored."""
    secret = next(filter(None, (token_in(path, SECRET_BYTES) for path in _secret_files())), "")
    if not secret:
        raise StoreError(
            f"cannot write the key of this user to {data_folder()}", "make that folder writable, or set XDG_DATA_HOME"
        )
    token = secrets.token_hex(TOKEN_BYTES)
    try:
        data = f"{_content(folder / FILE)}{token} {_mac(secret, token)}\n".encode()
        replace_file(folder / FILE, data[-LARGEST:])
    except OSError as error:
        hint = "check the owner and mode of its folder, and that the disk is not full"
        raise StoreError(f"cannot write {folder / FILE}: {error.strerror}", hint) from error


def has_secret() -> bool:
    """Whether the user's data folder keeps a secret, made now if it can be."""
    return bool(token_in(data_folder() / SECRET_FILE, SECRET_BYTES))


def _secret_files() -> Iterator[Path]:
    """In the data folder, and as a last resort in the temporary one, for sandboxes that can write nowhere else."""
    yield data_folder() / SECRET_FILE
    if last_resort := temporary_folder(SECRET_FILE):
        yield last_resort / SECRET_FILE


def _mac(secret: str, token: str) -> str:
    return hmac.digest(bytes.fromhex(secret), PURPOSE + token.encode("utf-8", "replace"), "sha256").hex()


def _content(path: Path) -> str:
    return bytes_of(path, LARGEST).decode("ascii", "replace")
