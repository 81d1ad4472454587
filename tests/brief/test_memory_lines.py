"""Tests for the line of a memory."""

from dataclasses import replace

from repomem.brief.memories import memory_renderings
from repomem.core.records import Memory, MemoryContent, MemoryKind, Origin, Source
from repomem.core.types.brief import BriefItem
from repomem.core.types.text import CleanText

OWN = Origin("2026-01-31T10:00:00Z", "Ada", Source.PERSON)
RULE = Memory("01M", MemoryContent(MemoryKind.RULE, CleanText("Sort by path"), CleanText("it is stable")), OWN)


def line_of(memory: Memory) -> str:
    return memory_renderings(memory, BriefItem(kind="rule", id="01M"), label="rule")[0].markdown


def test_a_memory_of_the_user_names_no_author() -> None:
    assert line_of(RULE) == '- rule `01M` "Sort by path", because it is stable'


def test_a_memory_of_another_names_its_author_and_day() -> None:
    others = replace(RULE, origin=replace(OWN, author="Ben", writer="w-1"))

    assert line_of(others) == '- rule `01M` "Sort by path", because it is stable · Ben 2026-01-31'
