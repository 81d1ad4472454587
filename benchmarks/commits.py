"""Earlier commits as tasks: the message is the question, the code files that the commit changed are the answer."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from repomem.core.types import LogRecord
from repomem.parse.grammar import language_of
from repomem.sources.git import Repository
from repomem.sources.history import log, revisions

SCANNED = 5_000  # commits back from the pinned one
MOST_ANSWERS = 5  # more is a sweep through the code, which no message foretells
MOST_FILES = 12
LEAST_WORDS = 4
LONGEST_QUESTION = 1_200  # characters

NOT_CODE = frozenset({"", "markdown", "json", "yaml", "toml", "html", "css"})
_TRAILER = re.compile(r"^(?:[A-Z][A-Za-z-]*-by|PR-URL|Change-Id|Fixes|Closes|Refs): .*$", re.MULTILINE)
_POINTER = re.compile(r"\(?#\d+\)?|\b[0-9a-f]{8,40}\b|https?://\S+")
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Task:
    """A commit to be foretold from its parent."""

    commit: str
    parent: str
    question: str
    answers: frozenset[str]  # code files that it changed
    changed: frozenset[str]  # all that it changed and that stood before it


def is_code(path: str) -> bool:
    """Whether a path looks like a program's source, tests included."""
    return language_of(path) not in NOT_CODE


def question_of(message: str) -> str:
    """A message without trailers and without the numbers and addresses that only its author could know."""
    return _POINTER.sub(" ", _TRAILER.sub("", message)).strip()[:LONGEST_QUESTION]


def history_of(repository: Repository) -> dict[str, LogRecord]:
    """The newest commits by their id, newest first."""
    return {record.commit: record for record in log(repository, revisions(repository, SCANNED, "HEAD"))}


def tasks_in(history: Mapping[str, LogRecord], number: int) -> list[Task]:
    """The newest `number` commits that make a task, oldest first."""
    tasks: list[Task] = []
    for record in history.values():
        task = _task_of(record)
        if task:
            tasks.append(task)
        if len(tasks) == number:
            break
    return tasks[::-1]


def _task_of(record: LogRecord) -> Task | None:
    changed = frozenset(file.path for file in record.files if file.status in ("M", "D"))
    answers = frozenset(filter(is_code, changed))
    question = question_of(record.message)
    is_task = (
        len(record.parents) == 1
        and 1 <= len(answers) <= MOST_ANSWERS
        and len(record.files) <= MOST_FILES
        and len(_WORD.findall(question)) >= LEAST_WORDS
    )
    return Task(record.commit, record.parents[0], question, answers, changed) if is_task else None


def before(repository: Repository, history: Mapping[str, LogRecord], task: Task, limit: int) -> Sequence[LogRecord]:
    """The newest `limit` commits that the task's parent knows, merges left out."""
    commits = revisions(repository, limit, task.parent)
    return [history[commit] for commit in commits if commit in history and len(history[commit].parents) < 2]
