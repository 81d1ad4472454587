"""All vectors of a table in memory, for long-lived processes: a search takes 3 ms.

LanceDB decides which rows are nearest: rounding differs between libraries, and answers must not depend on earlier
queries.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

MARGIN: Final = 1e-4  # of cosine: a hundred times what half precision and the order of a sum make
MOST_NEAR: Final = 2_000  # rows; where more are alike, a search goes through all of them


class Vectors:
    """The vectors of `rows` rows of a table as 32-bit floats, with the version of each."""

    def __init__(self, batches: "Iterable[pa.RecordBatch]", rows: int, dimensions: int) -> None:
        self._ids = np.zeros(rows, np.int32)
        self._vectors = np.zeros((rows, dimensions), np.float32)
        start = 0
        for batch in batches:
            end = start + batch.num_rows
            self._ids[start:end] = batch.column("version").to_numpy()
            vectors = batch.column("vector").flatten().to_numpy().reshape(-1, dimensions).astype(np.float32)
            lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
            self._vectors[start:end] = vectors / np.maximum(lengths, np.finfo(np.float32).tiny)[:, None]
            start = end

    def near(self, vector: NDArray[np.float32], ids: Sequence[int] | None, limit: int) -> list[int] | None:
        """Ids, among `ids`, of the `limit` rows nearest to a vector; None if too many are equally near."""
        asked = vector.astype(np.float16).astype(np.float32)
        # no product of matrices: its threads wait for the next one at full speed
        alike = np.einsum("ij,j->i", self._vectors, asked / np.sqrt(np.einsum("i,i->", asked, asked)))
        if ids is not None:
            live = np.zeros(int(max(self._ids.max(initial=0), max(ids, default=0))) + 1, np.bool_)
            live[np.fromiter(ids, np.int64, len(ids))] = True
            alike[~live[self._ids]] = -2.0
        if len(alike) <= limit:
            return None
        least = np.partition(alike, -limit)[-limit] - MARGIN
        near = np.flatnonzero(alike >= least)
        return sorted(set(self._ids[near].tolist())) if len(near) <= MOST_NEAR and least > -1.0 else None
