"""Fits what says that a memory is about a task (`EVIDENCE_OF_…` in `repomem/ranking/memories.py`).

Read: the 24 invented projects of `benchmarks/memory/sets`, with tasks that some memories are about, tasks in the
project's own words that none is about, and tasks of other projects.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log1p
from statistics import mean, quantiles
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.memory.ask_projects import COVERED, FOREIGN, NEAR, Task, memories_of, tasks_of
from benchmarks.memory.sets import FOLDER
from repomem.core.text.words import words_of
from repomem.memories.search.likeness import likeness_to_texts
from repomem.ranking.memory_signals import word_scores, words_of_question
from repomem.ranking.memory_words import MemoryCorpus, MemoryDocument
from repomem.ranking.query import Query
from repomem.workspace.models import sentence_encoder

STRENGTH = 10.0  # inverse of the regularization
FOUND = 0.9  # of the memories that a task needs, for the threshold at which the others are counted


class Evidence(NamedTuple):
    """What a task and a memory have in common, or the weight of each."""

    cosine: float  # above that of unrelated texts
    closeness: float  # of the nearest words, above that of unrelated texts
    words: float  # BM25
    length: float  # the logarithm of one more than the words of the task


@dataclass(frozen=True, slots=True)
class Pair:
    """A task and a memory of its project."""

    task: Task
    evidence: Evidence
    is_needed: bool
    is_welcome: bool


def pairs_of(project: str) -> Iterator[Pair]:
    """Each task of a project with each of its memories."""
    memories = memories_of(project)
    corpus = MemoryCorpus.of([MemoryDocument(one.id, words_of(f"{one.text} {one.why}")) for one in memories])
    texts = {one.id: f"{one.text} {one.why}".strip() for one in memories}
    likeness_to = likeness_to_texts(texts, sentence_encoder())
    for task in tasks_of(project):
        query = Query(task.text)
        words = words_of_question(query, None)
        near = likeness_to(query)
        usual, usually_close = mean(near.unrelated), mean(near.unrelated_closeness)
        for name, by_words in zip(corpus.ids, word_scores(words, corpus).tolist(), strict=True):
            close = near.closeness.get(name, usually_close) - usually_close
            evidence = Evidence(near.cosines[name] - usual, close, by_words, log1p(len(words)))
            yield Pair(task, evidence, name in task.right, name in task.welcome)


def fitted(known: Sequence[Pair]) -> tuple[Evidence, float]:
    """The weights in log-odds, and the constant; memories that are only welcome are left out."""
    kept = [one for one in known if not one.is_welcome]
    model = LogisticRegression(C=STRENGTH, max_iter=5_000)
    model.fit([one.evidence for one in kept], [one.is_needed for one in kept])
    return Evidence(*map(float, model.coef_[0])), float(model.intercept_[0])


def in_cosine(weights: Evidence) -> Evidence:
    """The weights relative to that of the cosine, rounded as they ship."""
    cosine, closeness, words, length = (each / weights.cosine for each in weights)
    return Evidence(cosine, round(closeness, 2), round(words, 3), round(length, 3))


def figures(asked: Sequence[Pair], weights: Evidence, constant: float) -> str:
    """How often a needed memory is likeliest, and what else is shown where FOUND of the needed ones are, as text."""
    tasks: dict[tuple[str, str], list[tuple[float, Pair]]] = {}
    for one in asked:
        likely = constant + float(np.dot(weights, one.evidence))
        tasks.setdefault((one.task.project, one.task.text), []).append((likely, one))
    kinds = (COVERED, NEAR, FOREIGN)
    groups = {kind: [each for each in tasks.values() if each[0][1].task.type == kind] for kind in kinds}
    best = [max(likely for likely, one in each if one.is_needed) for each in groups[COVERED]]
    least = quantiles(best, n=round(1 / (1 - FOUND)), method="inclusive")[0]
    first = mean(max(each, key=lambda pair: pair[0])[1].is_needed for each in groups[COVERED])
    shown = {kind: mean(_others(each, least) for each in some) for kind, some in groups.items()}
    return f"first {first:.3f}; others shown: " + ", ".join(f"{kind} {count:.2f}" for kind, count in shown.items())


def _others(pairs: Sequence[tuple[float, Pair]], least: float) -> int:
    """How many memories at least so likely are neither needed nor welcome."""
    return sum(likely >= least and not (one.is_needed or one.is_welcome) for likely, one in pairs)


def train() -> None:
    """Print the figures for each writer with weights from the others, and the weights from all."""
    every = [pair for path in sorted((FOLDER / "tasks").glob("*.json")) for pair in pairs_of(path.stem)]
    for writer in sorted({one.task.project[0] for one in every}):
        weights = fitted([one for one in every if one.task.project[0] != writer])
        own = [one for one in every if one.task.project[0] == writer]
        print(f"writer {writer}, by the others: {figures(own, *weights)}")
    print(in_cosine(fitted(every)[0]))
