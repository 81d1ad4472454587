"""A sentence in a model's words for each group of memories: beside them, labelled, and never in their place."""

from collections.abc import Callable, Iterable, Sequence

from repomem.adapters.ledger.fold import memories_of
from repomem.core.escape import one_line, visible
from repomem.core.records import Event, Memory, Record
from repomem.core.secrets.redact import redact
from repomem.core.types import CleanText
from repomem.memories.consolidate.plan import members_of, prose_of
from repomem.workspace.ledger import Speaker, ledger_of, origin_of, plain_told, records, records_here
from repomem.workspace.workspace import Workspace

LONGEST = 300  # characters of a sentence
LONGEST_NAME = 80  # of a model's
MOST_NOTES = 20  # of one group that a model is given: they say the same

Write = Callable[[Sequence[CleanText]], str]


def summarize(workspace: Workspace, model: str) -> int:
    """Let a model say in a sentence what each group says, where it has not yet; how many it wrote.

    Raises RepomemError where the model cannot be asked; what was written before stays.
    """
    from repomem.adapters.models.litellm_text import Model, one_sentence

    asked = Model(model, workspace.loaded.config.llm.api_base)
    return summarize_groups(workspace, model, lambda notes: one_sentence(notes, asked))


def summarize_groups(workspace: Workspace, model: str, write: Write) -> int:
    """The same by any writer."""
    known = records_here(workspace)
    memories = memories_of(known)
    label = f"(summary by {one_line(model, LONGEST_NAME)})"
    count = 0
    for head in sorted(_heads(memories.values())):
        prose = prose_of(known, head) if head in memories else ""
        if prose is None or not prose.endswith(label):
            members = sorted(members_of(known, head))
            told = [memories[name].said.text for name in (head, *members) if name in memories][:MOST_NOTES]
            notes = list(map(redact, told))  # the ledger may hold what only newer rules know for a secret
            said = redact(visible(f"{one_line(write(notes), LONGEST)} {label}"))
            count += _kept(workspace, head, members, said)
    return count


def _heads(memories: Iterable[Memory]) -> set[str]:
    return {each.grouped_under for each in memories if each.grouped_under and not each.is_forgotten}


def _kept(workspace: Workspace, head: str, members: Sequence[str], said: CleanText) -> int:
    """Write the group down again, now with the sentence, unless it has become another meanwhile."""
    origin = origin_of(workspace, Speaker(tool="repomem"))

    def make(before: list[Record]) -> list[Record]:
        if sorted(members_of(before, head)) != list(members):
            return []
        return records(before, origin, [plain_told(Event.GROUP, *members, other=head, text=said)])

    return len(ledger_of(workspace).append(make))
