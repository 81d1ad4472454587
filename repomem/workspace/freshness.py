"""Whether the index is up to date with the worktree, by git and the catalog alone."""

import hashlib
from dataclasses import asdict

from repomem import __version__
from repomem.adapters.git.worktree import status
from repomem.core.secrets.redact import rules_version
from repomem.core.types.worktree import WorktreeStatus
from repomem.workspace.workspace import Look, Workspace

CONTENT_FORMAT = 12  # raise it when the same bytes give other rows: everything is then reindexed


def content_stamp() -> str:
    """Identifies the content format and redaction rules; if it changes, everything is rebuilt."""
    return f"{CONTENT_FORMAT} {rules_version()}"


def fingerprint(workspace: Workspace, found: WorktreeStatus) -> str:
    """Identifies everything that the index depends on; if equal, there is nothing to do."""
    config = workspace.loaded.config
    parts = (
        CONTENT_FORMAT,
        rules_version(),
        __version__,  # cached data of a worktree, such as the brief, is read only by the version that wrote it
        config.store.uri,
        found.fingerprint,
        asdict(config.index),
        asdict(config.history),
    )
    return hashlib.blake2b(repr(parts).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def is_behind(workspace: Workspace) -> bool:
    """Whether something has changed since this worktree was indexed, or it never was."""
    known = workspace.catalog.worktree(workspace.root)
    if known is None:
        return True
    look = workspace.look or Look(fingerprint(workspace, status(workspace.repository)))
    return known.fingerprint != look.fingerprint
