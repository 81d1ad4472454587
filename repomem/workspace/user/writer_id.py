"""An anonymous id for each user and machine, for places that many machines write to."""

import secrets
from pathlib import Path

from repomem.core.errors import StoreError
from repomem.workspace.user.folders import data_folder
from repomem.workspace.user.tokens import stored_token, token_in

ID_BYTES = 8
SEED_BYTES = 32


def writer_id() -> str:
    """The id of this user on this machine, 16 hex digits, created once and stored in the user's data folder.

    If it cannot be stored, each call gives a new one.
    """
    return token_in(_file(), ID_BYTES) or secrets.token_hex(ID_BYTES)


def stored_writer_id() -> str:
    """The same. Raises StoreError if it cannot be stored, since each call would get another id."""
    current = writer_id()
    if stored_token(_file(), ID_BYTES) != current:
        raise StoreError(
            f"cannot save this user's writer id in {_file().parent}; a new id would send every memory again",
            "make that folder writable, or set XDG_DATA_HOME to another folder",
        )
    return current


def signing_seed() -> bytes:
    """32 random bytes that give this user's signing key, stored next to the id; none if they cannot be stored."""
    return bytes.fromhex(token_in(_file().with_name("signing-key"), SEED_BYTES))


def _file() -> Path:
    return data_folder() / "writer"
