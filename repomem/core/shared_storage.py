"""Shared storage for an index run: valid addresses, and the files to download and upload."""

from collections import Counter
from dataclasses import dataclass, field

from repomem.core.errors import ConfigError
from repomem.core.text.lazy_pattern import lazy_pattern

_ADDRESS = lazy_pattern(r"(?:s3|gs|az)://[A-Za-z0-9][A-Za-z0-9._/-]*")


@dataclass(slots=True)
class SharedFiles:
    """Downloaded outlines of new files, and outlines to upload, by blob id; an outline is opaque bytes."""

    outlines: dict[str, bytes] = field(default_factory=dict)
    writers: dict[str, str] = field(default_factory=dict)  # of `outlines`
    lacking: set[str] = field(default_factory=set)  # requested blobs that shared storage does not have
    gathered: dict[str, bytes] = field(default_factory=dict)  # to upload
    taken: int = 0
    refused: Counter[str] = field(default_factory=Counter)  # files whose outline contradicted the file, by writer

    def record(self, blob: str, outline: bytes, *, is_taken: bool, is_refused: bool) -> None:
        """Count a parsed file whose outline was downloaded, or keep its own to upload."""
        self.taken += is_taken
        if is_refused:
            self.refused[self.writers[blob]] += 1
        if outline and blob in self.lacking:
            self.gathered[blob] = outline


def is_shared(uri: str) -> bool:
    """Whether the value of `store.uri` is shared storage rather than a folder."""
    return "://" in uri


def require_shared(uri: str, option: str = "") -> None:
    """Raise ConfigError for an unknown scheme, or an address with credentials or options; `option` introduces it."""
    if not _ADDRESS.fullmatch(uri):  # not shown in full: it may contain a password
        raise ConfigError(
            f"{option}{uri.partition('://')[0][:20]}://… is not a supported address of shared storage",
            f"use {'a folder, ' * bool(option)}s3://BUCKET/FOLDER, gs://… or az://…; credentials come from"
            " the environment",
        )
