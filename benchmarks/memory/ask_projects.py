"""Tasks in 24 invented projects through the real operations: what a brief shows, and what it should not.

The memories are those of `sets/amendments`; `sets/tasks` has, for each project, 15 tasks that a memory is about, 12 in
the project's own words that none is about, and 5 of other projects. Four writers, a to d, did six projects each.
`sets/alike` has 20 more for each project, by two other writers, each about one memory of a pair that is alike: the
later one replaces the earlier one, or both hold.
"""

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import results
from benchmarks.memory.ask_sets import new_repository, remembered, shown_in_brief
from benchmarks.memory.build import sealed
from benchmarks.memory.sets import FOLDER, Noted
from repomem.core.records import MemoryKind
from repomem.index.run import index
from repomem.workspace.process import prepare_process
from repomem.workspace.run import Run
from repomem.workspace.workspace import opened

COVERED, NEAR, FOREIGN = "covered", "near", "foreign"
REPLACED, EARLIER, LATER = "replaced", "earlier", "later"
BUDGET = 1_000  # tokens
HEAD = ("writer", "tasks", "count", "first", "in the brief", "all in the brief", "other ahead", "shown", "not about it")


@dataclass(frozen=True, slots=True)
class Task:
    """A task in a project: the memories that are about it, and those that are welcome too."""

    project: str  # the letter of its writer, and a number
    type: str  # COVERED, NEAR (the project's, but no memory is about it), FOREIGN; see `other` for the rest
    form: str  # phrase, sentence, issue
    text: str
    right: Sequence[str] = ()
    welcome: Sequence[str] = ()
    other: str = ""  # alike: replaced by the right one (REPLACED), or true as well (the right one is EARLIER or LATER)


@dataclass(frozen=True, slots=True)
class Answer:
    """The memories in the brief for a task, in order, without rules that hold everywhere."""

    task: Task
    shown: Sequence[str]

    @property
    def is_first(self) -> bool:
        """Whether a right one is the first."""
        return bool(self.shown) and self.shown[0] in self.task.right

    @property
    def is_other_ahead(self) -> bool:
        """Whether the memory that is alike stands before the right one, or without it."""
        return next((name for name in self.shown if name in (*self.task.right, self.task.other)), "") == self.task.other

    @property
    def share(self) -> float:
        """The share of the right ones that are shown."""
        return len(set(self.task.right) & set(self.shown)) / len(self.task.right) if self.task.right else 0.0

    @property
    def wrong(self) -> int:
        """How many are not about the task."""
        return len(set(self.shown).difference(self.task.right, self.task.welcome))


def main(arguments: Sequence[str]) -> None:
    """memory --projects [--only LETTERS] [--out]"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks memory --projects")
    parser.add_argument("--only", default="", help="letters of writers: a, b, c, d")
    parser.add_argument("--out", action="store_true", help="save the raw answers as results/memory-projects.json")
    given = parser.parse_args(arguments)
    prepare_process()
    where = results.machine()
    names = [path.stem for path in sorted((FOLDER / "tasks").glob("*.json"))]
    chosen = [name for name in names if not given.only or name[0] in given.only]
    with TemporaryDirectory(prefix="repomem-projects-", ignore_cleanup_errors=True) as top, sealed(Path(top)):
        found = [answer for name in chosen for answer in answers(name, Path(top) / name)]
    print(results.table(HEAD, rows(found)))
    if given.out:
        shown = [[name, [one.shown for one in found if one.task.project == name]] for name in chosen]
        results.save("memory-projects", where, {"shown": shown})


def tasks_of(project: str, folder: str = "tasks") -> list[Task]:
    """The tasks of a project; ValueError where one names a memory that it does not have."""
    known = {one.id for one in memories_of(project)}
    tasks = [Task(project, **each) for each in _read(folder, project)]
    for task in tasks:
        if unknown := {*task.right, *task.welcome, *filter(None, [task.other])} - known:
            raise ValueError(f"{project}: no memory is called {min(unknown)}: {task.text[:60]}")
    return tasks


def memories_of(project: str) -> list[Noted]:
    """The memories of a project, in the order in which they were said."""
    told = _read("amendments", project)["memories"]
    return [Noted(one["id"], one["text"], MemoryKind(one["kind"]), one.get("why", "")) for one in told]


def answers(project: str, folder: Path) -> Iterator[Answer]:
    """Remember all of a project in a new repository, then ask all of it."""
    with opened(new_repository(folder), {}) as workspace:
        index(workspace, Run())
        memories = memories_of(project)
        own = {remembered(workspace, one): one.id for one in memories}
        rules = {one.id for one in memories if one.kind is MemoryKind.RULE}
        names = sorted(own)
        for task in (*tasks_of(project), *tasks_of(project, "alike")):
            shown = [own[name] for name in shown_in_brief(workspace, task.text, BUDGET, names)]
            yield Answer(task, [name for name in shown if name in (*task.right, task.other) or name not in rules])


def rows(found: Sequence[Answer]) -> Iterator[Sequence[object]]:
    """A line for each writer and type of task, then for all writers."""
    writers = sorted({one.task.project[0] for one in found})
    for writer in [*writers, *["all"] * (len(writers) > 1)]:
        for kind in (COVERED, NEAR, FOREIGN, REPLACED, EARLIER, LATER):
            each = [one for one in found if one.task.type == kind and writer in ("all", one.task.project[0])]
            if each:
                shares = [_mean(one.is_first for one in each), _mean(one.share > 0 for one in each)]
                shares += [_mean(one.share for one in each)]
                counts = _mean(len(one.shown) for one in each), _mean(one.wrong for one in each)
                ahead = sum(one.is_other_ahead for one in each) if each[0].task.other else "-"
                yield writer, kind, len(each), *(shares if each[0].task.right else ["-"] * 3), ahead, *counts


def _mean(values: Iterable[float]) -> float:
    return round(mean(values), 3)


def _read(folder: str, project: str) -> Any:
    return json.loads((FOLDER / folder / f"{project}.json").read_text(encoding="utf-8"))
