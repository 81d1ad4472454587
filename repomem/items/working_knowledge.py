"""Candidate items from sessions: commands that work here, and fixes of a pasted error."""

import re
from collections.abc import Iterator

from repomem.adapters.sqlite.catalog_rows import Worktree
from repomem.brief import order
from repomem.brief.items import CandidateItem, Rendering
from repomem.brief.lines import code
from repomem.core.escape import one_line
from repomem.core.types.brief import BriefItem
from repomem.core.ulid import unique_prefix
from repomem.items.facts import slot_rendering
from repomem.memories.learned.commands import learned_from
from repomem.memories.learned.fixes import Fix, matching_fixes
from repomem.memories.learned.profile_lines import with_learned
from repomem.memories.learned.runs import runs_by_session
from repomem.memories.learned.wording import fix_text
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.profile.profile import lines_of
from repomem.profile.slots import Corrections, Slot, Voice

MOST_FIXES = 2
LONGEST_ERROR = 160  # characters
NEEDED = frozenset([Slot.TEST, Slot.LINT, Slot.FORMAT])  # by any change, like those that files name
ASKED = {  # words of a question that asks how something is run
    Slot.BUILD: re.compile(r"\b(?:build|compile|bundle|install)\w*\b", re.IGNORECASE),
    Slot.TEST: re.compile(r"\b(?:(?:py|unit)?tests?|specs?|coverage|tox|jest|vitest|rspec)\b", re.IGNORECASE),
    Slot.LINT: re.compile(r"\b(?:lint\w*|type-?check\w*|mypy|ruff|eslint)\b", re.IGNORECASE),
    Slot.FORMAT: re.compile(r"\b(?:format\w*|ruff|prettier)\b", re.IGNORECASE),
}


def learned_items(
    worktree: Worktree, known: MemorySnapshot, corrections: Corrections, text: str, *, is_change: bool
) -> Iterator[CandidateItem]:
    """Fixes for errors that a task's text states, and commands that it needs: a person's, and learnt ones.

    With `is_change` the task is about code here, and how to test and lint is needed anyway.
    """
    learned = learned_from(runs_by_session(known.events))
    for at, fix in enumerate(matching_fixes(learned.fixes, text)[:MOST_FIXES]):
        yield CandidateItem(*order.FIX.nth(at), (_fix_rendering(fix, known),), sources=frozenset(fix.notes))
    slots = {slot for slot, words in ASKED.items() if (is_change and slot in NEEDED) or words.search(text)}
    lines = lines_of(worktree, corrections, lambda lines: with_learned(lines, learned, known.ids))
    wanted = [line for line in lines if line.voice in {Voice.LEARNED, Voice.PERSON} and line.slot in slots]
    yield from (CandidateItem(*order.LEARNED.nth(at), (slot_rendering(line),)) for at, line in enumerate(wanted))


def _fix_rendering(fix: Fix, known: MemorySnapshot) -> Rendering:
    item = BriefItem(
        kind="fact",
        id=unique_prefix(fix.notes[-1], known.ids),
        whole_id=fix.notes[-1],
        title=one_line(fix.error, LONGEST_ERROR),
        text=fix_text(fix),
        date=fix.last[:10],
        source="agent",
    )
    return Rendering(f"- {item.text} {code(item.id)}", item)
