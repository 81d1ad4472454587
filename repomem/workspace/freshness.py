"""Whether the index shows the work tree as it is: answered from git and the catalog alone."""

import hashlib
from dataclasses import asdict

from repomem import __version__
from repomem.adapters.git.worktree import status
from repomem.core.secrets.redact import rules_version
from repomem.core.types.worktree import WorktreeStatus
from repomem.workspace.workspace import Look, Workspace

CONTENT_FORMAT = 7  # raised when the same bytes give other rows of the tables; everything is then indexed anew


def content_stamp() -> str:
    """Names what all that is kept was made by, the rules of redaction among it: another, and it is made anew."""
    return f"{CONTENT_FORMAT} {rules_version()}"


def fingerprint(workspace: Workspace, found: WorktreeStatus) -> str:
    """Names all that the index depends on: equal, and there is nothing to do."""
    config = workspace.loaded.config
    parts = (
        CONTENT_FORMAT,
        rules_version(),
        __version__,  # what is kept for a work tree, the brief among it, is read by the version that wrote it
        config.store.uri,
        found.fingerprint,
        asdict(config.index),
        asdict(config.history),
    )
    return hashlib.blake2b(repr(parts).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def is_behind(workspace: Workspace) -> bool:
    """Whether something has changed since this work tree was indexed, or it never was."""
    known = workspace.catalog.worktree(workspace.root)
    if known is None:
        return True
    look = workspace.look or Look(fingerprint(workspace, status(workspace.repository)))
    return known.fingerprint != look.fingerprint
