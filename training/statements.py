"""Trains the linear classifier of statements (`repomem/capture/statements/classifier`) on labelled sessions.

Every session but the short dialogues is written in the format of a host and read back, so that the classifier learns
from what it will read.
"""

import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from benchmarks.spoken import (
    KINDS,
    SHORT,
    SPOKEN,
    TRANSCRIPTS,
    Scenario,
    dialogues_in,
    held_back,
    plain,
    says,
    scenario_of,
    steps_of,
)
from repomem.adapters.transcripts.steps import Step
from repomem.capture.statements.classifier.features import features_of, words_and_phrases
from repomem.capture.statements.classifier.messages import Message, messages_of
from repomem.capture.statements.classifier.weights import (
    DIMENSIONS,
    FOLDER,
    STATEMENT,
    LinearModel,
    places_of,
)
from repomem.capture.turns import turns_of

NONE = ""
STRENGTH = 5.0  # inverse of the regularization of the statements' model; of the kinds'
STRENGTH_OF_KINDS = 10.0
SHORTEST = 8  # characters of a sentence that may be a part of a labelled phrase


@dataclass(frozen=True, slots=True)
class Example:
    """One sentence with its label."""

    places: frozenset[int]  # of its features
    kind: str  # NONE for what is no statement
    is_persons: bool


class Label(NamedTuple):
    """A phrase of a session with its kind."""

    phrase: str
    kind: str
    by: str = ""  # "person" or "agent"; the older scripts do not say


def examples() -> list[Example]:
    """All labelled sentences, but for those of writers who are held back."""
    known = [
        Example(frozenset(places_of(features_of(message, at))), kind, message.is_persons)
        for message, at, kind in labelled_sentences()
    ]
    return known + list(_alone())


def labelled_sentences() -> Iterator[tuple[Message, int, str]]:
    """The sentences of all sessions and dialogues, but for those of writers who are held back.

    Each as its message and its place in that, with its kind; NONE for what is no statement.
    """
    for steps, labels in _sessions():
        for message in messages_of(turns_of(steps)):
            for at, sentence in enumerate(message.sentences):
                kind = _kind_of(sentence.text, labels, is_persons=message.is_persons)
                if kind != "neutral":
                    yield message, at, KINDS.get(kind, kind)


def files() -> list[Path]:
    """The files of labelled sessions and of short dialogues, but for those of writers who are held back."""
    known = held_back()
    spoken = (path for path in sorted(SPOKEN.glob("*/*.txt")) if path.parent.name not in known)
    short = (path for path in sorted(SHORT.glob("*.txt")) if path.stem not in known)
    return [*spoken, *sorted(TRANSCRIPTS.glob("scenarios/*/*.txt")), *short]


def _sessions() -> Iterator[tuple[Sequence[Step], list[Label]]]:
    for path in files():
        if path.parent == SHORT:
            yield from ((steps, [Label(**each) for each in stated]) for steps, stated in dialogues_in(path))
        else:
            scenario = scenario_of(path)
            yield steps_of(scenario), list(_labels(scenario))


def train() -> None:
    """Write the weights that ship."""
    known = examples()
    models = fitted(known)
    (FOLDER / "weights.bin").write_bytes(b"".join(bytes(model.row) for model in models.values()))
    about = [{"name": name, "scale": model.scale, "bias": model.bias} for name, model in models.items()]
    (FOLDER / "weights.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    print(f"{len(known)} sentences, {sum(each.kind != NONE for each in known)} of them statements")


def fitted(known: Sequence[Example]) -> dict[str, LinearModel]:
    """The models of these examples by name, with weights of one byte: first that of statements, then the kinds."""
    stated = [each for each in known if each.kind != NONE]
    models = {STATEMENT: _fit(known, [each.kind != NONE for each in known], STRENGTH)}
    for kind in sorted({each.kind for each in stated}):
        models[kind] = _fit(stated, [each.kind == kind for each in stated], STRENGTH_OF_KINDS)
    return models


def _rounded(weights: NDArray[np.float64], bias: float) -> LinearModel:
    scale = float(np.abs(weights).max()) / 127
    row = np.rint(weights / scale).astype(np.int8)
    return LinearModel(memoryview(row.tobytes()).cast("b"), round(scale, 9), round(float(bias), 6))


def _kind_of(text: str, labels: Sequence[Label], *, is_persons: bool) -> str:
    """The kind that the labels give a sentence: by their words, else by most of the words of the speaker's own."""
    who = "person" if is_persons else "agent"
    exact = (label.kind for label in labels if _says(text, label.phrase))
    similar = (label.kind for label in labels if label.by == who and says(text, label.phrase))
    return next(itertools.chain(exact, similar), NONE)


def _labels(scenario: Scenario) -> Iterator[Label]:
    """Those of the older scripts come first, which have other keys."""
    labels = scenario.labels
    for phrase, kind, *_ in labels.get("decisions", []):
        yield Label(phrase, kind)
    for key, kind in (("open", "open end"), ("tried", "dead end"), ("neutral", "neutral")):
        yield from (Label(each if isinstance(each, str) else each["phrase"], kind) for each in labels.get(key, []))
    for statement in labels.get("statement", []):
        phrases = (statement["phrase"], *statement.get("also", []))
        yield from (Label(phrase, statement["kind"], statement["by"]) for phrase in phrases)


def _says(text: str, phrase: str) -> bool:
    one, other = plain(text), plain(phrase)
    return other in one or (len(one) > SHORTEST and one in other)


def _alone() -> Iterator[Example]:
    """Sentences without a session: a kind or "none", a tab, and the sentence."""
    for path in sorted(TRANSCRIPTS.glob("sentences/*.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines():
            kind, _, text = line.partition("\t")
            own, who = words_and_phrases(text), f"{path.stem[0]}:"
            places = frozenset(places_of(own | {who + each for each in own if " " not in each}))
            yield Example(places, NONE if kind == "none" else KINDS.get(kind, kind), path.stem == "person")


def _fit(known: Sequence[Example], labels: Sequence[bool], strength: float) -> LinearModel:
    model = LogisticRegression(C=strength, max_iter=300, tol=1e-3, solver="liblinear", class_weight="balanced")
    model.fit(_matrix(known), labels)
    return _rounded(model.coef_[0], model.intercept_[0])


def _matrix(known: Iterable[Example]) -> csr_matrix:
    places = [sorted(each.places) for each in known]
    ends = np.cumsum([0, *map(len, places)])
    values = np.concatenate([np.full(len(each), 1 / np.sqrt(len(each) or 1)) for each in places])
    return csr_matrix((values, np.concatenate(places), ends), shape=(len(places), DIMENSIONS))
