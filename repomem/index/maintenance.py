"""Background work on the tables: finishing an index, merging fragments, dropping dead rows.

Maintaining a large table takes minutes, and neither writers nor publishers wait for it: it holds only the tables' lock,
and LanceDB commits it as a transaction that keeps rows added meanwhile. The lock keeps two runs from maintaining one
table, and from touching a table that is being replaced. The write lock is held for the stamp alone. A power cut between
the two may lose rows added since, which git provides again.
"""

from collections.abc import Callable
from pathlib import Path

from repomem.adapters.sqlite.catalog_rows import TableStamp
from repomem.core.processes.background import start_detached
from repomem.core.processes.locks import TABLES_LOCK, tables_lock, try_lock, write_lock
from repomem.workspace.workspace import INDEX_LOCK, Workspace, are_vectors_complete

INDEX_WAIT = 5.0  # seconds for the run that started this to end; a later run starts it again
TABLES_WAIT = 1.0  # seconds; a longer holder optimises, which updates the indexes too
DEAD_SHARE = 0.5  # of the rows: dropped once dead rows outnumber live ones


def index_in_background(workspace: Workspace) -> None:
    """Start an index run that outlives this process."""
    start_detached(workspace.repository.top or workspace.repository.git_dir, "index", "--quiet")


def maintain_in_background(workspace: Workspace) -> None:
    """Start maintenance if searches would benefit."""
    if any(workspace.store.wants_optimising(name) for name in workspace.tables):
        start_detached(workspace.repository.top or workspace.repository.git_dir, "maintain")


def maintain(workspace: Workspace) -> None:
    """Drop dead rows if they outnumber live ones, merge fragments, update indexes. A second process does nothing."""
    with try_lock(workspace.folder / "maintain.lock") as is_held:
        if is_held:
            _drop_vanished_worktrees(workspace)
            _drop_dead_chunks(workspace)
            _drop_other_vectors(workspace)
            for name in workspace.tables:
                if workspace.store.wants_optimising(name):
                    _with_tables_lock(workspace, name, workspace.store.optimise)


def index_tables(workspace: Workspace) -> None:
    """Build indexes of all tables that are missing or cover too few rows."""
    for name in workspace.tables:
        index_table(workspace, name)


def index_table(workspace: Workspace, name: str) -> None:
    """Build a table's indexes if missing or covering too few rows, unless another process works on tables."""
    _with_tables_lock(workspace, name, workspace.store.index)


def _with_tables_lock(workspace: Workspace, name: str, work: Callable[[str], None]) -> None:
    with try_lock(workspace.folder / TABLES_LOCK, TABLES_WAIT) as is_held:
        if is_held:
            work(name)
            with write_lock(workspace.folder):
                _stamp(workspace, name)


def _stamp(workspace: Workspace, name: str) -> None:
    """Stamp the version of this handle, unless a later one was published meanwhile."""
    known = workspace.catalog.table_stamp(name)
    if known and workspace.store.shows(name, known.version):
        workspace.catalog.stamp_table(name, TableStamp(*workspace.store.stamp(name)))


def _drop_vanished_worktrees(workspace: Workspace) -> None:
    gone = [each.root for each in workspace.catalog.worktrees() if not Path(each.root).is_dir()]
    with write_lock(workspace.folder):
        for root in gone:
            workspace.catalog.drop_worktree(root)


def _drop_dead_chunks(workspace: Workspace) -> None:
    """Drop them unless an index run is in progress: versions in its view look dead until it publishes."""
    with try_lock(workspace.folder / INDEX_LOCK, INDEX_WAIT) as is_held:
        if is_held:
            _drop_chunks(workspace, workspace.catalog.file_versions.dead())


def _drop_chunks(workspace: Workspace, dead: list[int]) -> None:
    rows = sum(version.chunks for version in workspace.catalog.file_versions.with_ids(dead))
    stamp = workspace.catalog.table_stamp("chunks")
    if not dead or stamp is None or rows <= DEAD_SHARE * stamp.rows:
        return
    store = workspace.store  # opened before locking: importing LanceDB takes seconds
    with tables_lock(workspace.folder), write_lock(workspace.folder):
        names = [name for name in workspace.tables if name != "episodes"]
        for name in names:  # so that a reader that opens a table meanwhile does not miss rows
            workspace.catalog.stamp_table(name, TableStamp(store.stamp(name)[0], 0))
        for name in names:
            store.delete(name, dead)
        stamps = {name: TableStamp(*store.stamp(name)) for name in names}
        workspace.catalog.file_versions.drop(dead, stamps)


def _drop_other_vectors(workspace: Workspace) -> None:
    """Drop vectors of unused models, once no reader can hold them."""
    if not are_vectors_complete(workspace):
        return
    for name in set(workspace.store.vector_tables()) - set(workspace.tables):
        with tables_lock(workspace.folder), write_lock(workspace.folder):
            if workspace.store.is_old(name):
                workspace.store.drop(name)
                workspace.catalog.forget_table(name)
