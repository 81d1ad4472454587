"""Remember something now: the work tree as it is, the anchors seen in the text, the write, and what follows from it."""

from repomem.core.errors import NotFound, StoreError
from repomem.core.records import Anchor
from repomem.operations.ledgers import Speaker
from repomem.operations.memories import Remembered, remembered
from repomem.operations.places import place_now
from repomem.operations.reading import snapshot
from repomem.operations.remember import Outcome, Statement, remember
from repomem.operations.workspace import Workspace

__all__ = ["Outcome", "Statement", "known_now", "remember_now"]


def known_now(workspace: Workspace) -> Remembered:
    """The memories as they stand in the work tree as it is."""
    return remembered(workspace, place_now(workspace))


def remember_now(workspace: Workspace, statement: Statement, speaker: Speaker) -> tuple[Outcome, Remembered]:
    """Keep a statement; what became of it, and the memories as they stood before."""
    known = known_now(workspace)
    found = () if statement.on else _anchors_in(workspace, f"{statement.text}\n{statement.why}")
    return remember(workspace, known, statement, speaker, found), known


def _anchors_in(workspace: Workspace, text: str) -> tuple[Anchor, ...]:
    """The code that a text names without doubt, as far as it is indexed; a memory is kept without it all the same."""
    from repomem.operations.find_anchors import found_anchors

    try:
        found = snapshot(workspace)
        return found_anchors(found, text) if found else ()
    except (NotFound, StoreError):
        return ()
