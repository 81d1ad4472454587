"""The signals: each a pure function from the evidence to a score per file, named, weighted and switchable.

A signal is divided by its maximum and the weighted sum is a file's score: what was measured to beat rank fusion at
the depths that a brief has. What each signal is worth is measured by `python -m benchmarks replay --signals` and
`search --signals`, with the results in benchmarks/results/replay-signals.json and search-signals.json. The weights
are data: `weights.json` has those that are shipped, and says how they were found.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from math import isfinite
from types import MappingProxyType
from typing import Any

from repomem.core.types import Role
from repomem.core.words import DEFINES
from repomem.ranking.gather import Evidence
from repomem.ranking.query import Query

Scores = Mapping[int, float]
Signal = Callable[[Query, Evidence], Scores]


def whole_file(query: Query, evidence: Evidence) -> Scores:
    """BM25 over the file as a whole: the strongest single signal of words."""
    return evidence.file_scores


def best_chunk(query: Query, evidence: Evidence) -> Scores:
    """BM25 of the file's best chunk."""
    return {version: max(scores) for version, scores in evidence.chunk_scores.items()}


def path(query: Query, evidence: Evidence) -> Scores:
    """Words of the question in the file's name and folders."""
    return evidence.by_path


def named(query: Query, evidence: Evidence) -> Scores:
    """The question spells the file's path or name."""
    return evidence.named


def trace(query: Query, evidence: Evidence) -> Scores:
    """A stack trace in the question leads to the file: the nearer to the error, the more."""
    return evidence.traced.nearness


def quotation(query: Query, evidence: Evidence) -> Scores:
    """The file has, word for word, what the question quotes, such as an error's message."""
    return {version: max(shares.values()) for version, shares in evidence.quoted.items()}


def definition(query: Query, evidence: Evidence) -> Scores:
    """The file defines what the question names: spelled as code in full, guessed from plain words at half."""
    spelled = {DEFINES + name for name in query.names}
    return {
        version: max((rarity if name in spelled else rarity / 2) for name, rarity in names.items())
        for version, names in evidence.defined.items()
    }


def history(query: Query, evidence: Evidence) -> Scores:
    """Votes of earlier commits that speak of the same thing."""
    return evidence.votes


def lately(query: Query, evidence: Evidence) -> Scores:
    """The file was touched by one of the last commits: work goes on where it was."""
    return evidence.recency


def vector(query: Query, evidence: Evidence) -> Scores:
    """Likeness of the file's nearest chunk, beyond that of any two texts."""
    return evidence.similarity


def here(query: Query, evidence: Evidence) -> Scores:
    """The file lies below the folder from which the question is asked."""
    return dict.fromkeys(evidence.here, 1.0)


SIGNALS: Mapping[str, Signal] = MappingProxyType(
    {
        "words": whole_file,
        "chunk": best_chunk,
        "path": path,
        "named": named,
        "trace": trace,
        "quotation": quotation,
        "definition": definition,
        "history": history,
        "lately": lately,
        "vector": vector,
        "here": here,
    }
)


DATA_LANGUAGES = frozenset(["", "json", "yaml", "toml", "html", "css", "make"])  # and files that no grammar reads


@dataclass(frozen=True, slots=True)
class Weights:
    """What each signal counts, and the factors for files of a role that the question does not ask for, and for data."""

    signals: Mapping[str, float]
    roles: Mapping[Role, float]
    data: float = 1.0  # the factor for files in no programming language

    def lifted(self, name: str, factor: float) -> "Weights":
        """The same with one signal's weight multiplied."""
        return replace(self, signals={**self.signals, name: factor * self.signals.get(name, 0.0)})

    def without(self, *names: str) -> "Weights":
        """The same with some signals or roles switched off."""
        return Weights(
            {name: weight for name, weight in self.signals.items() if name not in names},
            {role: factor for role, factor in self.roles.items() if role.value not in names},
            1.0 if "data" in names else self.data,
        )


def weights_from(said: Mapping[str, Any]) -> Weights:
    """Weights as a file has them: numbers of nought or more. KeyError, TypeError or ValueError where they are not."""
    signals = {name: float(said["signals"][name]) for name in SIGNALS}
    roles = {Role(name): float(factor) for name, factor in said["roles"].items()}
    data = float(said["data"])
    if not all(isfinite(value) and value >= 0 for value in (*signals.values(), *roles.values(), data)):
        raise ValueError("a weight is a number of nought or more")
    return Weights(MappingProxyType(signals), MappingProxyType(roles), data)


def as_values(weights: Weights) -> dict[str, Any]:
    """The same as plain values, as `weights_from` reads them."""
    roles = {role.value: factor for role, factor in weights.roles.items()}
    return {"signals": dict(weights.signals), "roles": roles, "data": weights.data}


_SHIPPED = json.loads(files("repomem.ranking").joinpath("weights.json").read_text("utf-8"))
SEARCH = weights_from(_SHIPPED["search"])
RECALL = weights_from(_SHIPPED["recall"])


def _shares(query: Query, evidence: Evidence) -> dict[str, dict[int, float]]:
    """Signal to what each version has of the signal's best, which has 1: ties stay ties."""
    found: dict[str, dict[int, float]] = {}
    for name, signal in SIGNALS.items():
        scores = signal(query, evidence)
        best = max(scores.values(), default=0.0)
        in_reach = {version: score for version, score in scores.items() if version in evidence.files and score > 0}
        found[name] = {version: score / best for version, score in in_reach.items()}
    return found


def fused(query: Query, evidence: Evidence, weights: Weights) -> dict[int, dict[str, float]]:
    """Version to what each signal adds to its score, role factors included; the sum is the score."""
    parts: dict[int, dict[str, float]] = {version: {} for version in evidence.files}
    for name, found in _shares(query, evidence).items():
        weight = weights.signals.get(name, 0.0)
        if weight > 0:
            for version, share in found.items():
                parts[version][name] = weight * share
    for version, file in evidence.files.items():
        factor = 1.0 if query.asks_for(file.role.value) else weights.roles.get(file.role, 1.0)
        if file.language in DATA_LANGUAGES:
            factor *= weights.data
        if factor != 1.0:
            parts[version] = {name: part * factor for name, part in parts[version].items()}
    return parts
