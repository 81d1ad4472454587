"""Linear models over hashed features, as `python -m training statements` writes them.

`weights.bin` has a row of DIMENSIONS signed bytes for each model, `weights.json` its name, scale and bias. A feature's
position is its CRC-32 modulo DIMENSIONS; a sentence of n features scores bias + scale · (sum of their bytes) / √n.
"""

import json
import math
import zlib
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from repomem.core.records import MemoryKind

DIMENSIONS = 1 << 17
FOLDER = Path(__file__).parent
STATEMENT = "statement"  # the model that separates statements from other sentences; the others classify kinds


class LinearModel(NamedTuple):
    """One row of weights."""

    row: memoryview  # DIMENSIONS signed bytes
    scale: float
    bias: float

    def score(self, places: Collection[int]) -> float:
        """The log-odds of a sentence with features at these places."""
        row = self.row
        return self.bias + self.scale * sum(row[place] for place in places) / math.sqrt(len(places) or 1)


class Weights(NamedTuple):
    """The models: whether a sentence is a statement, and of which kind a statement is."""

    statement: LinearModel
    kinds: Mapping[MemoryKind, LinearModel]


def places_of(features: Collection[str]) -> set[int]:
    """The positions of the features in a row."""
    return {zlib.crc32(each.encode("utf-8", "surrogatepass")) % DIMENSIONS for each in features}


@cache
def weights() -> Weights:
    """The models that ship."""
    rows = memoryview((FOLDER / "weights.bin").read_bytes()).cast("b")
    models = {
        each["name"]: LinearModel(rows[at * DIMENSIONS : (at + 1) * DIMENSIONS], each["scale"], each["bias"])
        for at, each in enumerate(json.loads((FOLDER / "weights.json").read_text(encoding="utf-8")))
    }
    statement = models.pop(STATEMENT)
    return Weights(statement, {MemoryKind(name): model for name, model in models.items()})
