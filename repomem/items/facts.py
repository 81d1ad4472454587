"""Candidate items from facts read from files, and warnings about the index."""

import re
from collections.abc import Iterator, Sequence

from repomem.brief import order
from repomem.brief.items import CandidateItem, Rendering
from repomem.brief.lines import code, fact_rendering
from repomem.core.types.brief import BriefItem, Fact
from repomem.core.words import words_of
from repomem.items.task_context import TaskContext
from repomem.profile.one_test import ONE_TEST
from repomem.profile.slots import HISTORY, Action, Corrections, Slot, SlotLine, Voice

SOURCES = {Voice.PERSON: "person", Voice.LEARNED: "agent"}  # of lines that are not read from files or commits
SLOTS = {ONE_TEST: Slot.TEST, "quoted": Slot.CONVENTIONS}  # of facts whose names are not slots
QUOTATIONS = 3  # of the policy files, if all are about the task; the map has them all
WORDS_SHARED = 2  # with the task, from which a rule is about it: one word is often chance
FILES_OF_TASK = 3  # found for the task; rules on later ones are rarely about it
_MAKES_TREE = re.compile(r"(?:^|[\s/])(?:configure|autogen\.sh)\b|\bcmake -[BS]|\bmeson setup\b")
_IN_TREE = re.compile(r"(?:make|ctest|ninja|meson test)\b")
ON_EVERY_CHANGE = re.compile(  # a rule that no task escapes
    r"(?i)\b(?:every|each|all|any) (?:\w+ )?(?:changes?|commits?|contributions?|pull requests?|PRs?|patch(?:es)?)\b"
    r"|\bchange ?log\b|\brelease notes?\b"
    r"|\b(?:run|pass)\b.*\b(?:before|prior to)\b|\b(?:before|prior to)\b.*\b(?:run|pass)\b"
)

FOR_AGENTS = re.compile(r"\b(?:LLMs?|AI|(?<![Uu]ser[ -])[Aa]gents?)\b")  # a rule for whoever reads the brief


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
    """Whether a test command runs in a tree that only the build makes, such as one with a Makefile of configure."""
    return _MAKES_TREE.search(build.text) is not None and any(
        fact.slot == "test" and _IN_TREE.match(fact.text) and not _MAKES_TREE.search(fact.text) for fact in facts
    )


def binding_quotations(quotations: Sequence[Fact], task: TaskContext) -> list[Fact]:
    """The first quotation about agents, and those about the task, most shared words first, else one on every change."""
    for_agents = [fact for fact in quotations if FOR_AGENTS.search(fact.text)][:1]
    shared = [_shared_words(fact.text, task) for fact in quotations]
    ranked = sorted(range(len(quotations)), key=lambda at: (-shared[at], at))
    about = [quotations[at] for at in ranked if shared[at] >= WORDS_SHARED]
    about = about[:QUOTATIONS] or [fact for fact in quotations if ON_EVERY_CHANGE.search(fact.text)][:1]
    return [*for_agents, *(fact for fact in about if fact not in for_agents)]


def _shared_words(rule: str, task: TaskContext) -> int:
    """How many words of the task a rule has; one that names a file found for the task has enough."""
    words = set(task.query.words) if task.query else set()
    names_file = any(path in rule for path in task.files[:FILES_OF_TASK])
    return len(words & set(words_of(rule).split())) + WORDS_SHARED * names_file


def slot_rendering(line: SlotLine) -> Rendering:
    """A line of the profile."""
    source = SOURCES.get(line.voice) or ("commit" if line.slot is Slot.PITFALLS or line.source == HISTORY else "file")
    item = BriefItem(kind="profile", id=line.id, title=line.slot.value, text=line.text, source=source)
    place = code(line.id) if line.id else f"({line.source})"
    return Rendering(f"- {line.labelled} {f'(derived from {place})' if line.is_guess else place}", item)
