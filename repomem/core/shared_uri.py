"""Addresses of shared storage: which there are, and that they hold no credentials."""

import re

from repomem.core.errors import ConfigError

_ADDRESS = re.compile(r"(?:s3|gs|az|db)://[A-Za-z0-9][A-Za-z0-9._/-]*")


def is_shared(uri: str) -> bool:
    """Whether the value of `store.uri` means shared storage and no folder."""
    return "://" in uri


def require_shared(uri: str) -> None:
    """Raise ConfigError for an address that is none of shared storage, or says more than where that is."""
    if not _ADDRESS.fullmatch(uri):  # what it says is not repeated: it may hold a password
        raise ConfigError(
            f"store.uri {uri.partition('://')[0][:20]!r}://… is no address of shared storage that repomem knows",
            "a folder, s3://BUCKET/FOLDER, gs://…, az://… or db://NAME; credentials come from the environment",
        )
