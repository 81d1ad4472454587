"""Fits how likely a later memory changes an earlier one, and answers a task in its place.

Both are in `repomem/memories/search/replacements.py`. Read, in `benchmarks/memory/sets`: `amendments`, 24 invented
projects by four writers, each file with its memories in order of time, the pairs in which the later one makes the
earlier one untrue, and pairs that look alike and both hold; `tasks` and `alike`, tasks with what they are about.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.memory.ask_projects import memories_of, tasks_of
from repomem.core.records import MemoryContent, MemoryKind
from repomem.core.text.words import words_of
from repomem.core.types.text import CleanText
from repomem.memories.search.likeness import likeness_to_texts
from repomem.memories.search.replacements import (
    LEAST_LIKELY,
    MOST_REPEATED,
    STATED,
    ComparedPair,
    ReplacementEvidence,
    evidence_of,
    with_known_kinds,
)
from repomem.memories.search.vectors import MemoryVectors, text_to_embed
from repomem.ranking.memories import matching_by_sentence
from repomem.ranking.memory_words import MemoryCorpus, MemoryDocument
from repomem.ranking.query import Query
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
class Choice:
    """A task's match and a later memory that matches less, of which just one is about the task."""

    project: str
    evidence: ReplacementEvidence
    share: float  # of the later one's score, of the earlier one's
    is_later: bool  # whether the later one is about the task

    @property
    def features(self) -> list[float]:
        """What the regression reads: words of change are left out, since they tell nothing in these projects."""
        return [*self.evidence[:-1], self.share]


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
        return f"{self.right} of {self.marked} are right ({precision:.2f}), of {self.replaced} ({recall:.2f})"


def replaced_in(project: str) -> set[tuple[str, str]]:
    """The replaced memories of a project, each with one that replaces it, perhaps by way of another."""
    pairs = {(old, new) for old, new in json.loads((FOLDER / f"{project}.json").read_text("utf-8"))["replaced"]}
    return pairs | {(old, new) for old, middle in pairs for between, new in pairs if middle == between}


def candidates_of(project: str) -> Iterator[Candidate]:
    """The pairs of a project that repomem compares."""
    contents = _contents(project)
    replaced = replaced_in(project)
    for pair in _pairs(contents, _corpus(contents)):
        yield Candidate(project, pair.earlier, pair.evidence, pair[:2] in replaced)


def choices_of(project: str) -> Iterator[Choice]:
    """The pairs of a project that repomem puts in order for its tasks."""
    contents = _contents(project)
    corpus = _corpus(contents)
    pairs = _pairs(contents, corpus)
    likeness_to = likeness_to_texts({name: _text(said) for name, said in contents.items()}, sentence_encoder())
    for task in (*tasks_of(project), *tasks_of(project, "alike")):
        scores = {one.id: one.score for one in matching_by_sentence(Query(task.text), corpus, likeness_to)}
        for pair in pairs:
            earlier, later = scores.get(pair.earlier, 0.0), scores.get(pair.later, 0.0)
            right = {pair.earlier, pair.later} & {*task.right}
            is_clear = len(right) == 1 and not {pair.earlier, pair.later} & {*task.welcome}
            if is_clear and 0 < later < earlier:
                yield Choice(project, with_known_kinds(pair.evidence), later / earlier, pair.later in right)


def _contents(project: str) -> dict[str, MemoryContent]:
    return {
        one.id: MemoryContent(one.kind or MemoryKind.FACT, CleanText(one.text), CleanText(one.why))
        for one in memories_of(project)
    }


def _text(said: MemoryContent) -> str:
    return f"{said.text} {said.why}".strip()


def _corpus(contents: Mapping[str, MemoryContent]) -> MemoryCorpus:
    return MemoryCorpus.of([MemoryDocument(name, words_of(_text(said))) for name, said in contents.items()])


def _pairs(contents: Mapping[str, MemoryContent], corpus: MemoryCorpus) -> list[ComparedPair]:
    """Each memory with the later ones near to it."""
    matrix = sentence_encoder().embed([text_to_embed(said) for said in contents.values()])
    vectors = MemoryVectors(list(contents), matrix.astype(np.float32), np.zeros((0, matrix.shape[1]), np.float32))
    found = []
    for pair in vectors.pairs_with_later(list(contents)):
        evidence = evidence_of(pair, contents.__getitem__, corpus)
        capped = evidence._replace(repeated=min(evidence.repeated, MOST_REPEATED))
        found.append(ComparedPair(pair.earlier, pair.later, capped))
    return found


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


def fitted_choices(known: Sequence[Choice]) -> tuple[ReplacementEvidence, float, float]:
    """The weights, that of the later one's share of the score, and the constant."""
    model = LogisticRegression(C=STRENGTH, max_iter=2_000)
    model.fit([one.features for one in known], [one.is_later for one in known])
    *weights, share, constant = (round(float(value), 2) for value in (*model.coef_[0], *model.intercept_))
    return ReplacementEvidence(*weights, 0.0), share, constant


def _put_first(asked: Sequence[Choice], weights: ReplacementEvidence, share: float, constant: float) -> Counts:
    """Of the pairs, how many are put with the later one first, rightly, and how many should be."""
    put = [one for one in asked if constant + share * one.share + float(np.dot(weights, one.evidence)) > 0]
    return Counts(len(put), sum(one.is_later for one in put), sum(one.is_later for one in asked))


def train() -> None:
    """Print the figures for each writer with weights from the others, and the weights from all."""
    projects = [path.stem for path in sorted(FOLDER.glob("*.json"))]
    candidates = [one for project in projects for one in candidates_of(project)]
    choices = [one for project in projects for one in choices_of(project)]
    held, put = Counts(0, 0, 0), Counts(0, 0, 0)
    for writer in sorted({project[0] for project in projects}):
        marks = fitted([one for one in candidates if one.project[0] != writer])
        held += counted([one for one in candidates if one.project[0] == writer], *marks)
        order = fitted_choices([one for one in choices if one.project[0] != writer])
        put += _put_first([one for one in choices if one.project[0] == writer], *order)
        print(f"up to writer {writer}, by the others: {held.line}; put first: {put.line}")
    print(*fitted(candidates), *fitted_choices(choices))
