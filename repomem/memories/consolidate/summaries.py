"""A labelled one-sentence summary of each group, written by a model; the memories stay unchanged."""

from collections.abc import Callable, Iterable, Sequence

from repomem.adapters.ledger.fold import memories_of
from repomem.core.records import Event, Record, without_undone
from repomem.core.secrets.redact import redact
from repomem.core.text.escape import one_line, visible
from repomem.core.types.text import CleanText
from repomem.workspace.ledger import REPOMEM, ledger_of, origin_of, record_draft, records, records_here
from repomem.workspace.workspace import Workspace

LONGEST = 300  # characters of a sentence
LONGEST_NAME = 80  # of a model's
MOST_NOTES = 20  # of one group that the model gets: they say the same

Write = Callable[[Sequence[CleanText]], str]


def summarize(workspace: Workspace, model: str) -> int:
    """Let a model summarize each group that has no summary yet; gives the number written.

    Raises RepomemError if the model cannot be asked; summaries written before stay.
    """
    from repomem.adapters.models.litellm_text import Model, one_sentence

    asked = Model(model, workspace.loaded.config.llm.api_base)
    return summarize_groups(workspace, model, lambda notes: one_sentence(notes, asked))


def summarize_groups(workspace: Workspace, model: str, write: Write) -> int:
    """The same with any function that writes a summary."""
    known = records_here(workspace)
    memories = memories_of(known)
    count = 0
    for head in groups_to_summarize(workspace, model):
        members = sorted(group_members(known, head))
        texts = [memories[name].said.text for name in (head, *members) if name in memories][:MOST_NOTES]
        notes = list(map(redact, texts))  # newer rules may know more secrets than the ledger was redacted by
        summary = redact(visible(f"{one_line(write(notes), LONGEST)} {_label(model)}"))
        count += _write_summary(workspace, head, members, summary)
    return count


def groups_to_summarize(workspace: Workspace, model: str) -> list[str]:
    """The heads of the groups that have no summary by this model, sorted."""
    known = records_here(workspace)
    memories = memories_of(known)
    heads = {each.grouped_under for each in memories.values() if each.grouped_under and not each.is_forgotten}
    summaries = {head: summary_of(known, head) if head in memories else "" for head in heads}
    return sorted(head for head, old in summaries.items() if old is None or not old.endswith(_label(model)))


def _label(model: str) -> str:
    """The end of a summary that a model wrote."""
    return f"(summary by {one_line(model, LONGEST_NAME)})"


def _write_summary(workspace: Workspace, head: str, members: Sequence[str], summary: CleanText) -> int:
    """Write the group again with its summary, unless the group has changed meanwhile."""
    origin = origin_of(workspace, REPOMEM)

    def make(before: list[Record]) -> list[Record]:
        if sorted(group_members(without_undone(before), head)) != list(members):
            return []
        return records(before, origin, [record_draft(Event.GROUP, *members, other=head, text=summary)])

    return len(ledger_of(workspace).append(make))


def summary_of(records: Sequence[Record], head: str) -> CleanText | None:
    """The summary of a group, with its label; None if it has none, or the group has changed since."""
    groups = [each for each in records if each.event is Event.GROUP and each.other == head and each.text]
    return groups[-1].text if groups and set(groups[-1].targets) == group_members(records, head) else None


def group_members(records: Iterable[Record], head: str) -> set[str]:
    """The memories grouped under a head now."""
    heads: dict[str, str] = {}
    for record in records:
        for target in record.targets:
            if record.event is Event.GROUP:
                heads[target] = record.other
            elif record.event in {Event.RESTORE, Event.FORGET}:
                heads.pop(target, None)
    return {name for name, under in heads.items() if under == head}
