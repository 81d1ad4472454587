"""The indexed files, their freshness and size, and how many memories there are; writes nothing."""

from dataclasses import dataclass
from pathlib import Path

from repomem.capture.model_budget import last_fault, used_today
from repomem.index.report import IndexReport, last_report
from repomem.index.watch.state import WatchState, watch_state
from repomem.memories.review import pending_reviews
from repomem.memories.snapshots.snapshot import memories_unfollowed
from repomem.workspace.freshness import is_behind
from repomem.workspace.identity import identity_of, name_in
from repomem.workspace.workspace import LEFT, Workspace, are_vectors_complete


@dataclass(frozen=True, slots=True)
class CaptureModel:
    """The model that proposes memories, and its tokens of today (UTC)."""

    model: str
    tokens: int
    most: int
    fault: str  # why the last request failed; empty: it did not


@dataclass(frozen=True, slots=True)
class MemoryCounts:
    """Numbers of memories that are not forgotten."""

    shown: int  # that a brief may show here
    waiting: int  # of these and the hidden ones, those that `repomem review` lists
    hidden: int  # superseded, archived, grouped, or of another branch


@dataclass(frozen=True, slots=True)
class StatusReport:
    """The state of the index of this worktree."""

    repository: str
    id: str
    root: str
    state: str  # current, behind, or missing where nothing was indexed
    report: IndexReport
    model: str  # as configured
    dimensions: int  # of the vectors in use; 0 if there are none
    serving: str  # the model whose vectors are in use; empty: queries use words only
    embedded: int | None  # live chunks with a vector of the configured model; None: unknown
    catalog_bytes: int
    store_bytes: int
    worktrees: tuple[str, ...]
    folder: str
    watch: WatchState | None
    memories: MemoryCounts
    capture: CaptureModel | None = None  # if one is configured


def status_of(workspace: Workspace) -> StatusReport:
    """The state of the index, against the worktree as it is."""
    known = workspace.catalog.worktree(workspace.root)
    report, space = last_report(workspace, "current"), workspace.space
    return StatusReport(
        repository=name_in(workspace.repository),
        id=identity_of(workspace),
        root=workspace.root,
        state="missing" if known is None else "behind" if is_behind(workspace) else "current",
        report=report,
        model=workspace.loaded.config.embedding.model,
        dimensions=space.dimensions if space else 0,
        serving=space.model if space else "",
        embedded=_embedded(workspace, report.chunks),
        catalog_bytes=_bytes(workspace.folder / "catalog.sqlite"),
        store_bytes=_bytes(workspace.store_folder),
        worktrees=tuple(each.root for each in workspace.catalog.worktrees() if Path(each.root).exists()),
        folder=str(workspace.folder),
        watch=watch_state(workspace.folder),
        memories=_memory_counts(workspace),
        capture=_capture_model(workspace),
    )


def _memory_counts(workspace: Workspace) -> MemoryCounts:
    known = memories_unfollowed(workspace)
    shown = len(known.outlines.where(is_shown=bool).here)
    return MemoryCounts(shown, len(pending_reviews(known)), len(known.states) - shown)


def _capture_model(workspace: Workspace) -> CaptureModel | None:
    config = workspace.loaded.config.capture
    if not config.llm:
        return None
    return CaptureModel(config.llm, used_today(workspace), config.llm_tokens_per_day, last_fault(workspace))


def _embedded(workspace: Workspace, chunks: int) -> int | None:
    """How many chunks have a vector; missing ones of all worktrees are counted together."""
    if are_vectors_complete(workspace):
        return chunks
    left = workspace.catalog.meta(LEFT)
    return max(chunks - int(left), 0) if left.isdecimal() and left != "0" else None


def _bytes(path: Path) -> int:
    if path.is_dir():
        return sum(file.lstat().st_size for file in path.rglob("*") if file.is_file())
    return path.lstat().st_size if path.exists() else 0
