"""Candidate items from facts: those read from files, those learned in sessions, and warnings about the index."""

import re
from collections.abc import Iterator, Sequence

from repomem.adapters.sqlite.catalog_rows import Worktree
from repomem.brief import order
from repomem.brief.items import CandidateItem, Rendering
from repomem.brief.lines import fact_rendering
from repomem.core.text.escape import code, one_line
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.words import words_of
from repomem.core.types.brief import ONE_TEST, BriefItem, Fact
from repomem.items.task_context import TaskContext
from repomem.memories.learned.commands import learned_from
from repomem.memories.learned.fixes import Fix, matching_fixes
from repomem.memories.learned.profile_lines import with_learned
from repomem.memories.learned.wording import fix_text
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.profile.profile import lines_of
from repomem.profile.profile_lines import HISTORY, Action, Corrections, Slot, SlotLine, Voice

SOURCES = {Voice.PERSON: "person", Voice.LEARNED: "agent"}  # of lines that are not read from files or commits
SLOTS = {ONE_TEST: Slot.TEST, "quoted": Slot.CONVENTIONS}  # of facts whose names are not slots
QUOTATIONS = 3  # of the policy files, if all are about the task; the map has them all
WORDS_SHARED = 2  # words in common that make a rule count as about the task: one is often chance
FILES_OF_TASK = 3  # found for the task; rules on later ones are rarely about it
MOST_FIXES = 2
LONGEST_ERROR = 160  # characters
NEEDED = frozenset([Slot.TEST, Slot.LINT, Slot.FORMAT])  # for any change, so learnt ones are shown too
ASKED = {  # words of a question that asks how something is run
    Slot.BUILD: lazy_pattern(r"\b(?:build|compile|bundle|install)\w*\b", re.IGNORECASE),
    Slot.TEST: lazy_pattern(r"\b(?:(?:py|unit)?tests?|specs?|coverage|tox|jest|vitest|rspec)\b", re.IGNORECASE),
    Slot.LINT: lazy_pattern(r"\b(?:lint\w*|type-?check\w*|mypy|ruff|eslint)\b", re.IGNORECASE),
    Slot.FORMAT: lazy_pattern(r"\b(?:format\w*|ruff|prettier)\b", re.IGNORECASE),
}
_MAKES_TREE = lazy_pattern(r"(?:^|[\s/])(?:configure|autogen\.sh)\b|\bcmake (?!--)|\bmeson setup\b")
_IN_TREE = lazy_pattern(r"(?:make|ctest|ninja|meson test)\b")
ON_EVERY_CHANGE = lazy_pattern(  # a rule that applies to every change
    r"(?i)\b(?:every|each|all|any) (?:\w+ )?(?:changes?|commits?|contributions?|pull requests?|PRs?|patch(?:es)?)\b"
    r"|\bchange ?log\b|\brelease notes?\b"
    r"|\b(?:run|pass)\b.*\b(?:before|prior to)\b|\b(?:before|prior to)\b.*\b(?:run|pass)\b"
)
FOR_AGENTS = lazy_pattern(r"\b(?:LLMs?|AI|(?<![Uu]ser[ -])[Aa]gents?)\b")  # a rule for whoever reads the brief


def without_corrected(facts: Sequence[Fact], corrections: Corrections) -> list[Fact]:
    """The facts without those of slots that a person replaced or cleared."""
    corrected = {slot for slot, made in corrections.items() if any(each.action is not Action.APPEND for each in made)}
    return [fact for fact in facts if SLOTS.get(fact.slot, fact.slot) not in corrected]


def warning_items(texts: Sequence[str]) -> Iterator[CandidateItem]:
    """Warnings about unindexed parts, at the head of a brief."""
    for at, text in enumerate(texts):
        item = BriefItem(kind="warning", text=text)
        yield CandidateItem(*order.WARNING.nth(at), (Rendering(f"Warning: {text}", item),))


def fact_items(
    facts: Sequence[Fact], slots: Sequence[str], task: TaskContext, of_package: Sequence[Fact] = ()
) -> Iterator[CandidateItem]:
    """The facts of some slots and of the package that the task is about; of quotations those that apply to it."""
    quotations = binding_quotations([fact for fact in facts if fact.slot == "quoted"], task)
    built = [fact for fact in facts if fact.slot == "build" and "test" in slots and _is_before_tests(fact, facts)]
    for at, fact in enumerate(fact for fact in facts if fact.slot in slots or fact in built or fact in of_package):
        if fact in quotations:
            row = order.QUOTED_FACT if fact is quotations[0] else order.FURTHER_QUOTED_FACT
            yield CandidateItem(*row.nth(at), (fact_rendering(fact),))
        elif fact.slot != "quoted":
            is_first = fact.slot in ("test", "one test") or fact in of_package
            row = order.FACT if is_first else order.FURTHER_FACT
            yield CandidateItem(*row.nth(at), (fact_rendering(fact),))


def _is_before_tests(build: Fact, facts: Sequence[Fact]) -> bool:
    """Whether a test command runs in a tree that only the build creates, such as with a Makefile by configure."""
    return _MAKES_TREE.search(build.text) is not None and any(
        fact.slot == "test" and _IN_TREE.match(fact.text) and not _MAKES_TREE.search(fact.text) for fact in facts
    )


def binding_quotations(quotations: Sequence[Fact], task: TaskContext) -> list[Fact]:
    """The first quotation about agents, and those about the task, most shared words first.

    If none is about the task, one about every change.
    """
    for_agents = [fact for fact in quotations if FOR_AGENTS.search(fact.text)][:1]
    shared = [_shared_words(fact.text, task) for fact in quotations]
    ranked = sorted(range(len(quotations)), key=lambda at: (-shared[at], at))
    about = [quotations[at] for at in ranked if shared[at] >= WORDS_SHARED]
    about = about[:QUOTATIONS] or [fact for fact in quotations if ON_EVERY_CHANGE.search(fact.text)][:1]
    return [*for_agents, *(fact for fact in about if fact not in for_agents)]


def _shared_words(rule: str, task: TaskContext) -> int:
    """The number of words that a rule shares with the task; naming a file found for the task counts as enough."""
    words = set(task.query.words) if task.query else set()
    names_file = any(path in rule for path in task.files[:FILES_OF_TASK])
    return len(words & set(words_of(rule).split())) + WORDS_SHARED * names_file


def slot_rendering(line: SlotLine) -> Rendering:
    """A line of the profile."""
    source = SOURCES.get(line.voice) or ("commit" if line.slot is Slot.PITFALLS or line.source == HISTORY else "file")
    item = BriefItem(kind="profile", id=line.id, title=line.slot.value, text=line.text, source=source)
    place = code(line.id) if line.id else f"({line.source})"
    return Rendering(f"- {line.labelled} {f'(derived from {place})' if line.is_guess else place}", item)


def learned_items(
    worktree: Worktree, known: MemorySnapshot, corrections: Corrections, text: str, *, is_change: bool
) -> Iterator[CandidateItem]:
    """Fixes for errors quoted in the task, and commands that it needs: a person's, and learnt ones.

    With `is_change` the task is about this repository's code, so the commands to test and lint are needed in any case.
    """
    learned = learned_from(known.events)
    for at, fix in enumerate(matching_fixes(learned.fixes, text)[:MOST_FIXES]):
        yield CandidateItem(*order.FIX.nth(at), (_fix_rendering(fix, known),), sources=frozenset(fix.notes))
    slots = {slot for slot, words in ASKED.items() if (is_change and slot in NEEDED) or words.search(text)}
    lines = lines_of(worktree, corrections, lambda lines: with_learned(lines, learned, known.ids))
    wanted = [line for line in lines if line.voice in {Voice.LEARNED, Voice.PERSON} and line.slot in slots]
    yield from (CandidateItem(*order.LEARNED.nth(at), (slot_rendering(line),)) for at, line in enumerate(wanted))


def _fix_rendering(fix: Fix, known: MemorySnapshot) -> Rendering:
    item = BriefItem(
        kind="fact",
        id=known.short_id(fix.notes[-1]),
        whole_id=fix.notes[-1],
        title=one_line(fix.error, LONGEST_ERROR),
        text=fix_text(fix),
        date=fix.last[:10],
        source="agent",
    )
    return Rendering(f"- {item.text} {code(item.id)}", item)
