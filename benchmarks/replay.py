"""Commit replay: at the parent of an earlier commit, are the files that it changed recalled from its message?

What `repomem eval` does, on pinned repositories and without what an earlier run has kept.
"""

import argparse
import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import results
from benchmarks.inputs import Pinned, section
from repomem.evaluate.figures import BRIEF, ReplayOutcome
from repomem.evaluate.replay import ReplayOptions
from repomem.evaluate.run import evaluate
from repomem.workspace.process import prepare_process
from repomem.workspace.run import Run
from repomem.workspace.workspace import configured

TASKS = 30  # of each repository
MEASURES = ("recall@5", "recall@10", "MRR", "in the brief", "all files in the brief")


def main(arguments: list[str]) -> None:
    """replay MIRROR [--signals]"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks replay")
    parser.add_argument("mirror", type=Path)
    parser.add_argument("--signals", action="store_true", help="switch each signal off in turn")
    asked = parser.parse_args(arguments)
    prepare_process()
    where = results.machine()
    rows: list[dict[str, Any]] = []
    for each in section("replay"):
        rows += replayed(Pinned(**each), asked.mirror, has_signals=asked.signals)
    results.save("replay-signals" if asked.signals else "replay", where, {"rows": rows})
    measures = MEASURES[:3] if asked.signals else MEASURES
    print(results.table(("ranking", "repository", "tasks", *measures), _summed_up(rows, measures)))


def replayed(pinned: Pinned, mirror: Path, *, has_signals: bool) -> Iterator[dict[str, Any]]:
    """One row for each task and ranking: the task, the ranking's name, and its measures."""
    with TemporaryDirectory(prefix="repomem-replay-", ignore_cleanup_errors=True) as name:
        repository, loaded = configured(pinned.checked_out(mirror, Path(name) / "work"), {})
        wanted = ReplayOptions(TASKS, loaded.config.recall.budget, is_fresh=True)
        found = evaluate(repository, loaded, wanted, Run())
    for row in found.rows:
        rankings = row.outcome.signals if has_signals else row.outcome.rankings
        for ranking, measures in rankings.items():
            yield {
                "repository": pinned.repository,
                "commit": row.commit,
                "ranking": ranking,
                "recall@5": measures.at(5),
                "recall@10": measures.at(10),
                "MRR": measures.rr,
            } | (_of_brief(row.outcome) if ranking == BRIEF else {})


def _of_brief(outcome: ReplayOutcome) -> dict[str, float]:
    return {"in the brief": outcome.named, "all files in the brief": outcome.named_all, "tokens": outcome.tokens}


def _summed_up(rows: Sequence[Mapping[str, Any]], measures: Sequence[str]) -> Iterator[list[object]]:
    """A line for each ranking and repository, then the mean over the repositories."""
    by_ranking: dict[str, dict[str, list[Mapping[str, Any]]]] = {}
    for row in rows:
        by_ranking.setdefault(row["ranking"], {}).setdefault(row["repository"], []).append(row)
    for ranking, by_repository in by_ranking.items():
        means = {name: _means(found, measures) for name, found in by_repository.items()}
        for name, values in means.items():
            yield [ranking, name, len(by_repository[name]), *values]
        overall = [statistics.mean(column) if "" not in column else "" for column in zip(*means.values(), strict=True)]
        yield [f"**{ranking}**", "mean", sum(map(len, by_repository.values())), *overall]


def _means(rows: Sequence[Mapping[str, Any]], measures: Sequence[str]) -> list[Any]:
    return [statistics.mean(row[name] for row in rows) if name in rows[0] else "" for name in measures]
