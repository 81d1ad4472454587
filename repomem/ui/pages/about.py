"""What every page shows: the repository, what waits, and what the visitor may do."""

from dataclasses import dataclass

from repomem.adapters.git.log import branch_of
from repomem.memories.review import pending_reviews
from repomem.ui.repository import memories_for_page
from repomem.workspace.identity import name_in
from repomem.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class About:
    """The head of every page."""

    repository: str
    branch: str
    memories: int
    waiting: int
    budget: int  # tokens of a brief, as configured
    is_person: bool  # may confirm, and decide about memories of persons


def about(workspace: Workspace, *, is_person: bool) -> About:
    """The head of every page, now."""
    known = memories_for_page(workspace)
    return About(
        name_in(workspace.repository),
        branch_of(workspace.repository) or "",
        len(known.states),
        len(pending_reviews(known)),
        workspace.loaded.config.recall.budget,
        is_person,
    )
