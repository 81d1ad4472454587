"""Earlier commits as tasks, and how well a ranking solves them: the message is the question.

Pure: nothing here reads a repository.
"""

import re
from collections.abc import Iterable, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass
from itertools import islice

from repomem.adapters.languages.grammar import language_of
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.commits import LogRecord
from repomem.ranking.signals import Weights

DEPTHS = 20  # recall is measured at each depth up to here; agents look no further
MOST_ANSWERS = 5  # no message predicts a larger change
MOST_FILES = 12
LEAST_WORDS = 4
LONGEST_QUESTION = 1_200  # characters

NOT_CODE = frozenset({"", "markdown", "json", "yaml", "toml", "html", "css"})
_TRAILER = lazy_pattern(r"^(?:[A-Z][A-Za-z-]*-by|PR-URL|Change-Id|Fixes|Closes|Refs): .*$", re.MULTILINE)
_POINTER = lazy_pattern(r"\(?#\d+\)?|\b[0-9a-f]{8,40}\b|https?://\S+")
_WORD = lazy_pattern(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class ReplayTask:
    """A commit whose files are to be predicted at its parent."""

    commit: str
    parent: str
    date: str
    question: str
    answers: frozenset[str]  # code files that it changed
    changed: frozenset[str]  # all existing files that it changed


@dataclass(frozen=True, slots=True)
class Measures:
    """Recall and reciprocal rank of one ranking."""

    recall: tuple[float, ...]  # at depth 1, 2, … DEPTHS
    rr: float  # reciprocal rank of the first answer

    def at(self, depth: int) -> float:
        return self.recall[depth - 1]


def question_of(message: str) -> str:
    """A message without trailers, issue numbers, hashes and URLs: a user would not know those."""
    return _POINTER.sub(" ", _TRAILER.sub("", message)).strip()[:LONGEST_QUESTION]


def has_enough_words(question: str) -> bool:
    """Whether a question has LEAST_WORDS: shorter messages do not say what the commit does."""
    return len(_WORD.findall(question)) >= LEAST_WORDS


def is_code(path: str) -> bool:
    """Whether a path looks like source code; tests count."""
    return language_of(path) not in NOT_CODE


def tasks_in(history: Mapping[str, LogRecord], number: int) -> list[ReplayTask]:
    """The newest `number` commits that qualify, oldest first; `history` is newest first."""
    tasks = filter(None, map(_task_of, history.values()))
    return list(islice(tasks, number))[::-1]


def _task_of(record: LogRecord) -> ReplayTask | None:
    changed = frozenset(file.path for file in record.files if file.status in ("M", "D"))
    answers = frozenset(filter(is_code, changed))
    question = question_of(record.message)
    is_sized = 1 <= len(answers) <= MOST_ANSWERS and len(record.files) <= MOST_FILES
    is_task = len(record.parents) == 1 and is_sized and has_enough_words(question)
    return ReplayTask(record.commit, record.parents[0], record.date, question, answers, changed) if is_task else None


def recall_at(depth: int, ranking: Sequence[str], answers: AbstractSet[str]) -> float:
    """The share of the answers among the first `depth` of the ranking."""
    return len(answers & set(ranking[:depth])) / len(answers)


def reciprocal_rank(ranking: Sequence[str], answers: AbstractSet[str]) -> float:
    """One over the rank of the first answer; 0 if none is ranked."""
    return next((1 / place for place, name in enumerate(ranking, start=1) if name in answers), 0.0)


def measured(ranking: Sequence[str], answers: AbstractSet[str]) -> Measures:
    """The measures of a ranking against a task's answers."""
    recall = tuple(recall_at(depth, ranking, answers) for depth in range(1, DEPTHS + 1))
    return Measures(recall, reciprocal_rank(ranking, answers))


def mean_of(several: Iterable[Measures]) -> Measures:
    """The mean over at least one task."""
    rows = list(several)
    columns = zip(*(row.recall for row in rows), strict=True)
    return Measures(tuple(sum(column) / len(rows) for column in columns), sum(row.rr for row in rows) / len(rows))


def variants(weights: Weights) -> dict[str, Weights]:
    """The weights, then each variant without one signal or one role factor, by name."""
    names = [*weights.signals, *(role.value for role in weights.roles)]
    return {"all": weights} | {f"without {name}": weights.without(name) for name in names}
