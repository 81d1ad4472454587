"""Where an approximate index of vectors would pay: build time, query time, recall and bytes beside the exact scan.

python -m benchmarks.scale.vectors WORK_TREE [ROWS] <questions

The vectors are those that the index of the worktree holds; each kind of index is built over a copy of that table,
in a folder of its own. Recall@10 counts a row as right that is as near as the tenth of the exact answer: copies of
code have vectors that tie. With ROWS the same vectors are repeated with a little noise until there are so many, and
only the exact scans are timed. Prints JSON, an entry for each kind.
"""

import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import lancedb
from lancedb.index import HnswSq, IvfPq

from repomem.adapters.lance.vectors import Vectors
from repomem.recall.search import question_vector
from repomem.workspace.process import prepare_process
from repomem.workspace.workspace import Workspace, opened

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Question = NDArray[np.float32]

NEAREST = 10
NOISE = 0.01  # of each number of a vector of length 1
SLACK = 1e-3  # of cosine distance: half precision
# Every kind as it comes, and with its answers checked against the true vectors or more of its lists looked through.
SEARCHES: dict[str, Sequence[tuple[str, Callable[[Any], Any]]]] = {
    "IVF_PQ": (
        ("20 lists", lambda query: query.nprobes(20)),
        ("20 lists, 10 times as many checked", lambda query: query.nprobes(20).refine_factor(10)),
    ),
    "IVF_HNSW_SQ": (
        ("20 lists", lambda query: query.nprobes(20)),
        ("20 lists, 5 times as many checked", lambda query: query.nprobes(20).refine_factor(5)),
    ),
}
INDEXES = {"IVF_PQ": IvfPq, "IVF_HNSW_SQ": HnswSq}
MOST_FOR_ALL = 200_000  # rows: above, IVF_PQ, the dearest to build and the worst to ask at every size, takes an hour
WORTH_WHILE = ("IVF_HNSW_SQ",)


def main() -> None:
    prepare_process()
    questions = sys.stdin.read().splitlines()
    with opened(Path(sys.argv[1]), os.environ) as workspace:
        if len(sys.argv) > 2:
            print(json.dumps(repeated(workspace, questions, int(sys.argv[2]))))
        else:
            print(json.dumps(measured(workspace, questions)))


def measured(workspace: Workspace, questions: Sequence[str]) -> list[dict[str, Any]]:
    """An entry for the exact scan, for one that is held in memory, and for each kind of index."""
    found = [question_vector(workspace, question) for question in questions]
    vectors = [each.numbers for each in found if each]
    space = workspace.space
    assert space, "an index run makes the vectors"
    rows = lancedb.connect(str(workspace.store_folder)).open_table(space.table).to_arrow()
    exact: list[list[float]] = []
    with TemporaryDirectory(prefix="repomem-vectors-", ignore_cleanup_errors=True) as folder:
        database = lancedb.connect(folder)
        table = database.create_table("exact", rows)
        entries = [_entry("exact scan", _timed(table, vectors, lambda q: q.bypass_vector_index(), exact))]
        entries[0] |= {"rows": rows.num_rows, "bytes": _bytes(Path(folder) / "exact.lance"), "recall": 1.0}
        entries.append(_held(table, rows.num_rows, space.dimensions, vectors))
        for kind in SEARCHES if rows.num_rows <= MOST_FOR_ALL else WORTH_WHILE:
            entries += _approximate(database, Path(folder), rows, kind, vectors, [each[-1] for each in exact])
    return entries


def repeated(workspace: Workspace, questions: Sequence[str], rows: int) -> list[dict[str, Any]]:
    """The exact scans of so many vectors: those of the worktree, again and again with noise."""
    import numpy as np

    from repomem.adapters.lance.schema import vector_table

    found = [question_vector(workspace, question) for question in questions]
    vectors = [each.numbers for each in found if each]
    space = workspace.space
    assert space, "an index run makes the vectors"
    known = lancedb.connect(str(workspace.store_folder)).open_table(space.table).to_arrow()
    numbers = known.column("vector").combine_chunks().flatten().to_numpy().reshape(-1, space.dimensions)
    chance = np.random.default_rng(1)
    with TemporaryDirectory(prefix="repomem-vectors-", ignore_cleanup_errors=True) as folder:
        database = lancedb.connect(folder)
        table = database.create_table("exact", schema=known.schema)
        left = rows
        while left > 0:
            part = numbers[:left] + chance.normal(0.0, NOISE, numbers[:left].shape).astype(np.float16)
            versions, digests = (known.column(name).to_pylist()[: len(part)] for name in ("version", "digest"))
            table.add(vector_table(versions, digests, part))
            left -= len(part)
        entry = _entry("exact scan", _timed(table, vectors, lambda q: q.bypass_vector_index(), []))
        entry |= {"rows": rows, "bytes": _bytes(Path(folder) / "exact.lance")}
        return [entry, _held(table, rows, space.dimensions, vectors) | {"rows": rows}]


def _held(table: Any, rows: int, dimensions: int, vectors: Sequence["Question"]) -> dict[str, Any]:
    """What a process that stays does for up to 128 MiB of vectors: all of them in memory."""
    start = time.perf_counter()
    batches = table.search().select(["version", "vector"]).limit(rows).to_batches(8_192)
    held = Vectors(batches, rows, dimensions)
    build = time.perf_counter() - start
    times = []
    for vector in vectors:
        clocks = _clocks()
        held.near(vector, None, NEAREST)
        times.append(_since(clocks))
    return _entry("exact, held in memory", times) | {"build": build, "bytes": 4 * rows * dimensions}


def _approximate(
    database: Any, folder: Path, rows: Any, kind: str, vectors: Sequence["Question"], tenths: Sequence[float]
) -> list[dict[str, Any]]:
    """The index built with LanceDB's own settings, then searched in each way; `tenths` are the exact distances."""
    table = database.create_table(kind, rows)
    before, start = _bytes(folder / f"{kind}.lance"), time.perf_counter()
    cpu = time.process_time()
    table.create_index("vector", config=INDEXES[kind](distance_type="cosine"))
    spent = {"build": time.perf_counter() - start, "build CPU": time.process_time() - cpu}
    spent["bytes"] = _bytes(folder / f"{kind}.lance") - before
    entries = []
    for name, how in SEARCHES[kind]:
        distances: list[list[float]] = []
        times = _timed(table, vectors, how, distances)
        right = [
            sum(far <= tenth + SLACK for far in each) / NEAREST for each, tenth in zip(distances, tenths, strict=True)
        ]
        entries.append(_entry(f"{kind}, {name}", times) | spent | {"recall": statistics.mean(right)})
    database.drop_table(kind)
    return entries


def _timed(
    table: Any, vectors: Sequence["Question"], how: Callable[[Any], Any], distances: list[list[float]]
) -> list[tuple[float, float]]:
    """Wall and CPU seconds of each search; the true distances of what it found are added to `distances`."""
    import numpy as np

    times = []
    for vector in (vectors[0], *vectors):  # the first one loads
        start = _clocks()
        query = how(table.search(vector, vector_column_name="vector").distance_type("cosine"))
        found = query.select(["version", "vector", "_distance"]).limit(NEAREST).to_arrow()
        times.append(_since(start))
        near = found.column("vector").combine_chunks().flatten().to_numpy().reshape(found.num_rows, -1)
        near = near.astype(np.float32)
        lengths = np.linalg.norm(near, axis=1) * np.linalg.norm(vector)
        distances.append(sorted((1.0 - near @ vector / lengths).tolist()))
    distances.pop(0)
    return times[1:]


def _entry(name: str, times: Sequence[tuple[float, float]]) -> dict[str, Any]:
    walls, cpus = zip(*times, strict=True)
    return {"name": name, "median": statistics.median(walls), "worst": max(walls), "cpu": statistics.median(cpus)}


def _clocks() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _since(start: tuple[float, float]) -> tuple[float, float]:
    return time.perf_counter() - start[0], time.process_time() - start[1]


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    main()
