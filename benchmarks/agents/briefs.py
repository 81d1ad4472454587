"""What briefs for the memory tasks show, without any agent: is the memory there, is a stale one marked, what do the
irrelevant ones cost.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from benchmarks.agents.build import START, Built
from benchmarks.agents.definitions import MemoryTask
from benchmarks.agents.scripted import OUTDATED
from repomem.core.text.tokens import count_tokens

BUDGET = 1_000  # tokens of each brief
GATE = re.compile(r'<repomem-brief .*gate="(\w+)"')
MEMORY = re.compile(r"^- [^`]*(?:decision|rule|fact|gotcha|thread) `[0-9A-Z]+`")


@dataclass(frozen=True, slots=True)
class BriefFigures:
    """The brief for one task."""

    task: str
    repository: str
    kind: str
    state: str
    is_shown: bool  # a line has the memory
    is_marked: bool  # every such line says that it may be outdated
    place: int  # of the first such line among those with a memory; 0 if there is none
    memories: int  # lines with any memory
    tokens: int
    gate: str


def brief_figures(made: Built, task: MemoryTask) -> BriefFigures:
    """The figures of `repomem recall` for a task."""
    words = ("recall", "--budget", str(BUDGET), "--format", "markdown", task.prompt)
    brief = made.repomem(*words, at=START + timedelta(days=30))
    lines = [line for line in brief.splitlines() if task.tell and re.search(task.tell, line)]
    gate, memories = GATE.search(brief), [line for line in brief.splitlines() if MEMORY.match(line)]
    return BriefFigures(
        task=task.name,
        repository=task.repository,
        kind=task.kind,
        state=task.state,
        is_shown=bool(lines),
        is_marked=bool(lines) and all(OUTDATED.search(line) for line in lines),
        place=next((at for at, line in enumerate(memories, start=1) if line in lines), 0),
        memories=len(memories),
        tokens=count_tokens(brief),
        gate=gate[1] if gate else "none",
    )


def rows(figures: Sequence[BriefFigures]) -> list[tuple[object, ...]]:
    """Rows of a table: what was asked, how often, of how many."""
    current, stale, none = ([one for one in figures if one.state == state] for state in ("current", "stale", "none"))
    kinds = sorted({one.kind for one in current})
    by_kind = [(f"- {kind}", *_shown([one for one in current if one.kind == kind])) for kind in kinds]
    unmarked = sum(one.is_shown and not one.is_marked for one in stale)
    return [
        ("current memory in the brief", *_shown(current)),
        *by_kind,
        ("current memory before all others", sum(one.place == 1 for one in current), len(current)),
        ("stale memory absent", sum(not one.is_shown for one in stale), len(stale)),
        ("stale memory shown and marked", sum(one.is_marked for one in stale), len(stale)),
        ("stale memory shown as if it were current", unmarked, len(stale)),
        ("nothing relevant: briefs with any memory", sum(one.memories > 0 for one in none), len(none)),
        ("nothing relevant: memories in a brief, mean", _mean([one.memories for one in none]), ""),
        ("nothing relevant: tokens of a brief, mean", _mean([one.tokens for one in none]), ""),
        ("all tasks: tokens of a brief, mean", _mean([one.tokens for one in figures]), ""),
    ]


def _shown(figures: Sequence[BriefFigures]) -> tuple[int, int]:
    return sum(one.is_shown and not one.is_marked for one in figures), len(figures)


def _mean(values: Sequence[int]) -> float:
    return round(sum(values) / len(values), 1)
