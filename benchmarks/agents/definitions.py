"""The memory tasks as they are written in `repositories`: one TOML file for each invented repository.

A repository has files, and tasks in order. A task of session 2 may have records, the commands of session 1, and
`later`, edits that are committed after all records and make its memory stale. `naive` is the solution of somebody who
knows only the task, or who follows a stale memory; `respecting` that of somebody who knows the memory, or reads the
code.
"""

import shlex
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from json import dumps
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("repositories")
CHECK = Path(__file__).with_name("check.py")
STATES = ("current", "stale", "none")
Edit = tuple[str, str, str]
"""Path, old text, new text; an empty old text makes a new file."""


@dataclass(frozen=True, slots=True)
class MemoryTask:
    """One task of session 2, and what session 1 left for it."""

    name: str
    repository: str
    kind: str  # of the memory: decision, rule, failed attempt, environment trap, command that works, open end, nothing
    state: str  # current, stale or none
    records: Sequence[Sequence[str]]  # repomem's commands of session 1
    later: Sequence[Edit]
    later_message: str
    prompt: str
    tell: str  # a regular expression that a line with the memory matches
    guide: str  # the same memory, as a person would write it in AGENTS.md
    naive: Sequence[Edit]
    respecting: Sequence[Edit]
    works: Sequence[Sequence[str]]  # conditions of check.py: the task is done
    respected: Sequence[Sequence[str]]  # and the memory, or the code that made it stale, was respected


@dataclass(frozen=True, slots=True)
class InventedRepository:
    """An invented repository."""

    name: str
    language: str
    files: Mapping[str, str]  # of its first commit
    tasks: Sequence[MemoryTask]

    @property
    def later(self) -> dict[str, str]:
        """The files after all later commits."""
        files = dict(self.files)
        for task in self.tasks:
            files = edited(files, task.later)
        return files


def repositories(folder: Path = FOLDER) -> Iterator[InventedRepository]:
    """All of them, by name."""
    for path in sorted(folder.glob("*.toml")):
        yield _repository(path.stem, tomllib.loads(path.read_text(encoding="utf-8")))


def edited(files: Mapping[str, str], edits: Iterable[Edit]) -> dict[str, str]:
    """The files after edits. Raises ValueError if an old text is not there exactly once."""
    result = dict(files)
    for path, old, new in edits:
        before = result.get(path, "")
        if old and before.count(old) != 1:
            raise ValueError(f"{path} has {before.count(old)} times: {old}")
        result[path] = before.replace(old, new) if old else new
    return result


def command_of(conditions: Sequence[Sequence[str]]) -> str:
    """The command line that checks conditions."""
    return shlex.join([sys.executable, str(CHECK), dumps(list(map(list, conditions)))])


def _repository(name: str, values: Mapping[str, Any]) -> InventedRepository:
    files = {path: text.lstrip("\n") for path, text in values["files"].items()}
    tests = values.get("tests", "")
    tasks = [_task(name, each, tests) for each in values["task"]]
    repository = InventedRepository(name, values["language"], files, tasks)
    final = repository.later
    tasks[:] = [_with_texts(task, final) for task in tasks]
    return repository


def _task(repository: str, values: Mapping[str, Any], tests: str) -> MemoryTask:
    naive = [tuple(each) for each in values["naive"]]
    return MemoryTask(
        name=values["name"],
        repository=repository,
        kind=values["kind"],
        state=values.get("state", "current"),
        records=values.get("records", []),
        later=[tuple(each) for each in values.get("later", [])],
        later_message=values.get("later_message", ""),
        prompt=values["prompt"],
        tell=values.get("tell", ""),
        guide=values.get("guide", ""),
        naive=naive,
        respecting=[tuple(each) for each in values.get("respecting", naive)],
        works=[["runs", tests] if each == ["runs"] else each for each in values["works"]],
        respected=values.get("respected", []),
    )


def _with_texts(task: MemoryTask, files: Mapping[str, str]) -> MemoryTask:
    """The task with the text that a file must keep in its `same` conditions."""

    def filled(conditions: Sequence[Sequence[str]]) -> list[Sequence[str]]:
        return [[*each, files[each[1]]] if each[0] == "same" else each for each in conditions]

    return replace(task, works=filled(task.works), respected=filled(task.respected))
