"""What is done behind the user's back, in a process of its own: finishing an index, optimising, dropping dead rows."""

from pathlib import Path

from repomem.adapters.sqlite.catalog import TableStamp
from repomem.core.background import start_detached
from repomem.core.locks import tables_lock, try_lock, write_lock
from repomem.index.table_upkeep import optimise_table
from repomem.index.vectors import are_whole
from repomem.workspace.workspace import INDEX_LOCK, Workspace

INDEX_WAIT = 5.0  # seconds for the index run that started the upkeep to end; a later one starts it again
DEAD_SHARE = 0.5  # of the rows: more dead than live ones are dropped


def index_behind_its_back(workspace: Workspace) -> None:
    """Start an index run that outlives this process, and that nobody waits for."""
    _start(workspace, "index", "--quiet")


def maintain_behind_its_back(workspace: Workspace) -> None:
    """Start the upkeep of the tables if a search would feel its lack."""
    if any(workspace.store.wants_optimising(name) for name in workspace.tables):
        _start(workspace, "maintain")


def maintain(workspace: Workspace) -> None:
    """Drop dead rows where they outnumber the live ones, merge fragments, bring the indexes up to date.

    One process at a time does this; a second one has nothing to add and goes.
    """
    with try_lock(workspace.folder / "maintain.lock") as is_held:
        if is_held:
            _drop_vanished_worktrees(workspace)
            _drop_dead_chunks(workspace)
            _drop_other_vectors(workspace)
            for name in workspace.tables:
                if workspace.store.wants_optimising(name):
                    optimise_table(workspace, name)


def _drop_vanished_worktrees(workspace: Workspace) -> None:
    gone = [each.root for each in workspace.catalog.worktrees() if not Path(each.root).is_dir()]
    with write_lock(workspace.folder):
        for root in gone:
            workspace.catalog.drop_worktree(root)


def _drop_dead_chunks(workspace: Workspace) -> None:
    """Nothing is dropped beside an index run, whose view names versions that look dead until it is published."""
    with try_lock(workspace.folder / INDEX_LOCK, INDEX_WAIT) as is_held:
        if is_held:
            _drop_chunks(workspace, workspace.catalog.dead_versions())


def _drop_chunks(workspace: Workspace, dead: list[int]) -> None:
    rows = sum(version.chunks for version in workspace.catalog.versions(dead))
    stamp = workspace.catalog.table_stamp("chunks")
    if not dead or stamp is None or rows <= DEAD_SHARE * stamp.rows:
        return
    store = workspace.store  # opened before the lock is taken: importing LanceDB takes seconds
    with tables_lock(workspace.folder), write_lock(workspace.folder):
        names = [name for name in workspace.tables if name != "episodes"]
        for name in names:  # whoever opens a table while it loses rows holds it against no number of them
            workspace.catalog.stamp_table(name, TableStamp(store.stamp(name)[0], 0))
        for name in names:
            store.delete(name, dead)
        stamps = {name: TableStamp(*store.stamp(name)) for name in names}
        workspace.catalog.drop_versions(dead, stamps)


def _drop_other_vectors(workspace: Workspace) -> None:
    """Drop the vectors of models that serve no longer, once no reader can hold them."""
    if not are_whole(workspace):
        return
    for name in set(workspace.store.vector_tables()) - set(workspace.tables):
        with tables_lock(workspace.folder), write_lock(workspace.folder):
            if workspace.store.is_old(name):
                workspace.store.drop(name)
                workspace.catalog.forget_table(name)


def _start(workspace: Workspace, *command: str) -> None:
    start_detached(workspace.repository.top or workspace.repository.git_dir, *command)
