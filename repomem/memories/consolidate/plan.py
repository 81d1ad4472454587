"""The plan of a consolidation: which memories to group and which to archive. Nothing is ever deleted."""

from dataclasses import dataclass

from repomem.memories.consolidate.archiving import Archival, archivals_of
from repomem.memories.consolidate.consolidation_input import ConsolidationInput
from repomem.memories.consolidate.grouping import Group, groups_of


@dataclass(frozen=True, slots=True)
class Plan:
    """The groups to make and the memories to archive; both can be undone."""

    groups: tuple[Group, ...] = ()
    archives: tuple[Archival, ...] = ()


def plan(stock: ConsolidationInput, most_live: int) -> Plan:
    """The groups and memories to archive; equal input gives an equal plan."""
    groups = tuple(groups_of(stock))
    grouped = {name for group in groups for name in group.members}
    return Plan(groups, tuple(archivals_of(stock, grouped, most_live)))
