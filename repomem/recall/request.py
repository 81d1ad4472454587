"""What a recall asks for."""

from dataclasses import dataclass

from repomem.workspace.snapshot import ALWAYS, EVERYWHERE, Scope, Window


@dataclass(frozen=True, slots=True)
class BriefRequest:
    """A recall request."""

    text: str
    budget: int
    scope: Scope = EVERYWHERE
    window: Window = ALWAYS
    at: str = ""  # a revision that is looked at as if it were now; empty: the worktree
    is_indexed: bool = False  # missing files of that revision are indexed first
    kinds: frozenset[str] = frozenset()  # of items; empty: all
    is_explained: bool = False  # with a line on how each item came in, beyond the budget
    is_counted: bool = True  # as a use of the memories that it shows; a preview is none
    known: frozenset[str] | None = None  # ids that the session was shown already: only new items follow, and briefly
