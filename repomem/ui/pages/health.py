"""What `repomem status`, `status --memory` and `doctor` know."""

from collections.abc import Iterable
from dataclasses import dataclass

from repomem.memories.memory_report import MemoryReport, memory_report
from repomem.setup.doctor import HealthCheck, health_checks
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


def figures(workspace: Workspace) -> MemoryReport:
    """The figures of the memories, which take a second for ten thousand."""
    return memory_report(workspace)


def checks(workspace: Workspace) -> list[HealthCheck]:
    """The checks of doctor, which take seconds for a large index; repairs nothing."""
    return list(health_checks(workspace))
