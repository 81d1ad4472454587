"""Candidate items that need no ranking: facts read from files, and warnings about the index."""

import json
from collections.abc import Iterator, Sequence

from repomem.adapters.sqlite.catalog_rows import Worktree
from repomem.brief import order
from repomem.brief.items import CandidateItem, Rendering
from repomem.brief.lines import code, fact_rendering
from repomem.core.types.brief import BriefItem, Fact
from repomem.profile.slots import SlotLine, Voice
from repomem.workspace.snapshot import Snapshot

SOURCES = {Voice.PERSON: "person", Voice.LEARNED: "agent"}  # of lines that are not read from files or commits
QUOTATIONS = 3  # of the policy files; the map has them all


def facts_of(snapshot: Snapshot) -> list[Fact]:
    """The facts that were read from the repository's files when it was indexed."""
    return facts_in(snapshot.worktree)


def facts_in(worktree: Worktree) -> list[Fact]:
    """The facts of a published worktree."""
    return [Fact(**fact) for fact in json.loads(worktree.facts)]


def warning_items(texts: Sequence[str]) -> Iterator[CandidateItem]:
    """What the index lacks, at the head of a brief."""
    for at, text in enumerate(texts):
        item = BriefItem(kind="warning", text=text)
        yield CandidateItem(*order.WARNING.nth(at), (Rendering(f"Warning: {text}", item),))


def fact_items(facts: Sequence[Fact], slots: Sequence[str]) -> Iterator[CandidateItem]:
    """The facts of some slots; of quotations the first few."""
    quotations = [fact for fact in facts if fact.slot == "quoted"]
    for at, fact in enumerate(facts):
        if fact.slot in slots and fact not in quotations[QUOTATIONS:]:
            row = order.FACT
            if fact in quotations:
                row = order.QUOTED_FACT if fact is quotations[0] else order.FURTHER_QUOTED_FACT
            yield CandidateItem(*row.nth(at), (fact_rendering(fact),))


def slot_rendering(line: SlotLine) -> Rendering:
    """A line of the profile."""
    is_quoted = line.voice is Voice.QUOTED
    title = "quoted" if is_quoted else line.slot.value
    source = SOURCES.get(line.voice) or ("file" if ":" in line.id else "commit")
    item = BriefItem(kind="profile", id=line.id, title=title, text=line.text, source=source)
    said = f"[quoted] {line.shown}" if is_quoted else f"{title}: {line.shown}"
    return Rendering(f"- {said} {code(line.id) if line.id else f'({line.source})'}", item)
