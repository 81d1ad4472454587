"""The addition of a prompt to its session's brief: a few relevant items not shown yet.

Memories need no LanceDB. Places in the code load it, which takes a second: they come with the first prompt that names a
task.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from repomem.brief.render import brief_of
from repomem.core.secrets.redact import redact
from repomem.core.types.brief import Brief, Gate
from repomem.items.memories import memory_items
from repomem.items.session_notes import note_items
from repomem.items.task_context import TaskContext
from repomem.memories.snapshots.snapshot import memories_now
from repomem.ranking.query import Query
from repomem.workspace.identity import state_of
from repomem.workspace.run import Run
from repomem.workspace.workspace import Workspace

BUDGET = 500  # tokens, the frame included
LONGEST_PROMPT = 4_000  # characters read of it: a pasted log is not a task
FEWEST_WORDS = 4  # of a prompt that names a task without an identifier; "go on" names none


@dataclass(frozen=True, slots=True)
class Addition:
    """A brief of new items, and their ids."""

    text: str
    ids: tuple[str, ...]
    brief: Brief | None = None  # None if nothing is new


def names_task(prompt: str) -> bool:
    """Whether a prompt says enough to look for places in the code."""
    query = Query(prompt[:LONGEST_PROMPT])
    return not prompt.lstrip().startswith("/") and (len(query.words) >= FEWEST_WORDS or bool(query.identifiers))


def memories_for(workspace: Workspace, prompt: str, shown: Sequence[str], budget: int = BUDGET) -> Addition | None:
    """The relevant memories that the session was not shown yet; None if there are none."""
    from repomem.recall.brief import new_items_draft

    published = workspace.catalog.worktree(workspace.root)
    if published is None or not names_task(prompt):
        return None
    known = memories_now(workspace)
    if not known.records:
        return None
    text, state = redact(prompt[:LONGEST_PROMPT]), state_of(workspace, published)
    memories = memory_items(workspace, known, TaskContext(Query(text)))
    notes = list(note_items(workspace, known, Query(text), state.head))
    if not (memories.is_relevant or notes):
        return None
    draft = new_items_draft([*memories.items, *notes], frozenset(shown))
    gate = Gate("use", "a memory is relevant")
    return _addition(brief_of(draft, state, text, budget, gate))


def places_and_memories_for(
    workspace: Workspace, prompt: str, shown: Sequence[str], run: Run, budget: int = BUDGET
) -> Addition | None:
    """The same with places in the code and their history; loads LanceDB."""
    from repomem.recall.answer import recall_now
    from repomem.recall.ask import Ask

    ask = Ask(prompt[:LONGEST_PROMPT], budget, known=frozenset(shown))
    brief = recall_now(workspace, ask, run)
    return _addition(brief) if brief.gate.state == "use" else None


def _addition(brief: Brief) -> Addition | None:
    ids = tuple(item.id for item in brief.items if item.id)
    return Addition(brief.markdown.rstrip("\n"), ids, brief) if ids else None
