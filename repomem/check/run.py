"""Check a change against memories and history.

    range -> change (git) -> memories: broken, contradicted
                          -> history: reintroduced code, repeated reverts

It needs no index and no network, and writes nothing.
"""

from dataclasses import dataclass

from repomem.adapters.git.ranges import range_of
from repomem.check.change import CheckedChange, change_of
from repomem.check.findings import CheckFinding, Fault, Level
from repomem.check.memory_findings import broken, contradicted, live_memories
from repomem.check.reintroduced_code import reintroduced_code
from repomem.core.types.commits import short_hash
from repomem.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The findings in a range, warnings first, and what could not be checked."""

    range_text: str  # the range in words
    base: str
    head: str
    commits: int
    files: int
    memories: int  # that were checked
    findings: tuple[CheckFinding, ...]
    gaps: tuple[str, ...]
    since: int = 0  # of the memories, those that do not apply at `base`, but at `head`

    @property
    def warnings(self) -> int:
        """How many findings fail a strict check."""
        return sum(one.level is Level.WARNING for one in self.findings)


def check(workspace: Workspace, asked: str) -> CheckReport:
    """Check the change of a range (see `range_of`; empty: the branch against its upstream)."""
    span = range_of(workspace.repository, asked)
    change = change_of(workspace, span)
    live = live_memories(workspace, change)
    findings = [*broken(live), *contradicted(change, live), *reintroduced_code(change)]
    return CheckReport(
        range_text=f"{span.label} {_ends(span.base, span.head)}",
        base=span.base,
        head=span.head,
        commits=len(change.commits),
        files=len({*change.by_path, *change.renames}),
        memories=len(live),
        since=sum(one.is_since for one in live),
        findings=tuple(sorted(findings, key=_sort_key)),
        gaps=tuple(_gaps(change)),
    )


def _ends(base: str, head: str) -> str:
    """The commits of a range; one alone if only uncommitted changes follow it."""
    return f"(from {short_hash(base)} to {short_hash(head)})" if base != head else f"since {short_hash(base)}"


def _sort_key(one: CheckFinding) -> tuple[bool, int, str, int, str]:
    return one.level is not Level.WARNING, list(Fault).index(one.fault), one.path, one.start_line, one.id


def _gaps(change: CheckedChange) -> list[str]:
    """The data that this clone lacks, which the check cannot see."""
    repository = change.repository
    if repository.is_partial:
        return ["this clone is partial: lines of earlier commits were not compared"]
    if repository.is_shallow:
        return ["this clone is shallow: earlier fixes and memories were not checked; run git fetch --unshallow"]
    return []
