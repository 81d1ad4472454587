"""Set up shared storage, report its state, and delete from it."""

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from repomem.core.errors import ConfigError, StoreError
from repomem.core.shared_storage import is_shared, require_shared
from repomem.pool.files import entry_stamp, last_fault, opened_pool
from repomem.workspace.identity import shared_name
from repomem.workspace.user.writer_id import writer_id
from repomem.workspace.workspace import Workspace

if TYPE_CHECKING:
    from repomem.pool.tables import SharedTable

SETUP_SECONDS = 30.0  # a person waits for the answer


@dataclass(frozen=True, slots=True)
class PoolReport:
    """The state of shared storage for one repository."""

    uri: str
    folder: str  # of this repository there
    writer: str  # this user's writer id
    tables: "tuple[SharedTable, ...]"
    failed_at: str  # when a run last went on without it; empty if the last one did not
    failure: str


def set_up_pool(workspace: Workspace, uri: str) -> tuple[str, bool]:
    """Mark the address, or the configured one, as a pool, where it keeps conditions; the address, and if it is new.

    Raises StoreError if it does not, or holds a pool of another format.
    """
    uri = uri or workspace.loaded.config.store.uri
    if not is_shared(uri):
        fault = f"{uri} is a folder of this machine, not shared storage" if uri else "no shared storage is given"
        raise ConfigError(fault, "repomem store init s3://BUCKET/FOLDER, or set store.uri")
    require_shared(uri)
    from repomem.pool.marker import is_set_up, keeps_conditions, set_mark
    from repomem.pool.network import Network

    with closing(Network(uri)) as network:
        if not network.ask(keeps_conditions(uri), SETUP_SECONDS):
            raise StoreError(
                f"{uri} overwrites existing files despite conditional writes",
                "LanceDB would lose rows there; use storage that supports If-None-Match: AWS S3, R2, MinIO, GCS, Azure",
            )
        is_new = not network.ask(is_set_up(uri), SETUP_SECONDS)
        if is_new:
            network.ask(set_mark(uri), SETUP_SECONDS)
    return uri, is_new


def pool_status(workspace: Workspace) -> PoolReport:
    """The state of shared storage. Raises StoreError if it does not answer."""
    require_pool(workspace)
    with opened_pool(workspace) as pool:
        tables = tuple(pool.facts(entry_stamp()))
    return PoolReport(workspace.pool_uri, shared_name(workspace), writer_id(), tables, *last_fault(workspace))


def prune_pool(workspace: Workspace, writer: str = "", *, is_all: bool = False) -> tuple[str, ...]:
    """Delete tables of this repository, and name them: this writer's of other rules, one writer's, or all."""
    require_pool(workspace)
    stamp, mine = entry_stamp(), writer_id()
    with opened_pool(workspace) as pool:
        doomed = [
            name
            for name in pool.names
            if is_all
            or (writer and name.writer == writer)
            or (not writer and name.kind == "entries" and name.writer == mine and name.stamp != stamp)
        ]
        pool.drop(doomed)
    return tuple(map(str, doomed))


def require_pool(workspace: Workspace) -> None:
    """Raise ConfigError if no shared storage is configured."""
    if not workspace.pool_uri:
        raise ConfigError(
            "no shared storage is configured",
            "set store.uri to its address; to set it up: repomem store init s3://BUCKET/FOLDER",
        )
