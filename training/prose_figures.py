"""python -m training.prose_figures SPLIT: the figures of the model for sentences, from the bytes that ship.

SPLIT is `dev` or `held` of the paraphrase pairs in benchmarks/memory/sets, `own`: those of prose_pairs.tsv, or
`written` or `alike`: the 1,800 questions about 600 memories by a writer who is held out.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.memory.sets import paraphrases
from training.evaluate import MODEL as CODE_MODEL, teacher
from training.held_out import Embed
from training.prose import MODEL
from training.vectors import Vectors
from training.written import HELD_OUT, projects_of

OWN = Path(__file__).with_name("prose_pairs.tsv")  # memory, tab, question; those without a question only distract
DEPTHS = (1, 5, 10)
PERCENTILES = (5, 25, 50, 75, 95)


@dataclass(frozen=True, slots=True)
class Task:
    """Questions, and the row of the memory that answers each."""

    memories: Sequence[str]
    questions: Sequence[str]
    right: Sequence[int]


def task_of(split: str) -> Task:
    """The pairs of a split, among all memories of its set."""
    if split == "own":
        rows = [line.split("\t") for line in OWN.read_text(encoding="utf-8").splitlines()]
        asked = [(question, at) for at, (_, question) in enumerate(rows) if question]
        return Task([memory for memory, _ in rows], [one for one, _ in asked], [at for _, at in asked])
    if split in HELD_OUT:
        memories = [memory for project in projects_of(HELD_OUT[split]) for memory in project]
        every = [(question, at) for at, memory in enumerate(memories) for question in memory.questions]
        return Task([one.text for one in memories], [one for one, _ in every], [at for _, at in every])
    found = paraphrases()
    place = {memory.id: at for at, memory in enumerate(found.memories)}
    questions = [one for one in found.questions if one.split == split]
    return Task(
        [memory.text for memory in found.memories],
        [one.text for one in questions],
        [place[one.right[0]] for one in questions],
    )


def figures(task: Task, embed: Embed) -> str:
    """Recall by depth, the mean reciprocal rank and how near the nearest memory is."""
    similar = embed(task.questions) @ embed(task.memories).T
    own = similar[np.arange(len(similar)), task.right][:, None]
    ranks = (similar > own).sum(axis=1) + ((similar == own).sum(axis=1) + 1) / 2  # ties share their places
    recall = "  ".join(f"R@{depth} {(ranks <= depth).mean():.3f}" for depth in DEPTHS)
    nearest = np.percentile(similar.max(axis=1), PERCENTILES).round(2).tolist()
    return f"{recall}  MRR {(1 / ranks).mean():.3f}  nearest {nearest}"


def main() -> None:
    """Print a line for each model."""
    task = task_of(sys.argv[1])
    models = {"this model": Vectors(MODEL).embed, "model for code": Vectors(CODE_MODEL).embed, "teacher": teacher()}
    for name, embed in models.items():
        print(f"{name}: {figures(task, embed)}", flush=True)


if __name__ == "__main__":
    main()
