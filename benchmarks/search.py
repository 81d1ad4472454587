"""Code search: NDCG@10 over annotated queries on pinned repositories.

The annotations are not ours and not in this repository: DIR holds repos.json (name, language, repository, revision,
root) and annotations/NAME.json (query, category, relevant, secondary). Without --whole a query is about the folder
`root`; with it tests, docs and examples compete, as they do in life.
"""

import argparse
import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import results
from benchmarks.inputs import Pinned
from benchmarks.processes import repomem, run
from benchmarks.scores import Target, ndcg
from repomem.evaluate.tasks import variants
from repomem.history.episodes import match_history
from repomem.index.run import index
from repomem.ranking.query import Query
from repomem.ranking.rank import hits
from repomem.ranking.signals import SEARCH
from repomem.recall.search import evidence_for
from repomem.workspace.process import prepare_process
from repomem.workspace.run import Run
from repomem.workspace.snapshot import Scope, Snapshot, snapshot
from repomem.workspace.workspace import opened

DEPTH = 10
Results = list[tuple[str, int, int]]  # path, first line, last line; best first


@dataclass(frozen=True, slots=True)
class Question:
    """An annotated query."""

    text: str
    category: str
    targets: tuple[Target, ...]


def main(arguments: list[str]) -> None:
    """search MIRROR --data DIR [--whole] [--signals]"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks search")
    parser.add_argument("mirror", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--whole", action="store_true", help="search everything, not the folder with the code alone")
    parser.add_argument("--signals", action="store_true", help="switch each signal off in turn")
    asked = parser.parse_args(arguments)
    prepare_process()
    where = results.machine()
    rows: list[dict[str, Any]] = []
    for spec in json.loads((asked.data / "repos.json").read_text(encoding="utf-8")):
        questions = _questions(asked.data / "annotations" / f"{spec['name']}.json")
        folder = "" if asked.whole else spec["root"]
        with TemporaryDirectory(prefix="repomem-search-", ignore_cleanup_errors=True) as name:
            pinned = Pinned(spec["repository"], spec["revision"])
            top = pinned.checked_out(asked.mirror, Path(name) / "work")
            answers = _by_variant(top, questions, folder) if asked.signals else _by_command(top, questions, folder)
            rows += _scored(spec, questions, answers)
    name = "search" + "-whole" * asked.whole + "-signals" * asked.signals
    results.save(name, where, {"rows": rows})
    print(results.table(("ranking", "queries", "NDCG@10", "by repository", *_categories(rows)), _summed_up(rows)))


def _questions(path: Path) -> list[Question]:
    return [
        Question(task["query"], task["category"], tuple(map(_target, [*task["relevant"], *task["secondary"]])))
        for task in json.loads(path.read_text(encoding="utf-8"))
    ]


def _target(value: Any) -> Target:
    return Target(value) if isinstance(value, str) else Target(value["path"], value["start_line"], value["end_line"])


def _by_command(top: Path, questions: Sequence[Question], folder: str) -> dict[str, list[Results]]:
    """What `repomem search` prints for each question."""
    run(repomem("index", "--quiet"), top)
    scope = ("--path", folder) if folder else ()
    lines = "".join(" ".join(question.text.split()) + "\n" for question in questions)
    command = repomem("search", "--stdin", "--limit", str(DEPTH), "--format", "json", *scope)
    printed = run(command, top, feed=lines).output.splitlines()
    found = [json.loads(line)["hits"] for line in printed]
    return {"search": [[(hit["path"], hit["start_line"], hit["end_line"]) for hit in each] for each in found]}


def _by_variant(top: Path, questions: Sequence[Question], folder: str) -> dict[str, list[Results]]:
    """What each variant of the weights ranks first, from one gathering of evidence for each question."""
    by_variant: dict[str, list[Results]] = {name: [] for name in variants(SEARCH)}
    with opened(top, {}) as workspace:
        index(workspace, Run())
        found = snapshot(workspace)
        assert found, "an index run publishes its worktree"
        for question in questions:
            for name, ranked in _ranked(found, question, Scope(folder)).items():
                by_variant[name].append(ranked)
    return by_variant


def _ranked(found: Snapshot, question: Question, scope: Scope) -> dict[str, Results]:
    query = Query(question.text)
    evidence = evidence_for(found, query, scope, match_history(found, query))
    code = found.code(found.corpus(scope))
    ranked = {name: hits(query, evidence, weights, code, DEPTH) for name, weights in variants(SEARCH).items()}
    return {
        name: [(hit.file.path, hit.chunk.start_line, hit.chunk.end_line) for hit in best]
        for name, best in ranked.items()
    }


def _scored(
    spec: Mapping[str, str], questions: Sequence[Question], answers: Mapping[str, Sequence[Results]]
) -> Iterator[dict[str, Any]]:
    """One row for each question and ranking; the question by its number, since its text is not ours to keep."""
    for ranking, found in answers.items():
        for number, (question, ranked) in enumerate(zip(questions, found, strict=True)):
            yield {
                "repository": spec["repository"],
                "language": spec["language"],
                "number": number,
                "category": question.category,
                "ranking": ranking,
                "ndcg": ndcg(ranked, question.targets, DEPTH),
            }


def _categories(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return sorted({row["category"] for row in rows})


def _summed_up(rows: Sequence[Mapping[str, Any]]) -> Iterator[list[object]]:
    """A line for each ranking: the mean over its queries, over repositories, and within each category."""
    for ranking in dict.fromkeys(row["ranking"] for row in rows):
        mine = [row for row in rows if row["ranking"] == ranking]
        by_repository = _mean_by(mine, "repository")
        by_category = _mean_by(mine, "category")
        mean = statistics.mean(row["ndcg"] for row in mine)
        yield [
            ranking,
            len(mine),
            mean,
            statistics.mean(by_repository.values()),
            *map(by_category.get, sorted(by_category)),
        ]


def _mean_by(rows: Sequence[Mapping[str, Any]], key: str) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for row in rows:
        found.setdefault(row[key], []).append(row["ndcg"])
    return {name: statistics.mean(values) for name, values in found.items()}
