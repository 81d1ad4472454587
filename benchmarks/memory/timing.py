"""How soon what is said can be read by another process, and how long a brief over ten thousand memories takes.

Whole commands in fresh processes, as a user runs them; what their imports cost is measured in turn with them and
taken off, so that a busy machine slows both.
"""

import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from benchmarks.memory.build import Built, added_in_bulk, indexed, said_one_by_one
from benchmarks.memory.generate import Data, Shape, generate
from benchmarks.memory.measure import BUDGET, BUDGETS, brief_for
from benchmarks.processes import Cost, repomem, run
from repomem.adapters.ledger.fold import memories_of
from repomem.adapters.ledger.lines import record_of_line
from repomem.memories.anchors.live_files import live_files_now
from repomem.memories.search.search_documents import documents_of
from repomem.memories.snapshots.snapshot import memories_in
from repomem.ranking.memories import matching_memories
from repomem.ranking.query import Query
from repomem.workspace.ledger import ledger_of
from repomem.workspace.snapshot import snapshot
from repomem.workspace.workspace import opened

SAID = {  # text to a task that it bears on; unlike each other, since no brief holds many of one agent
    "The copper kettle whistles in room 40": "why does the copper kettle whistle",
    "Velvet curtains hang in the observatory": "replace the velvet curtains",
    "Nobody feeds the otters after midnight": "when are the otters fed",
    "The lighthouse lamp turns every nine seconds": "slow down the lighthouse lamp",
    "Saffron is kept in the blue drawer": "where do we keep saffron",
}
REPETITIONS = len(SAID)
MANY = Shape(entities=348, subjects=24)  # ten thousand memories and more
ASKED = 20  # questions over them at each budget
WRITING = "import repomem.cli.main, repomem.memories.remember"
READING = "import lancedb, repomem.cli.main, repomem.recall.answer"

T = TypeVar("T")
Figures = dict[str, float | list[float]]


def written_and_seen(folder: Path) -> Figures:
    """Seconds from the start of `remember` to the end of a `recall` that shows what it kept, imports taken off."""
    costs: list[tuple[Cost, Cost]] = []
    imports: list[tuple[Cost, Cost]] = []
    for text, task in SAID.items():
        writing = run(repomem("remember", text), folder)
        reading = run(repomem("recall", task), folder)
        if text not in reading.output:
            sys.exit(f"what was remembered is in no brief: {text}\n{reading.output}")
        costs.append((writing, reading))
        imports.append((_imported(WRITING, folder), _imported(READING, folder)))
    walls = [write.wall + read.wall for write, read in costs]
    beyond = statistics.median(walls) - statistics.median(write.wall + read.wall for write, read in imports)
    cpu = statistics.median(w.cpu + r.cpu for w, r in costs) - statistics.median(w.cpu + r.cpu for w, r in imports)
    return {"write to visible beyond imports": beyond, "write to visible, CPU": cpu, "write to visible, runs": walls}


def over_many(folder: Path, seed: int) -> Figures:
    """A brief over ten thousand memories: seconds beyond imports, where they go, and whether the budget is kept."""
    data = generate(seed, MANY)
    with indexed(data.files, folder) as workspace:
        built = added_in_bulk(workspace, data)
        brief_for(built, data.questions[0])  # words are kept once, as the first brief after an import does
        over = sum(_over(built, data, budget) for budget in (BUDGET, *BUDGETS))
        figures: Figures = {"memories": float(built.rows), "briefs over the budget": float(over)}
    costs, imports = [], []
    for question in data.questions[:REPETITIONS]:
        costs.append(run(repomem("recall", question.text), folder))
        imports.append(_imported(READING, folder))
    walls = [cost.wall for cost in costs]
    figures["brief beyond imports"] = statistics.median(walls) - statistics.median(cost.wall for cost in imports)
    cpu = statistics.median(cost.cpu for cost in costs) - statistics.median(cost.cpu for cost in imports)
    figures |= {"brief beyond imports, CPU": cpu, "brief, runs": walls}
    return figures | dict(_stages(folder, data.questions[0].text)) | written_over_many(folder)


def written_over_many(folder: Path) -> Figures:
    """The same as `written_and_seen`, over so many."""
    return {f"{name}, over many": value for name, value in written_and_seen(folder).items()}


def _over(built: Built, data: Data, budget: int) -> int:
    return sum(brief_for(built, each, budget).tokens > budget for each in data.questions[:ASKED])


def _stages(folder: Path, question: str) -> Iterator[tuple[str, float]]:
    """CPU seconds of the parts of one brief, in a process that has imported all."""
    with opened(folder, {}) as workspace:
        found = snapshot(workspace)
        assert found, "it was indexed"
        record_of_line.cache_clear()  # a fresh process has read nothing
        told, seconds = _timed(lambda: ledger_of(workspace).records())
        yield "stage: ledger read", seconds
        yield "stage: folded", _timed(lambda: memories_of(told))[1]
        known, seconds = _timed(lambda: memories_in(found))
        yield "stage: ledger, fold, places, standings", seconds
        documents, seconds = _timed(lambda: documents_of(workspace, known, known.states))
        yield "stage: words", seconds
        yield "stage: ranked", _timed(lambda: matching_memories(Query(question), documents))[1]
        yield "stage: worktree read", _timed(lambda: live_files_now(workspace))[1]


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    start = time.process_time()
    found = work()
    return found, time.process_time() - start


def _imported(modules: str, folder: Path) -> Cost:
    return run((sys.executable, "-P", "-c", modules), folder)


def timings(folder: Path, seed: int) -> Figures:
    """All of them, each over a repository of its own."""
    data = generate(seed, Shape(entities=30))
    with indexed(data.files, folder / "few") as workspace:
        said_one_by_one(workspace, data)
    few = written_and_seen(folder / "few")
    return few | over_many(folder / "many", seed)


def rows(figures: Figures) -> Sequence[tuple[str, float]]:
    """The single figures, for a table."""
    return [(name, value) for name, value in figures.items() if isinstance(value, float)]
