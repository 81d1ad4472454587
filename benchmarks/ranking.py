"""How long ranking takes beyond retrieval, in a repository as large as they come.

rails/rails with three further copies of itself has some 100,000 chunks; of its history 20,000 commits are indexed. What
the store is asked for (candidates, words, episodes) is retrieval; all else between a question and its ranked files,
the votes of earlier commits and the gate is ranking. In one process, after a first question, as an agent's server
answers. On a busy machine the CPU time says more.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import results
from benchmarks.inputs import Pinned, git, section
from benchmarks.processes import repomem, run
from repomem.adapters.lance.store import Store
from repomem.history.episodes import match_history
from repomem.ranking.query import Query
from repomem.ranking.rank import ranked_files
from repomem.ranking.relevance_gate import relevance_gate
from repomem.ranking.signals import RECALL
from repomem.recall.search import evidence_for, question_vector
from repomem.workspace.process import prepare_process
from repomem.workspace.snapshot import EVERYWHERE, Snapshot, snapshot
from repomem.workspace.workspace import opened

ASKED = ("search_words", "search_parts", "search_vector", "words", "chunks", "episodes")
QUESTIONS = 40
MILLISECONDS = 1000


class Clock:
    """How long the store was asked, and what of that was this thread's own CPU time."""

    def __init__(self) -> None:
        self.wall = self.cpu = 0.0

    def timed(self, work: Callable[..., Any]) -> Callable[..., Any]:
        """The same work, its time added up."""

        def wrapped(*given: Any, **named: Any) -> Any:
            wall, cpu = time.perf_counter(), time.thread_time()
            try:
                return work(*given, **named)
            finally:
                self.wall += time.perf_counter() - wall
                self.cpu += time.thread_time() - cpu

        return wrapped


def main(arguments: list[str]) -> None:
    """ranking MIRROR"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks ranking")
    parser.add_argument("mirror", type=Path)
    asked = parser.parse_args(arguments)
    prepare_process()
    where = results.machine()
    spec = section("large")
    with TemporaryDirectory(prefix="repomem-ranking-", ignore_cleanup_errors=True) as name:
        top = Pinned(spec["repository"], spec["commit"]).checked_out(asked.mirror, Path(name) / "work")
        questions = git(top, "log", f"-{QUESTIONS + 1}", "--no-merges", "--format=%s").splitlines()
        for copy in ("second", "third", "fourth"):
            git(top, "read-tree", "-u", f"--prefix={copy}/", spec["commit"])
        git(top, "commit", "-qm", "Four copies")
        run(repomem("index", "--quiet"), top)
        sizes, rows = _measured(top, questions)
    results.save("ranking", where, {"sizes": sizes, "rows": rows})
    print(results.table(("", "median ms", "90th percentile"), _summed_up(rows)))
    print(sizes)


def _measured(top: Path, questions: list[str]) -> tuple[dict[str, int], list[dict[str, float]]]:
    clock = Clock()
    for name in ASKED:
        setattr(Store, name, clock.timed(getattr(Store, name)))
    with opened(top, {}) as workspace:
        found = snapshot(workspace)
        assert found, "an index run publishes its worktree"
        sizes = {"files": len(found.files), "chunks": found.tree.chunks, "episodes": len(found.history.episodes)}
        return sizes, [_timed(found, clock, question) for question in questions][1:]  # the first one loads


def _timed(found: Snapshot, clock: Clock, text: str) -> dict[str, float]:
    query = Query(text)
    question_vector(found.workspace, text)
    clock.wall = clock.cpu = 0.0
    wall, cpu = time.perf_counter(), time.thread_time()
    past = match_history(found, query, is_shown=False)
    evidence = evidence_for(found, query, EVERYWHERE, past)
    best = [one.file for one in ranked_files(query, evidence, RECALL)]
    relevance_gate(query, evidence, best, past.coverage, is_likeness_known=True)
    wall, cpu = time.perf_counter() - wall, time.thread_time() - cpu
    spent = {"retrieval": clock.wall, "ranking": wall - clock.wall, "ranking, CPU": cpu - clock.cpu}
    return {name: MILLISECONDS * seconds for name, seconds in spent.items()}


def _summed_up(rows: list[dict[str, float]]) -> list[list[object]]:
    return [
        [
            name,
            statistics.median(row[name] for row in rows),
            statistics.quantiles([row[name] for row in rows], n=10)[-1],
        ]
        for name in rows[0]
    ]
