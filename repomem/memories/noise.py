"""Memories that a person forgot as noise: similar texts are not captured again.

A forget record with the text NOISE marks one. The last forget record of a memory counts: a plain one clears the mark.
"""

from collections.abc import Iterable

from repomem.core.records import Event, Record
from repomem.core.types.text import CleanText
from repomem.workspace.ledger import Speaker, append_records, origin_of, record_draft, records_here
from repomem.workspace.user.own_memories import own_ledger
from repomem.workspace.workspace import Workspace

NOISE = CleanText("noise")


def noise_here(workspace: Workspace) -> dict[str, CleanText]:
    """The texts of the memories that were forgotten as noise in this clone, and of the user's own, by id."""
    return noise_in([*records_here(workspace), *own_ledger().records()])


def noise_in(records: Iterable[Record]) -> dict[str, CleanText]:
    """The texts of the memories that these records forget as noise, by id."""
    texts: dict[str, CleanText] = {}
    noise: dict[str, CleanText] = {}
    for record in records:
        if record.said:
            texts[record.id] = record.said.sentence or record.said.text
        elif record.event is Event.FORGET and not record.origin.writer:
            for target in record.targets:
                noise.pop(target, None)
                if record.text == NOISE and target in texts:
                    noise[target] = texts[target]
    return noise


def reset_noise(workspace: Workspace, speaker: Speaker) -> int:
    """Let what looks like forgotten noise be captured again; returns the number of texts. They stay forgotten."""
    known = list(noise_here(workspace))
    if known:
        append_records(workspace, origin_of(workspace, speaker), record_draft(Event.FORGET, *known))
    return len(known)
