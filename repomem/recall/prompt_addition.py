"""The addition of a prompt to its session's brief: a few relevant items not shown yet.

Memories need no LanceDB. Places in the code load it, which takes a second: they come with the first prompt that names a
task.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from repomem.brief.items import CandidateItem
from repomem.brief.render import brief_of
from repomem.core.secrets.redact import redact
from repomem.core.text.words import stems_of
from repomem.core.types.brief import Brief, Gate
from repomem.items.memories import MemoryItems, memory_items
from repomem.items.session_notes import note_items
from repomem.items.task_context import TaskContext
from repomem.memories.snapshots.snapshot import MemorySnapshot, memories_now
from repomem.ranking.query import Query
from repomem.workspace.identity import state_of
from repomem.workspace.run import Run
from repomem.workspace.workspace import Workspace

BUDGET = 500  # tokens, the frame included
LONGEST_PROMPT = 4_000  # characters read of it: a pasted log is not a task
FEWEST_WORDS = 4  # of a prompt that names a task without an identifier; "go on" names none
SHARED_WORDS = 2  # of a shorter one with a memory that is clearly about it: "run the tests again" has two, "go on" one


@dataclass(frozen=True, slots=True)
class Addition:
    """A brief of new items, and their ids."""

    text: str
    ids: tuple[str, ...]
    brief: Brief | None = None  # None if nothing is new


def names_task(prompt: str) -> bool:
    """Whether a prompt says enough to look for places in the code."""
    query, word = Query(prompt[:LONGEST_PROMPT]), prompt.strip(" \n.?!")
    is_plain_word = word.isalpha() and word[1:].islower()  # "continue": a query of one word counts as a name
    is_named = bool(query.identifiers) and not is_plain_word
    return not prompt.lstrip().startswith("/") and (len(query.words) >= FEWEST_WORDS or is_named)


def memories_for(workspace: Workspace, prompt: str, shown: Sequence[str], budget: int = BUDGET) -> Addition | None:
    """The relevant memories that the session was not shown yet; None if there are none.

    A prompt that names no task gets only those that are clearly about it and share words with it.
    """
    from repomem.recall.brief import new_items_draft

    query, is_task = Query(prompt[:LONGEST_PROMPT]), names_task(prompt)
    published = workspace.catalog.worktree(workspace.root)
    if published is None or prompt.lstrip().startswith("/") or not (is_task or len(query.words) >= SHARED_WORDS):
        return None
    known = memories_now(workspace)
    if not known.records:
        return None
    text, state = redact(prompt[:LONGEST_PROMPT]), state_of(workspace, published)
    memories = memory_items(workspace, known, TaskContext(Query(text)))
    notes = list(note_items(workspace, known, Query(text), state.head)) if is_task else []
    items = [*memories.items, *notes] if is_task else _surely_meant(query, known, memories)
    if not items or not (memories.is_relevant or notes):
        return None
    draft = new_items_draft(items, frozenset(shown))
    gate = Gate("use", "a memory is relevant")
    return _addition(brief_of(draft, state, text, budget, gate))


def _surely_meant(query: Query, known: MemorySnapshot, memories: MemoryItems) -> list[CandidateItem]:
    """The memories that are clearly about a short prompt, each with the one that may change it.

    Without words in common with the prompt, they are hardly ever about it.
    """
    words = stems_of(" ".join(query.words))
    texts = {name: f"{known.said(name).text} {known.said(name).why}" for name in memories.certain}
    chosen = {name for name, text in texts.items() if len(words & stems_of(text)) >= SHARED_WORDS}
    chosen |= {memories.later[name] for name in chosen if name in memories.later}
    return [each for each in memories.items if not chosen.isdisjoint(each.sources)]


def places_and_memories_for(
    workspace: Workspace, prompt: str, shown: Sequence[str], run: Run, budget: int = BUDGET
) -> Addition | None:
    """The same with places in the code and their history; loads LanceDB."""
    from repomem.recall.answer import recall_now
    from repomem.recall.request import BriefRequest

    ask = BriefRequest(prompt[:LONGEST_PROMPT], budget, known=frozenset(shown))
    brief = recall_now(workspace, ask, run)
    return _addition(brief) if brief.gate.state == "use" else None


def _addition(brief: Brief) -> Addition | None:
    ids = tuple(item.id for item in brief.items if item.id)
    return Addition(brief.markdown.rstrip("\n"), ids, brief) if ids else None
