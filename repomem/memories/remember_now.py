"""Remember something now: the work tree as it is, the anchors seen in the text, the write, and what follows from it."""

from repomem.core.errors import NotFound, StoreError
from repomem.core.records import Anchor, Origin
from repomem.memories.at_head import Remembered, remembered
from repomem.memories.mentions import mentions
from repomem.memories.places import place_now
from repomem.memories.remember import Outcome, Statement, remember
from repomem.sessions.lifecycle import session_for
from repomem.workspace.ledger import Speaker, origin_of
from repomem.workspace.repairs import repaired
from repomem.workspace.snapshot import snapshot
from repomem.workspace.workspace import Workspace

__all__ = ["Outcome", "Statement", "known_now", "remember_now"]


def known_now(workspace: Workspace) -> Remembered:
    """The memories as they stand in the work tree as it is."""
    return repaired(workspace, lambda: remembered(workspace, place_now(workspace)))


def remember_now(workspace: Workspace, statement: Statement, speaker: Speaker) -> tuple[Outcome, Remembered]:
    """Keep a statement; what became of it, and the memories as they stood before."""
    return repaired(workspace, lambda: _remembered_now(workspace, statement, speaker))


def _remembered_now(workspace: Workspace, statement: Statement, speaker: Speaker) -> tuple[Outcome, Remembered]:
    known = known_now(workspace)
    origin = origin_of(workspace, speaker, session_for(workspace, known.records, speaker))
    return keep_statement(workspace, known, statement, origin), known


def keep_statement(workspace: Workspace, known: Remembered, statement: Statement, origin: Origin) -> Outcome:
    """Keep a statement of any origin, on the code that its words name where it names none itself."""
    found = () if statement.on else _anchors_in(workspace, f"{statement.text}\n{statement.why}")
    is_indexed = workspace.catalog.worktree(workspace.root) is not None
    if not statement.on and not is_indexed and mentions(statement.text):
        workspace.notices.append(
            "nothing is indexed yet, so no code was looked for in the text; --on PATH:SYMBOL names it"
        )
    return remember(workspace, known, statement, origin, found)


def _anchors_in(workspace: Workspace, text: str) -> tuple[Anchor, ...]:
    """The code that a text names without doubt, as far as it is indexed; a memory is kept without it all the same."""
    from repomem.memories.find_anchors import found_anchors

    try:
        found = snapshot(workspace)
        return found_anchors(found, text) if found else ()
    except (NotFound, StoreError):
        return ()
