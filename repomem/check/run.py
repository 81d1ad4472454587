"""What a change does to what is known: memories that it breaks or goes against, and mended code that it brings back.

    range -> change (git) -> against the ledger: broken, against a decision
                          -> against the history: brings back, re-reverts

Nothing has to be indexed, nothing is said in the ledger, and no network is asked.
"""

from dataclasses import dataclass

from repomem.adapters.git.ranges import range_of
from repomem.check.change import CheckedChange, change_of
from repomem.check.findings import CheckFinding, Fault, Level
from repomem.check.memory_findings import against, broken, live_memories
from repomem.check.reintroduced_code import reintroduced_code
from repomem.core.types import SHORT_HASH
from repomem.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What was found in a range, warnings first, and what could not be looked at."""

    told: str  # the range in words
    base: str
    head: str
    commits: int
    files: int
    memories: int  # that live and speak of code, a decision or a rule
    findings: tuple[CheckFinding, ...]
    gaps: tuple[str, ...]

    @property
    def warnings(self) -> int:
        """How many findings fail a strict check."""
        return sum(one.level is Level.WARNING for one in self.findings)


def check(workspace: Workspace, asked: str) -> CheckReport:
    """Judge the change that a range names (see `range_of`; empty: what the branch has beyond its upstream)."""
    span = range_of(workspace.repository, asked)
    change = change_of(workspace, span)
    live = live_memories(workspace, change)
    found = [*broken(live), *against(change, live), *reintroduced_code(change)]
    return CheckReport(
        told=f"{span.told} (from {span.base[:SHORT_HASH]} to {span.head[:SHORT_HASH]})",
        base=span.base,
        head=span.head,
        commits=len(change.commits),
        files=len({*change.by_path, *change.renames}),
        memories=len(live),
        findings=tuple(sorted(found, key=_place)),
        gaps=tuple(_gaps(change)),
    )


def _place(one: CheckFinding) -> tuple[bool, int, str, int, str]:
    return one.level is not Level.WARNING, list(Fault).index(one.fault), one.path, one.start_line, one.id


def _gaps(change: CheckedChange) -> list[str]:
    """What this clone lacks, so that silence proves less."""
    repository = change.repository
    if repository.is_partial:
        return ["this clone is partial: what earlier commits did to lines cannot be told"]
    if repository.is_shallow:
        return ["this clone is shallow: fixes and memories from before it begins are not known; git fetch --unshallow"]
    return []
