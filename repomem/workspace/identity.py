"""A repository's name and identity: never a folder's name alone."""

import json
import re
from contextlib import suppress
from pathlib import PurePosixPath

from repomem.adapters.git.log import remote_url, root_commit
from repomem.adapters.git.repository import Repository
from repomem.adapters.sqlite.catalog_rows import Worktree
from repomem.core.digests import short_digest
from repomem.core.errors import StoreDamaged, StoreError
from repomem.core.processes.locks import write_lock
from repomem.core.types.brief import RepositoryState
from repomem.workspace.user.binding import bind_identity, bound_identity
from repomem.workspace.workspace import Workspace


def identity_of(workspace: Workspace) -> str:
    """A hash of the root commit and the remote's address; stored once found, since a shallow clone has no root."""
    known = ""
    with suppress(StoreDamaged):  # the ledger must be found anyway
        known = workspace.catalog.meta("identity")
    return known or bound_identity(workspace.folder) or identity_in(workspace.repository)


def store_identity(workspace: Workspace) -> None:
    """Store the identity while the history is complete: in the catalog, and beside it, where a new catalog finds it."""
    bound, known = bound_identity(workspace.folder), workspace.catalog.meta("identity")
    if not known and (bound or root_commit(workspace.repository)):
        known = bound or identity_in(workspace.repository)
        with write_lock(workspace.folder):
            workspace.catalog.set_meta("identity", known)
    if known and not bound:
        with suppress(StoreError):  # such as a home that cannot be written
            bind_identity(workspace.folder, known)


def shared_name(workspace: Workspace) -> str:
    """The repository's name in shared storage: by its remote's address if it has one.

    A shallow clone does not know the root commit, and must find the data of full clones.
    """
    remote = _normalised(remote_url(workspace.repository) or "")
    known = remote or identity_of(workspace)
    digest = short_digest(known, 6)
    name = re.sub(r"[^a-z0-9]+", "-", name_in(workspace.repository).lower()).strip("-")
    return "-".join(filter(None, (name[:40].strip("-"), digest)))


def state_of(workspace: Workspace, worktree: Worktree) -> RepositoryState:
    """The state of the repository as its worktree was published."""
    report = json.loads(worktree.report)
    return RepositoryState(
        name=name_in(workspace.repository),
        id=identity_of(workspace),
        head=report.get("head", ""),
        branch=report.get("branch", ""),
        is_dirty=bool(report.get("dirty")),
    )


def identity_in(repository: Repository) -> str:
    """The identity of a repository now, stored or not."""
    root = root_commit(repository) or ""
    remote = _normalised(remote_url(repository) or "")
    place = "" if root or remote else str(repository.common_dir)
    return short_digest(f"{root}\0{remote}\0{place}")


def _normalised(url: str) -> str:
    """The same for `git@host:a/b.git`, `ssh://host/a/b` and `https://host/a/b/`."""
    bare = url.removesuffix("/").removesuffix(".git").lower()
    scheme, separator, rest = bare.partition("://")
    return rest if separator else scheme.replace(":", "/", 1)


def name_in(repository: Repository) -> str:
    """A short name: the last part of the remote's address, else of the folder."""
    url = remote_url(repository)
    if url:
        parts = [part.removesuffix(".git") for part in PurePosixPath(url.replace(":", "/")).parts]
        return next(filter(None, reversed(parts)), "")  # a clone of another clone may name its `.git`
    top = repository.top or repository.git_dir
    return top.name.removesuffix(".git")
