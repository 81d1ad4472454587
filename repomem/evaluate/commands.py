"""Output of an agent's likely first commands: the task's identifiers, the lines with its rarest words, and the log."""

import math
import re
from collections.abc import Iterator, Mapping

from repomem.adapters.git.grep import lines_with
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.evaluate.tasks import ReplayTask, is_code
from repomem.workspace.snapshot import Snapshot

CHARACTERS_PER_TOKEN = 3.6
MOST_NAMES, LINES_PER_NAME, NAMES_SHOWN = 8, 12, 3
MOST_WORDS, MOST_ASKED, BEST_LINES = 14, 6, 25
WORDS_OF_LOG, COMMITS_OF_LOG = 2, 10
LONGEST_LINE = 200  # characters
_QUOTED = lazy_pattern(r"`([^`\s]{3,60})`")
_NAME = lazy_pattern(r"\b(?:[a-z]+_\w+|[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w+|[A-Z]{2,}_\w+|\w+\.\w+)\b")
_WORD = lazy_pattern(r"[A-Za-z][A-Za-z0-9]{2,}")
_EMPTY = """
    the and for not with when are this that from use used using should must add adds fix fixes fixed make support allow
    new now only after before into does don instead because which will can was were has have all any its than then them
    their via per out etc also more less same other one two"""
_EMPTY_WORDS = frozenset(_EMPTY.split())


def three_commands(snapshot: Snapshot, task: ReplayTask, budget: int) -> str:
    """The output of `git grep` for identifiers, of `git grep` for words and of `git log --grep`, cut to a budget.

    Everything is asked at the task's parent. `budget` is in tokens.
    """
    words = _rare_words(snapshot, task.question)
    lines = [*_of_names(snapshot, task), *_of_words(snapshot, task, words), *_of_log(snapshot, task, list(words))]
    return "\n".join(lines)[: int(budget * CHARACTERS_PER_TOKEN)]


def _of_names(snapshot: Snapshot, task: ReplayTask) -> Iterator[str]:
    names = list(dict.fromkeys([*_QUOTED.findall(task.question), *_NAME.findall(task.question)]))[:MOST_NAMES]
    found = (_code_lines(lines_with(snapshot.workspace.repository, task.parent, name)) for name in names)
    for lines in sorted(filter(None, found), key=len)[:NAMES_SHOWN]:
        yield from (line[:LONGEST_LINE] for line in lines[:LINES_PER_NAME])


def _of_words(snapshot: Snapshot, task: ReplayTask, words: Mapping[str, int]) -> Iterator[str]:
    if not words:
        return
    pattern = "|".join(map(re.escape, words))
    lines = _code_lines(lines_with(snapshot.workspace.repository, task.parent, pattern, is_pattern=True))
    weights = {word: math.log(1 + max(words.values()) / count) for word, count in words.items()}
    lines.sort(key=lambda line: -sum(weight for word, weight in weights.items() if word in line.lower()))
    yield from (line[:LONGEST_LINE] for line in lines[:BEST_LINES])


def _of_log(snapshot: Snapshot, task: ReplayTask, words: list[str]) -> list[str]:
    if not words:
        return []
    asked = [f"--grep={word}" for word in words[:WORDS_OF_LOG]]
    arguments = ("log", "--oneline", "--no-merges", "--no-mailmap", "-i", f"-n{COMMITS_OF_LOG}", *asked, task.parent)
    return snapshot.workspace.repository.read(*arguments, "--").decode("utf-8", "replace").splitlines()


def _rare_words(snapshot: Snapshot, question: str) -> dict[str, int]:
    """The rarest words of a question that some file has, with the number of files."""
    words = dict.fromkeys(word for word in _WORD.findall(question.lower()) if word not in _EMPTY_WORDS)
    known = snapshot.view.file_words.frequencies(list(words)[:MOST_WORDS])
    return dict(sorted(((word, count) for word, count in known.items() if count), key=lambda one: one[1])[:MOST_ASKED])


def _code_lines(lines: list[str]) -> list[str]:
    return [line for line in lines if is_code(line.partition(":")[0])]
