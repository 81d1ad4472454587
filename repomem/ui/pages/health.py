"""What `repomem status` knows."""

from collections.abc import Iterable
from dataclasses import dataclass

from repomem.setup.status import StatusReport, status_of
from repomem.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class HealthPage:
    """The state of the index."""

    status: StatusReport
    notices: tuple[str, ...]


def health_page(workspace: Workspace, notices: Iterable[str] = ()) -> HealthPage:
    """The state of this worktree, with earlier notices."""
    return HealthPage(status_of(workspace), tuple(dict.fromkeys([*notices, *workspace.notices])))
