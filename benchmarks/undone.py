"""Reverted changes and lost fixes over the pinned repositories, to be judged by hand.

One JSON line for each hit, in a seeded random order. The judgements and their reasons are in
results/undone-labels.json; `--labels` counts them. A lost fix is listed only if the symbol that lost its lines is still
defined: a brief shows no other.
"""

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import results
from benchmarks.inputs import Pinned, section
from repomem.adapters.languages.definition_lines import defined_name
from repomem.core.types.line_history import RevertKind
from repomem.history.change_history import ChangeHistory, change_history_of
from repomem.history.changes import is_followed
from repomem.history.live_files import live_lines
from repomem.history.relevant_reverts import FailedAttempt, failed_attempts, reverted_in
from repomem.index.run import index
from repomem.workspace.process import prepare_process
from repomem.workspace.run import Run
from repomem.workspace.snapshot import Snapshot, snapshot
from repomem.workspace.workspace import opened

LABELS = results.RESULTS / "undone-labels.json"
COMMITS = 10_000  # of each repository: the newest 2,000, as users have them, hold too few attempts to judge
HITS = 40  # of each kind
OF_REPOSITORY = 6  # of each kind: one repository with a habit does not decide


def main(arguments: list[str]) -> None:
    """undone MIRROR [--seed N] | undone --labels"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks undone")
    parser.add_argument("mirror", type=Path, nargs="?")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--labels", action="store_true", help="the figures of what was judged")
    asked = parser.parse_args(arguments)
    if asked.labels or asked.mirror is None:
        print(results.table(("kind", "sample", "hits", "true", "precision"), _precision()))
        return
    prepare_process()
    found = [hit for each in section("undone") for hit in hits_in(Pinned(**each), asked.mirror)]
    for hit in sampled(found, asked.seed):
        print(json.dumps(hit))


def hits_in(pinned: Pinned, mirror: Path) -> Iterator[dict[str, Any]]:
    """Every hit of one repository."""
    with TemporaryDirectory(prefix="repomem-undone-", ignore_cleanup_errors=True) as name:
        top = pinned.checked_out(mirror, Path(name) / "work")
        with opened(top, {"REPOMEM_HISTORY_SYMBOL_COMMITS": str(COMMITS)}) as workspace:
            index(workspace, Run())
            found = snapshot(workspace)
            assert found is not None
            record = change_history_of(found)
            paths = sorted({file.path for file in found.files} | set(record.recorded.files))
            for each in failed_attempts(found, reverted_in(record, paths)):
                if each.change.how is not RevertKind.FIX_GONE or _is_still_defined(found, record, each):
                    yield {"repository": pinned.repository, **_row(each)}


def sampled(hits: Sequence[dict[str, Any]], seed: int) -> list[dict[str, Any]]:
    """The first HITS of each kind, in an order that follows from the seed alone."""

    def place(hit: dict[str, Any]) -> str:
        key = f"{seed} {hit['repository']} {hit['commit']} {hit['by']} {hit['path']}"
        return hashlib.blake2b(key.encode()).hexdigest()

    kept: list[dict[str, Any]] = []
    of_kind, of_repository = Counter[str](), Counter[tuple[str, str]]()
    for hit in sorted(hits, key=place):
        kind, repository = hit["how"], (hit["how"], hit["repository"])
        if of_kind[kind] < HITS and of_repository[repository] < OF_REPOSITORY:
            of_kind[kind] += 1
            of_repository[repository] += 1
            kept.append(hit)
    return sorted(kept, key=lambda hit: hit["how"])


def _row(each: FailedAttempt) -> dict[str, Any]:
    change = each.change
    return {
        "how": change.how.value,
        "commit": change.commit,
        "by": change.by,
        "path": change.path,
        "symbols": change.symbols,
        "lines": change.lines,
        "subject": each.before.subject,
        "subject of by": each.after.subject,
        "reason": change.reason,
    }


def _is_still_defined(found: Snapshot, record: ChangeHistory, each: FailedAttempt) -> bool:
    for symbol in each.change.symbols:
        path, _, name = symbol.rpartition(":")
        for place in filter(is_followed, record.names_of(path)):
            lines = live_lines(found, place) if place in found.tree.paths else None
            if name in {defined_name(place, line) for line in lines or ()}:
                return True
    return False


def _precision() -> Iterator[tuple[object, ...]]:
    labels = json.loads(LABELS.read_text(encoding="utf-8"))["labels"]
    counts = Counter((label["how"], label["sample"]) for label in labels)
    right = Counter((label["how"], label["sample"]) for label in labels if label["verdict"])
    for key, count in sorted(counts.items()):
        yield (*key, count, right[key], right[key] / count)
