"""Earlier commits as tasks, and how good a ranking of files is: the message asks, the code that was changed answers.

What a path is code is told by the caller. Nothing here reads a repository.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from repomem.core.types import LogRecord
from repomem.ranking.signals import Weights

DEPTHS = 20  # places at which recall is measured; an agent looks at no more
MOST_ANSWERS = 5  # more is a sweep through the code, which no message foretells
MOST_FILES = 12
LEAST_WORDS = 4
LONGEST_QUESTION = 1_200  # characters

IsCode = Callable[[str], bool]
_TRAILER = re.compile(r"^(?:[A-Z][A-Za-z-]*-by|PR-URL|Change-Id|Fixes|Closes|Refs): .*$", re.MULTILINE)
_POINTER = re.compile(r"\(?#\d+\)?|\b[0-9a-f]{8,40}\b|https?://\S+")
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class ReplayTask:
    """A commit to be foretold from its parent."""

    commit: str
    parent: str
    date: str
    question: str
    answers: frozenset[str]  # code files that it changed
    changed: frozenset[str]  # all that it changed and that stood before it


@dataclass(frozen=True, slots=True)
class Measures:
    """How much of what was asked for a ranking has, and how soon."""

    recall: tuple[float, ...]  # among the first file, the first two, … the first DEPTHS
    rr: float  # one over the place of the first answer

    def at(self, depth: int) -> float:
        """The share of the answers among the first `depth` files."""
        return self.recall[depth - 1]


def question_of(message: str) -> str:
    """A message without trailers and without the numbers and addresses that only its author could know."""
    return _POINTER.sub(" ", _TRAILER.sub("", message)).strip()[:LONGEST_QUESTION]


def tasks_in(history: Mapping[str, LogRecord], number: int, is_code: IsCode) -> list[ReplayTask]:
    """The newest `number` commits that make a task, oldest first; `history` has the newest first."""
    tasks: list[ReplayTask] = []
    for record in history.values():
        task = _task_of(record, is_code)
        if task:
            tasks.append(task)
        if len(tasks) == number:
            break
    return tasks[::-1]


def _task_of(record: LogRecord, is_code: IsCode) -> ReplayTask | None:
    changed = frozenset(file.path for file in record.files if file.status in ("M", "D"))
    answers = frozenset(filter(is_code, changed))
    question = question_of(record.message)
    is_task = (
        len(record.parents) == 1
        and 1 <= len(answers) <= MOST_ANSWERS
        and len(record.files) <= MOST_FILES
        and len(_WORD.findall(question)) >= LEAST_WORDS
    )
    return ReplayTask(record.commit, record.parents[0], record.date, question, answers, changed) if is_task else None


def recall_at(depth: int, ranking: Sequence[str], answers: AbstractSet[str]) -> float:
    """The share of the answers among the first `depth`."""
    return len(answers & set(ranking[:depth])) / len(answers)


def reciprocal_rank(ranking: Sequence[str], answers: AbstractSet[str]) -> float:
    """One over the place of the first answer; 0 where none is ranked."""
    return next((1 / place for place, name in enumerate(ranking, start=1) if name in answers), 0.0)


def measured(ranking: Sequence[str], answers: AbstractSet[str]) -> Measures:
    """The measures of one ranking for one task."""
    recall = tuple(recall_at(depth, ranking, answers) for depth in range(1, DEPTHS + 1))
    return Measures(recall, reciprocal_rank(ranking, answers))


def mean_of(several: Iterable[Measures]) -> Measures:
    """The means of the measures of several tasks, at least one."""
    rows = list(several)
    columns = zip(*(row.recall for row in rows), strict=True)
    return Measures(tuple(sum(column) / len(rows) for column in columns), sum(row.rr for row in rows) / len(rows))


def variants(weights: Weights) -> dict[str, Weights]:
    """All of them, then each variant by the signal, or the factor of a role, that it lacks."""
    names = [*weights.signals, *(role.value for role in weights.roles)]
    return {"all": weights} | {f"without {name}": weights.without(name) for name in names}
