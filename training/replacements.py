"""Fits how likely a later memory changes an earlier one (`repomem/memories/search/replacements.py`).

Read: `benchmarks/memory/sets/amendments`, 24 invented projects by four writers, each file with its memories in order of
time, the pairs in which the later one makes the earlier one untrue, and pairs that look alike and both hold.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from repomem.core.records import MemoryContent, MemoryKind
from repomem.core.types.text import CleanText
from repomem.core.words import words_of
from repomem.memories.search.replacements import LEAST_LIKELY, MOST_REPEATED, STATED, ReplacementEvidence, evidence_of
from repomem.memories.search.vectors import MemoryVectors, text_to_embed
from repomem.ranking.memory_words import MemoryCorpus, MemoryDocument
from repomem.workspace.models import sentence_encoder

FOLDER = Path(__file__).parents[1] / "benchmarks/memory/sets/amendments"
STRENGTH = 10.0  # inverse of the regularization


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory of a project, a later one near to it, and whether that makes it untrue."""

    project: str  # the letter of the writer, and a number
    earlier: str
    evidence: ReplacementEvidence
    is_replaced: bool


@dataclass(frozen=True, slots=True)
class Counts:
    """How many earlier memories are marked, rightly marked, and replaced."""

    marked: int
    right: int
    replaced: int

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.marked + other.marked, self.right + other.right, self.replaced + other.replaced)

    @property
    def line(self) -> str:
        """Precision and recall as text."""
        precision, recall = self.right / max(self.marked, 1), self.right / max(self.replaced, 1)
        return f"{self.right} of {self.marked} marked are right ({precision:.2f}), of {self.replaced} ({recall:.2f})"


def replaced_in(project: str) -> set[tuple[str, str]]:
    """The replaced memories of a project, each with one that replaces it, perhaps by way of another."""
    pairs = {(old, new) for old, new in json.loads((FOLDER / f"{project}.json").read_text("utf-8"))["replaced"]}
    return pairs | {(old, new) for old, middle in pairs for between, new in pairs if middle == between}


def candidates_of(project: str) -> Iterator[Candidate]:
    """The pairs of a project that repomem compares."""
    told = json.loads((FOLDER / f"{project}.json").read_text("utf-8"))["memories"]
    contents = {
        one["id"]: MemoryContent(MemoryKind(one["kind"]), CleanText(one["text"]), CleanText(one.get("why", "")))
        for one in told
    }
    matrix = sentence_encoder().embed([text_to_embed(said) for said in contents.values()])
    vectors = MemoryVectors(list(contents), matrix.astype(np.float32), np.zeros((0, matrix.shape[1]), np.float32))
    documents = MemoryCorpus.of(
        [MemoryDocument(name, words_of(f"{said.text} {said.why}")) for name, said in contents.items()]
    )
    replaced = replaced_in(project)
    for pair in vectors.pairs_with_later(list(contents)):
        evidence = evidence_of(pair, contents.__getitem__, documents)
        capped = evidence._replace(repeated=min(evidence.repeated, MOST_REPEATED))
        yield Candidate(project, pair.earlier, capped, (pair.earlier, pair.later) in replaced)


def fitted(known: Sequence[Candidate]) -> tuple[ReplacementEvidence, float]:
    """The weights, with that of words of change as it is set by hand, and the constant."""
    model = LogisticRegression(C=STRENGTH, max_iter=1_000)
    model.fit([one.evidence[:-1] for one in known], [one.is_replaced for one in known])
    *weights, constant = (round(float(value), 2) for value in (*model.coef_[0], *model.intercept_))
    return ReplacementEvidence(*weights, STATED), constant


def counted(asked: Sequence[Candidate], weights: ReplacementEvidence, constant: float) -> Counts:
    """What is marked among these pairs: of each earlier memory the likeliest later one."""
    best: dict[tuple[str, str], tuple[float, bool]] = {}
    for one in asked:
        likely = constant + float(np.dot(weights, one.evidence))
        key = one.project, one.earlier
        best[key] = max(best.get(key, (LEAST_LIKELY, False)), (likely, one.is_replaced))
    marked = [is_right for likely, is_right in best.values() if likely > LEAST_LIKELY]
    replaced = {(project, old) for project in {one.project for one in asked} for old, _ in replaced_in(project)}
    return Counts(len(marked), sum(marked), len(replaced))


def train() -> None:
    """Print the figures for each writer with weights from the others, and the weights from all."""
    every = [one for path in sorted(FOLDER.glob("*.json")) for one in candidates_of(path.stem)]
    held: list[Counts] = []
    for writer in sorted({one.project[0] for one in every}):
        others = [one for one in every if one.project[0] != writer]
        held.append(counted([one for one in every if one.project[0] == writer], *fitted(others)))
        print(f"writer {writer}, by the others: {held[-1].line}")
    print(f"together: {sum(held, Counts(0, 0, 0)).line}")
    print(*fitted(every))
