"""The work on tables that lasts, minutes where they are large: nobody who adds rows or publishes waits for it.

LanceDB commits it as transactions of its own, which keep the rows that are added meanwhile. Of two such works on one
table one would fail, and none may meet a table that is being replaced: each holds the tables' lock. The write lock is
taken for the stamp alone. A power cut between the two may cost rows that were added since, which git gives again.
"""

from collections.abc import Callable

from repomem.adapters.sqlite.catalog import TableStamp
from repomem.core.locks import TABLES_LOCK, try_lock, write_lock
from repomem.workspace.workspace import Workspace

TABLES_WAIT = 1.0  # seconds: whoever holds the lock for longer optimises, which brings the indexes up to date too


def index_tables(workspace: Workspace) -> None:
    """Build the indexes of all tables where they are missing or cover too little."""
    for name in workspace.tables:
        index_table(workspace, name)


def index_table(workspace: Workspace, name: str) -> None:
    """Build the indexes of a table where they are missing or cover too little, unless another works on tables."""
    _worked(workspace, name, workspace.store.index)


def optimise_table(workspace: Workspace, name: str) -> None:
    """Merge a table's fragments and bring its indexes up to date, unless another works on tables."""
    _worked(workspace, name, workspace.store.optimise)


def _worked(workspace: Workspace, name: str, work: Callable[[str], None]) -> None:
    with try_lock(workspace.folder / TABLES_LOCK, TABLES_WAIT) as is_held:
        if is_held:
            work(name)
            with write_lock(workspace.folder):
                _stamp(workspace, name)


def _stamp(workspace: Workspace, name: str) -> None:
    """Stamp what this handle shows, unless somebody has published a later version meanwhile."""
    known = workspace.catalog.table_stamp(name)
    if known and workspace.store.shows(name, known.version):
        workspace.catalog.stamp_table(name, TableStamp(*workspace.store.stamp(name)))
