"""The request for a brief."""

from dataclasses import dataclass

from repomem.workspace.snapshot import ALWAYS, EVERYWHERE, Scope, Window


@dataclass(frozen=True, slots=True)
class BriefRequest:
    """What to brief on, and how."""

    text: str
    budget: int
    scope: Scope = EVERYWHERE
    window: Window = ALWAYS
    at: str = ""  # a revision to answer for; empty: the worktree
    is_indexed: bool = False  # missing files of that revision are indexed first
    kinds: frozenset[str] = frozenset()  # of items; empty: all
    is_explained: bool = False  # with the reason for each item, beyond the budget
    is_counted: bool = True  # as a use of its memories; a preview is not
    known: frozenset[str] | None = None  # ids that the session was shown already: only new items follow, and briefly
