"""What is known, how fresh, how large. Reads git and the catalog alone."""

from dataclasses import dataclass
from pathlib import Path

from repomem.operations.freshness import is_behind
from repomem.operations.identity import identity_of, name_of
from repomem.operations.report import IndexReport, last_report
from repomem.operations.workspace import Workspace


@dataclass(frozen=True, slots=True)
class StatusReport:
    """The state of the index of this work tree."""

    repository: str
    id: str
    root: str
    state: str  # current, behind, or missing where nothing was indexed
    report: IndexReport
    model: str
    dimensions: int
    catalog_bytes: int
    store_bytes: int
    worktrees: tuple[str, ...]
    folder: str


def status_of(workspace: Workspace) -> StatusReport:
    """The state of the index, against the work tree as it is."""
    known = workspace.catalog.worktree(workspace.root)
    return StatusReport(
        repository=name_of(workspace),
        id=identity_of(workspace),
        root=workspace.root,
        state="missing" if known is None else "behind" if is_behind(workspace) else "current",
        report=last_report(workspace, "current"),
        model=workspace.embedder.model_id,
        dimensions=workspace.embedder.dimensions,
        catalog_bytes=_bytes(workspace.folder / "catalog.sqlite"),
        store_bytes=_bytes(workspace.store_folder),
        worktrees=tuple(each.root for each in workspace.catalog.worktrees()),
        folder=str(workspace.folder),
    )


def _bytes(path: Path) -> int:
    if path.is_dir():
        return sum(file.lstat().st_size for file in path.rglob("*") if file.is_file())
    return path.lstat().st_size if path.exists() else 0
