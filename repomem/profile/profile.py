"""The indexed profile of a repository, and people's corrections of it, which the ledger stores.

Imports no parser, no ranking and no LanceDB, so that printing a profile stays fast.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict

from repomem.adapters.sqlite.catalog_rows import Worktree
from repomem.brief.lines import place_id
from repomem.core.errors import NotFound, RepomemError
from repomem.core.records import Event, Record
from repomem.core.secrets.redact import redact
from repomem.core.text.escape import one_line, visible
from repomem.core.types.brief import Fact
from repomem.profile.profile_lines import (
    LINES_OF_BRIEFS,
    Action,
    Correction,
    Corrections,
    Profile,
    Slot,
    SlotLine,
    Voice,
    corrected,
    fitted,
)
from repomem.workspace.ledger import Speaker, append_records, check_is_person, origin_of, record_draft
from repomem.workspace.workspace import Workspace

LineSource = Callable[[Sequence[SlotLine]], Sequence[SlotLine]]
"""A function that adds lines to those derived from files and history, in order of precedence."""


def profile_of(
    workspace: Workspace, corrections: Corrections, complete: LineSource, only: str | None = None
) -> Profile:
    """The profile of this worktree as last indexed, or the lines of a slot or of another label in briefs.

    Raises NotFound if it never was indexed.
    """
    known = workspace.catalog.worktree(workspace.root)
    if known is None:
        raise NotFound("nothing is indexed here yet", "run repomem index")
    lines = lines_of(known, corrections, complete)
    if only and only in LINES_OF_BRIEFS:
        return fitted(_labelled(lines, known, only))
    return fitted([line for line in lines if only in (None, line.slot)])


def _labelled(lines: Iterable[SlotLine], worktree: Worktree, label: str) -> list[SlotLine]:
    """The lines with a label that is no slot, or the facts of this name that have none."""
    facts = [fact for fact in facts_in(worktree) if fact.slot == label]
    others = [
        SlotLine(Slot.BUILD, f"{label}: {fact.text}", place_id(fact.path, fact.start_line, fact.end_line))
        for fact in facts
    ]
    return [line for line in lines if line.text.startswith(f"{label}: ")] or others


def lines_of(worktree: Worktree, corrections: Corrections, complete: LineSource = list[SlotLine]) -> list[SlotLine]:
    """Every line of this worktree's profile, including those that exceed the token budget."""
    return corrected(complete([_line(**values) for values in json.loads(worktree.profile)]), corrections)


def facts_in(worktree: Worktree) -> list[Fact]:
    """The facts that were read from the files of a published worktree when it was indexed."""
    return [Fact(**fact) for fact in json.loads(worktree.facts)]


def lines_text(lines: Iterable[SlotLine]) -> str:
    """The lines as JSON, as the catalog stores them."""
    return json.dumps([asdict(line) for line in lines])


def needs(runtime: Fact) -> str:
    """The required runtime, as a line of the build slot; a build may need a newer Java than the one it compiles for."""
    text = one_line(runtime.text, 120)
    return f"runs on {text}" if text.startswith("Java ") else f"needs {text}"


def _line(slot: str, text: str, source: str, voice: str) -> SlotLine:
    return SlotLine(Slot(slot), text, source, Voice(voice))


def corrections_in(records: Iterable[Record]) -> Corrections:
    """The corrections of each slot, oldest first."""
    corrections: dict[Slot, list[Correction]] = {}
    for record in records:
        if record.event is Event.PROFILE and record.other in set(Slot) and record.targets[:1]:
            action, origin = Action(record.targets[0]), record.origin
            correction = Correction(action, record.text, origin.author, origin.at[:10])
            corrections.setdefault(Slot(record.other), []).append(correction)
    return corrections


def correct(workspace: Workspace, slot: Slot, action: Action, text: str, speaker: Speaker) -> None:
    """Store a person's correction of a slot. Raises RepomemError for an agent: corrections override files."""
    clean = redact(visible(text).strip())
    if action is not Action.CLEAR and not clean:
        raise RepomemError(
            f"no text given for {slot}", f'repomem profile {slot} "make check"; repomem profile prints all facts'
        )
    instead = "an agent may remember it instead: repomem remember --kind fact TEXT"
    check_is_person(speaker, "correct the profile", instead)
    draft = record_draft(Event.PROFILE, action.value, other=slot.value, text=clean)
    append_records(workspace, origin_of(workspace, speaker), draft)
