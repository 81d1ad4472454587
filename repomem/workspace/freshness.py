"""Whether the index is up to date with the worktree, by git and the catalog alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict

from repomem import __version__
from repomem.adapters.git.worktree import LONG_STATUS, status
from repomem.core.digests import short_digest
from repomem.core.errors import GitTimeout
from repomem.core.secrets.redact import rules_version
from repomem.core.types.worktree import WorktreeStatus
from repomem.workspace.workspace import GitCheck, StatusOnce, Workspace

CONTENT_FORMAT = 35  # raise it when the same bytes give other rows: everything is then reindexed


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
    return short_digest(repr(parts), 16)


@contextmanager
def one_status(workspace: Workspace) -> Iterator[None]:
    """Ask git for the status only once in the block, for at most LONG_STATUS seconds: it may take a minute."""
    outer = workspace.status_once
    workspace.status_once = outer or StatusOnce()
    try:
        yield
    finally:
        workspace.status_once = outer


def status_of(workspace: Workspace) -> WorktreeStatus:
    """The status of the worktree, reused within the command in progress. Raises GitTimeout."""
    once = workspace.status_once
    if once is None:
        return status(workspace.repository)
    if once.answer is None:
        try:
            once.answer = status(workspace.repository, LONG_STATUS)
        except GitTimeout as error:
            once.answer = error
    if isinstance(once.answer, GitTimeout):
        raise once.answer
    return once.answer


def is_behind(workspace: Workspace) -> bool:
    """Whether something has changed since this worktree was indexed, or it never was."""
    known = workspace.catalog.worktree(workspace.root)
    if known is None:
        return True
    git_check = workspace.git_check or GitCheck(fingerprint(workspace, status_of(workspace)))
    return known.fingerprint != git_check.fingerprint
