"""The signals: pure functions from the evidence to a score per file, with their weights.

Each signal is divided by its maximum; a file's score is the weighted sum. This beat rank fusion at the depths of a
brief. `python -m benchmarks replay --signals` and `search --signals` measure each signal; the weights are data, in
`weights.json`.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from repomem.core.text.words import DEFINES
from repomem.core.types.code import Role
from repomem.ranking.gather import Evidence
from repomem.ranking.query import Query

Scores = Mapping[int, float]
Signal = Callable[[Query, Evidence], Scores]


def _best_chunk(_query: Query, evidence: Evidence) -> Scores:
    """BM25 of the file's best chunk."""
    return {version: max(scores) for version, scores in evidence.chunk_scores.items()}


def _quotation(_query: Query, evidence: Evidence) -> Scores:
    """The file contains a quotation of the question word for word, such as an error message."""
    return {version: max(shares.values()) for version, shares in evidence.quoted.items()}


def _definition(query: Query, evidence: Evidence) -> Scores:
    """The file defines a name of the question: full score if spelled as code, half if guessed from plain words."""
    spelled = {DEFINES + name for name in query.names}
    return {
        version: max((rarity if name in spelled else rarity / 2) for name, rarity in names.items())
        for version, names in evidence.defined.items()
    }


# The name of each signal, its function, and its description as `recall --why` shows it.
_SIGNALS: tuple[tuple[str, Signal, str], ...] = (
    ("words", lambda _query, evidence: evidence.file_scores, "matches in the file"),  # BM25: the strongest word signal
    ("chunk", _best_chunk, "matches in one passage"),
    ("path", lambda _query, evidence: evidence.by_path, "matches in its path"),  # in the file's name and folders
    ("named", lambda _query, evidence: evidence.named, "its path is in the query"),  # or its name
    ("trace", lambda _query, evidence: evidence.traced.nearness, "in the stack trace"),  # near the error: most
    ("quotation", _quotation, "contains the quoted text"),
    ("definition", _definition, "defines a name in the query"),
    ("history", lambda _query, evidence: evidence.votes, "changed by matching commits"),  # by their messages
    ("lately", lambda _query, evidence: evidence.recency, "changed recently"),  # work often continues in such files
    ("vector", lambda _query, evidence: evidence.similarity, "similar meaning"),  # above that of any two texts
    ("here", lambda _query, evidence: dict.fromkeys(evidence.here, 1.0), "below the current folder"),
)
SIGNALS: Mapping[str, Signal] = MappingProxyType({name: signal for name, signal, _ in _SIGNALS})
DESCRIPTIONS: Mapping[str, str] = MappingProxyType({name: description for name, _, description in _SIGNALS})

DATA_LANGUAGES = frozenset(["", "json", "yaml", "toml", "html", "css", "make"])  # and files without a grammar


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each signal, and the factors for data files and for roles that the question does not ask for."""

    signals: Mapping[str, float]
    roles: Mapping[Role, float]
    data: float = 1.0  # the factor for files that are not in a programming language

    def scaled(self, name: str, factor: float) -> "Weights":
        """The same with one signal's weight multiplied."""
        return replace(self, signals={**self.signals, name: factor * self.signals.get(name, 0.0)})

    def without(self, *names: str) -> "Weights":
        """The same with some signals or roles switched off."""
        return Weights(
            {name: weight for name, weight in self.signals.items() if name not in names},
            {role: factor for role, factor in self.roles.items() if role.value not in names},
            1.0 if "data" in names else self.data,
        )


def _weights_from(values: Mapping[str, Any]) -> Weights:
    roles = {Role(name): factor for name, factor in values["roles"].items()}
    return Weights(MappingProxyType(values["signals"]), MappingProxyType(roles), values["data"])


def as_values(weights: Weights) -> dict[str, Any]:
    roles = {role.value: factor for role, factor in weights.roles.items()}
    return {"signals": dict(weights.signals), "roles": roles, "data": weights.data}


SHIPPED: Mapping[str, Any] = json.loads(files("repomem.ranking").joinpath("weights.json").read_text("utf-8"))
SEARCH = _weights_from(SHIPPED["search"])
RECALL = _weights_from(SHIPPED["recall"])


def _shares(query: Query, evidence: Evidence) -> dict[str, dict[int, float]]:
    """By signal, the share of the signal's best score that each version has."""
    found: dict[str, dict[int, float]] = {}
    for name, signal in SIGNALS.items():
        scores = signal(query, evidence)
        best = max(scores.values(), default=0.0)
        in_reach = {version: score for version, score in scores.items() if version in evidence.files and score > 0}
        found[name] = {version: score / best for version, score in in_reach.items()}
    return found


def fused(query: Query, evidence: Evidence, weights: Weights) -> dict[int, dict[str, float]]:
    """By version, what each signal adds to its score, role factors included."""
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
