"""Commit replay: at the parent of an earlier commit, are the files that it changed recalled from its message?

Each repository is one clone that is taken from parent to parent and indexed there, as a user's would be. Nothing of
a commit or of what came after it is in the index that is asked.
"""

import argparse
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import results
from benchmarks.ablation import variants
from benchmarks.baselines import Document, by_votes, by_words, file_document, fused
from benchmarks.commits import Task, before, history_of, is_code, tasks_in
from benchmarks.inputs import Pinned, git, section
from benchmarks.scores import recall_at, reciprocal_rank
from repomem.operations.episodes import past_of
from repomem.operations.index import index
from repomem.operations.reading import EVERYWHERE, Snapshot, snapshot
from repomem.operations.recall import Ask, recall
from repomem.operations.run import Run
from repomem.operations.search import evidence_for
from repomem.operations.workspace import opened, prepare_process
from repomem.retrieve.query import Query
from repomem.retrieve.rank import ranked_files
from repomem.retrieve.signals import RECALL
from repomem.sources.git import Repository

TASKS = 30  # of each repository
EARLIER = 3_000  # commits that the baselines know
MEASURES = ("recall@5", "recall@10", "MRR", "in the brief", "all files in the brief")


@dataclass(slots=True)
class Replay:
    """One repository on its way through its tasks, and what was read on it."""

    top: Path
    repository: Repository
    has_signals: bool  # the ablation instead of the baselines
    documents: dict[tuple[str, str], Document] = field(default_factory=dict)
    messages: dict[str, Document] = field(default_factory=dict)


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
        top = pinned.checked_out(mirror, Path(name) / "work")
        replay = Replay(top, Repository.open(top), has_signals)
        history = history_of(replay.repository)
        for task in tasks_in(history, TASKS):
            git(top, "checkout", "-q", "--detach", "--force", task.parent)
            earlier = before(replay.repository, history, task, EARLIER)
            rankings = _asked(replay, task) if has_signals else {}
            if not has_signals:
                words = by_words(task.question, _documents(replay))
                votes = [path for path in by_votes(task.question, earlier, replay.messages) if (top / path).is_file()]
                rankings = {"words": words, "history": votes, "words and history": fused(words, votes)}
                yield {"repository": pinned.repository, "commit": task.commit, "ranking": "brief"} | _brief(top, task)
            for ranking, paths in rankings.items():
                row = {"repository": pinned.repository, "commit": task.commit, "ranking": ranking}
                yield row | _measured(paths, task)


def _measured(paths: Sequence[str], task: Task) -> dict[str, float]:
    return {
        "recall@5": recall_at(5, paths, task.answers),
        "recall@10": recall_at(10, paths, task.answers),
        "MRR": reciprocal_rank(paths, task.answers),
    }


def _documents(replay: Replay) -> list[Document]:
    """The code files of the work tree; what was read before is known by its blob."""
    found = []
    for line in git(replay.top, "ls-files", "--stage", "-z").split("\0")[:-1]:
        facts, _, path = line.partition("\t")
        file = replay.top / path
        if is_code(path) and file.is_file() and not file.is_symlink():
            key = (path, facts.split()[1])
            if key not in replay.documents:
                replay.documents[key] = file_document(path, file.read_text(encoding="utf-8", errors="replace"))
            found.append(replay.documents[key])
    return found


def _brief(top: Path, task: Task) -> dict[str, float]:
    """The measures of the brief: its code files in the order in which it names them, and how much it names at all."""
    with opened(top, {}) as workspace:
        index(workspace, Run())
        found = _published(snapshot(workspace))
        brief = recall(found, Ask(task.question, workspace.loaded.config.recall.budget))
    named = list(dict.fromkeys(item.path for item in brief.items if item.path))
    return _measured(list(filter(is_code, named)), task) | {
        "in the brief": recall_at(len(named), named, task.answers),
        "all files in the brief": recall_at(len(named), named, task.changed),
        "tokens": brief.tokens,
    }


def _asked(replay: Replay, task: Task) -> Mapping[str, Sequence[str]]:
    """The code files as each variant of the weights ranks them, from one gathering of evidence."""
    with opened(replay.top, {}) as workspace:
        index(workspace, Run())
        found = _published(snapshot(workspace))
        query = Query(task.question)
        evidence = evidence_for(found, query, EVERYWHERE, past_of(found, query))
    return {
        name: [one.file.path for one in ranked_files(query, evidence, weights) if is_code(one.file.path)]
        for name, weights in variants(RECALL).items()
    }


def _published(found: Snapshot | None) -> Snapshot:
    assert found, "an index run publishes its work tree"
    return found


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
