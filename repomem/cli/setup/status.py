"""`repomem status`: what is indexed, how fresh it is, and its size."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from importlib.util import find_spec

from repomem.cli.index.index import report_pairs
from repomem.cli.terminal.formats import Format, out_json, out_pairs
from repomem.core.errors import ConfigError, EmbeddingError
from repomem.core.packages import install_hint
from repomem.core.text.counts import counted
from repomem.core.text.escape import visible_path
from repomem.index.watch.state import WatchState
from repomem.setup.status import CaptureModel, MemoryCounts, StatusReport, status_of
from repomem.workspace.workspace import Workspace

SCHEMA = "repomem.status/1"

STATES = {
    "current": "up to date",
    "behind": "older than the worktree: the next recall, search or index run updates it",
    "missing": "not built yet: repomem index (if a first run is in progress, --wait waits for it)",
}


def status_command(workspace: Workspace, form: Format) -> None:
    """Print the state of the index of a worktree."""
    status = status_of(workspace)
    if form is Format.JSON:
        out_json({"schema": SCHEMA, **asdict(status), "notices": workspace.notices})
    else:
        out_pairs("Status", _pairs(status, workspace))


def _pairs(status: StatusReport, workspace: Workspace) -> Iterator[tuple[str, str]]:
    yield "repository", f"{status.repository} (id {status.id})"
    none = "none: only the commits of a bare repository are indexed"
    yield "worktree", none if workspace.repository.is_bare else visible_path(status.root)
    yield "index", STATES[status.state]
    if status.state != "missing":
        yield from (pair for pair in report_pairs(status.report) if pair[0] != "index")
    if workspace.repository.is_shallow:
        yield "shallow clone", "older commits are missing: git fetch --unshallow fetches them"
    if (workspace.repository.git_dir / "MERGE_HEAD").exists():
        yield "merge", "in progress: files with conflicts are indexed with the lines of both sides"
    yield "memories", _memories_text(status.memories)
    yield "model", _model(status, workspace)
    yield "on disk", f"{_size(status.catalog_bytes + status.store_bytes)} in {visible_path(status.folder)}"
    others = [visible_path(root) for root in status.worktrees if root != status.root]
    yield "other worktrees", ", ".join(others)
    yield "watch", _watch_text(status.watch) if status.watch else ""
    yield "capture", _capture_text(status.capture) if status.capture else ""


def _memories_text(memories: MemoryCounts) -> str:
    waiting = f"; {memories.waiting:,} to review: repomem review" if memories.waiting else ""
    hidden = f", {memories.hidden:,} hidden" if memories.hidden else ""
    return f"{memories.shown:,} shown here{hidden}{waiting}"


def _capture_text(capture: CaptureModel) -> str:
    if find_spec("litellm") is None:
        return f"{capture.model} is set, but litellm is not installed: {install_hint('llm')}"
    used = f"{capture.model} proposes memories; {capture.tokens:,} of {capture.most:,} tokens used today"
    return used + (f"; the last request failed: {capture.fault}" if capture.fault else "")


def _watch_text(watch: WatchState) -> str:
    if not watch.is_running:
        return f"process {watch.pid} was killed; run repomem watch to start another"
    last = f", the last at {watch.last_run}" if watch.last_run else ""
    trees = len(watch.roots)
    process = f"process {watch.pid} since {watch.since}, by {watch.how}, {counted(trees, 'worktree')}"
    failed = f" failed: {watch.last_failure}" if watch.last_failure else ""
    return f"{process}, {counted(watch.runs, 'index run')}{last}{failed}"


def _size(count: int) -> str:
    """A size in KB or MB."""
    if count < 1 << 20:
        return f"{count / 1024:.0f} KB"
    return f"{count / (1 << 20):,.1f} MB"


def _fault_of_name(workspace: Workspace) -> str:
    """Why the configured name is not a model; empty if it is one."""
    with suppress(EmbeddingError):  # such as a missing folder: reported when the model is used
        try:
            _ = workspace.embedder
        except ConfigError as error:
            return error.message
    return ""


def _model(status: StatusReport, workspace: Workspace) -> str:
    """The configured model, how many chunks it has embedded, and the model in use until then."""
    serving = f"{status.serving}, {status.dimensions} dimensions" if status.serving else "words only"
    if status.state == "missing":
        return f"{status.model}; search by meaning starts after the first index run"
    chunks = status.report.chunks
    if status.embedded == chunks:
        return f"{serving}; vectors of all {chunks:,} chunks" if chunks else serving
    if fault := _fault_of_name(workspace):
        return f"{fault}; until then {serving}"
    done = f"{'some' if status.embedded is None else f'{status.embedded:,}'} of {chunks:,} chunks"
    if workspace.space and workspace.space.spec == status.model:
        return f"{serving}; vectors of {done}: run repomem index"
    vectors = "no vectors yet" if status.embedded is None else f"with vectors of {done}"
    return f"{status.model}, {vectors}: run repomem index; until then {serving}"
