"""Memories about real repositories, and tasks on them: is the memory that a task needs in its brief?"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence, Set as AbstractSet
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

from benchmarks import results
from benchmarks.memory.ask_sets import Baselines, remembered
from benchmarks.memory.build import sealed
from benchmarks.memory.measure import memories_in
from benchmarks.memory.sets import FORMS, SPLITS, UNRELATED, Asked, RepositorySet, repositories
from repomem.core.records import MemoryKind
from repomem.core.types.brief import Brief
from repomem.index.run import index
from repomem.recall.answer import recall_now
from repomem.recall.request import BriefRequest
from repomem.workspace.process import prepare_process
from repomem.workspace.run import Run
from repomem.workspace.workspace import Workspace, opened

BUDGETS = (1_000, 500)
MAIN = BUDGETS[0]  # the budget whose order and false alarms are reported
BEST = 6  # of a baseline's ranking
BASELINES = ("words", "vectors")
DOUBT = "may be unrelated"  # how a brief marks the nearest memories where none is clearly about the task
HEAD = ("set", "split", "form", "tasks", *map(str, BUDGETS), "first", *(f"{each}: best {BEST}" for each in BASELINES))
ALARMS_HEAD = ("set", "split", UNRELATED, "alarms", "memories shown", "of them marked")


@dataclass(frozen=True, slots=True)
class Told:
    """A memory in a brief."""

    id: str
    is_doubtful: bool  # marked as perhaps unrelated


@dataclass(frozen=True, slots=True)
class Found:
    """One task: the memories that each brief shows and that each baseline ranks, best first."""

    name: str
    question: Asked
    briefs: Mapping[int, Sequence[Told]]  # by budget in tokens
    ranked: Mapping[str, Sequence[str]]  # by baseline
    everywhere: Sequence[str]  # rules about no code in particular, so they are no false alarm

    def is_shown(self, budget: int) -> bool:
        """Whether the brief has the right memory."""
        return any(one.id in self.question.right for one in self.briefs[budget])

    @property
    def is_first(self) -> bool:
        """Whether the right memory comes before all others."""
        return any(one.id in self.question.right for one in self.briefs[MAIN][:1])

    def is_among_best(self, baseline: str) -> bool:
        """Whether the right memory is among the first of a baseline."""
        return not set(self.question.right).isdisjoint(self.ranked[baseline][:BEST])

    @property
    def further(self) -> list[Told]:
        """The memories in the brief but for rules that hold everywhere."""
        return [one for one in self.briefs[MAIN] if one.id not in self.everywhere]


def main(arguments: Sequence[str]) -> None:
    """memory --repositories MIRROR [--split dev|held] [--out]"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks memory --repositories")
    parser.add_argument("mirror", type=Path)
    parser.add_argument("--split", choices=sorted(SPLITS))
    parser.add_argument("--out", action="store_true", help="save the raw answers as results/memory-repositories.json")
    given = parser.parse_args(arguments)
    prepare_process()
    where = results.machine()
    wanted = [one for one in repositories() if given.split in (None, one.asked.questions[0].split)]
    with TemporaryDirectory(prefix="repomem-sets-", ignore_cleanup_errors=True) as name, sealed(Path(name)):
        found = [each for one in wanted for each in answers(one, given.mirror, Path(name) / one.asked.name)]
    print(results.table(HEAD, rows(found)) + "\n")
    print(results.table(ALARMS_HEAD, alarm_rows(found)))
    if given.out:
        raw = json.loads(json.dumps([asdict(one) for one in found]))
        results.save("memory-repositories", where, {"answers": raw})


def answers(one: RepositorySet, mirror: Path, folder: Path) -> list[Found]:
    """Remember all of a set in a clone at its commit, then give every task."""
    asked = one.asked
    with opened(one.pinned.checked_out(mirror, folder), {}) as workspace:
        index(workspace, Run())
        own = {remembered(workspace, each): each.id for each in asked.memories}
        baselines = Baselines(asked.memories)
        everywhere = [each.id for each in asked.memories if each.kind is MemoryKind.RULE and not each.on]
        found = []
        for question in asked.questions:
            briefs = {budget: _told(workspace, question, budget, own) for budget in BUDGETS}
            ranked = {name: names for name, names in baselines.ranked(question.text).items() if name in BASELINES}
            found.append(Found(asked.name, question, briefs, ranked, everywhere))
    return found


def _told(workspace: Workspace, question: Asked, budget: int, own: Mapping[str, str]) -> list[Told]:
    brief = recall_now(workspace, BriefRequest(question.text, budget), Run())
    doubtful = doubtful_in(brief)
    shown = [name for name, _, _ in memories_in(brief, sorted(own))]
    return [Told(own[name], any(name.startswith(start) for start in doubtful)) for name in shown]


def doubtful_in(brief: Brief) -> AbstractSet[str]:
    """The ids, as the brief prints them, of memories that it marks as perhaps unrelated."""
    lines = [line for line in brief.markdown.splitlines() if DOUBT in line]
    return {item.id for item in brief.items if item.id and any(f"`{item.id}`" in line for line in lines)}


def rows(found: Sequence[Found]) -> Iterator[Sequence[object]]:
    """A line for each set and form: in how many tasks the right memory is there, and in the baselines' best."""
    for name in dict.fromkeys(one.name for one in found):
        of_set = [one for one in found if one.name == name]
        for form in sorted({one.question.form for one in of_set} & {*FORMS}, key=FORMS.index):
            tasks = [one for one in of_set if one.question.form == form]
            within = [sum(one.is_shown(budget) for one in tasks) for budget in BUDGETS]
            first = sum(one.is_first for one in tasks)
            best = [sum(one.is_among_best(baseline) for one in tasks) for baseline in BASELINES]
            yield name, tasks[0].question.split, form, len(tasks), *within, first, *best


def alarm_rows(found: Sequence[Found]) -> Iterator[Sequence[object]]:
    """A line for each set: how many unrelated tasks get a memory as if it were about them, and how many memories."""
    for name in dict.fromkeys(one.name for one in found):
        tasks = [one for one in found if one.name == name and one.question.form == UNRELATED]
        alarms = sum(any(not each.is_doubtful for each in one.further) for one in tasks)
        shown = float(mean(len(one.further) for one in tasks))
        marked = float(mean(sum(each.is_doubtful for each in one.further) for one in tasks))
        yield name, tasks[0].question.split, len(tasks), alarms, shown, marked
