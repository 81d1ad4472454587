"""`repomem status`: what is known, how fresh, how large."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from repomem.core.escape import visible_path
from repomem.interfaces.console import workspace_at
from repomem.interfaces.formats import Format, out_json, out_pairs
from repomem.interfaces.index import report_pairs

if TYPE_CHECKING:
    from repomem.operations.status import StatusReport

SCHEMA = "repomem.status/1"

STATES = {
    "current": "up to date",
    "behind": "behind the work tree: the next recall, search or index brings it up to date",
    "missing": "nothing is indexed yet: run repomem index",
}


def status_command(directory: Path, form: Format) -> None:
    """Print the state of the index of a work tree."""
    from repomem.operations.status import status_of

    with workspace_at(directory) as workspace:
        status = status_of(workspace)
        if form is Format.JSON:
            out_json({"schema": SCHEMA, **asdict(status), "notices": workspace.notices})
        else:
            out_pairs("Status", _pairs(status))


def _pairs(status: "StatusReport") -> Iterator[tuple[str, str]]:
    yield "repository", f"{status.repository} ({status.id})"
    yield "work tree", visible_path(status.root)
    yield "index", STATES[status.state]
    if status.state != "missing":
        yield from (pair for pair in report_pairs(status.report) if pair[0] != "index")
    yield "model", f"{status.model}, {status.dimensions} dimensions"
    yield "on disk", f"{_size(status.catalog_bytes + status.store_bytes)} in {visible_path(status.folder)}"
    others = [visible_path(root) for root in status.worktrees if root != status.root]
    yield "other work trees", ", ".join(others)


def _size(count: int) -> str:
    """Bytes as people read them."""
    if count < 1 << 20:
        return f"{count / 1024:.0f} KB"
    return f"{count / (1 << 20):,.1f} MB"
