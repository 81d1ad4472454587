"""Vectors alone on the development search set: NDCG@10 of files ranked by their best chunk.

The set is for choosing between models, never for training. Its annotations are not ours: DATA holds repos.json (name,
language, repository, revision, root) and annotations/NAME.json (query, category, relevant, secondary); MIRROR holds
bare clones as owner+name/repo. The chunks are those that `repomem index` stores, so that the figure is the product's.
"""

import json
import os
import sqlite3
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.scores import Target, ndcg

DEPTH = 10
WHOLE = (0, 1 << 30)  # a file as a result, all of its lines
Embed = Callable[[Sequence[str]], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Corpus:
    """One repository: the chunks under its root, and the questions about it."""

    name: str
    paths: tuple[str, ...]  # of each chunk
    texts: tuple[str, ...]
    questions: tuple[tuple[str, str, tuple[Target, ...]], ...]  # text, category, targets


def corpora(mirror: Path, data: Path, work: Path) -> list[Corpus]:
    """Every repository of the set, checked out and indexed under `work`; what is there already is used again."""
    cache = work / "chunks.json"
    if not cache.exists():
        specs = json.loads((data / "repos.json").read_text(encoding="utf-8"))
        found = {spec["name"]: _chunks(_indexed(spec, mirror, work), spec["root"]) for spec in specs}
        cache.write_text(json.dumps(found), encoding="utf-8")
    by_name = json.loads(cache.read_text(encoding="utf-8"))
    return [
        Corpus(name, tuple(paths), tuple(texts), _questions(data / "annotations" / f"{name}.json"))
        for name, (paths, texts) in by_name.items()
    ]


def scores(sets: Sequence[Corpus], embed: Embed, *, with_path: bool = False) -> dict[str, float]:
    """NDCG@10: `mean` over queries, `repositories` over the means of each, and by category.

    `embed` gives rows of length 1, (texts, dimensions). With `with_path` a chunk's text has its path before it.
    """
    rows: list[tuple[str, str, float]] = []
    for each in sets:
        texts = (
            [f"{path}\n{text}" for path, text in zip(each.paths, each.texts, strict=True)] if with_path else each.texts
        )
        chunks, queries = embed(texts), embed([text for text, _, _ in each.questions])
        for similar, (_, category, targets) in zip(queries @ chunks.T, each.questions, strict=True):
            ranked = [(path, *WHOLE) for path in _files(each.paths, similar)]
            rows.append((each.name, category, ndcg(ranked, targets, DEPTH)))
    return _summed_up(rows)


def _files(paths: Sequence[str], similar: NDArray[np.float32]) -> list[str]:
    """The files with the best chunks, best first."""
    return list(dict.fromkeys(paths[at] for at in np.argsort(-similar, kind="stable")))[:DEPTH]


def _summed_up(rows: Sequence[tuple[str, str, float]]) -> dict[str, float]:
    by_name, by_category = (
        _grouped((name, score) for name, _, score in rows),
        _grouped((c, score) for _, c, score in rows),
    )
    return {
        "mean": statistics.mean(score for _, _, score in rows),
        "repositories": statistics.mean(by_name.values()),
        **{category: by_category[category] for category in sorted(by_category)},
    }


def _grouped(pairs: Any) -> dict[str, float]:
    groups: dict[str, list[float]] = {}
    for key, score in pairs:
        groups.setdefault(key, []).append(score)
    return {key: statistics.mean(values) for key, values in groups.items()}


def _questions(path: Path) -> tuple[tuple[str, str, tuple[Target, ...]], ...]:
    tasks = json.loads(path.read_text(encoding="utf-8"))
    return tuple(
        (task["query"], task["category"], tuple(map(_target, [*task["relevant"], *task["secondary"]])))
        for task in tasks
    )


def _target(value: Any) -> Target:
    return Target(value) if isinstance(value, str) else Target(value["path"], value["start_line"], value["end_line"])


def _indexed(spec: dict[str, str], mirror: Path, work: Path) -> Path:
    """A clone at the pinned revision, with repomem's index in it."""
    top = work / spec["name"]
    if not top.exists():
        bare = mirror / spec["repository"].replace("/", "+") / "repo"
        _run(["git", "clone", "--quiet", "--shared", "--no-checkout", str(bare), str(top)], work)
        _run(["git", "-c", "advice.detachedHead=false", "checkout", "--quiet", spec["revision"]], top)
    sealed = {key: str(work / "home" / key) for key in ("HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")}
    _run([sys.executable, "-m", "repomem", "index", "--quiet"], top, sealed)
    return top


def _chunks(top: Path, root: str) -> tuple[list[str], list[str]]:
    """Paths and texts of the chunks under a folder, as the index has them."""
    import lancedb

    store = top / ".git" / "repomem"
    with sqlite3.connect(store / "catalog.sqlite") as catalog:
        path_of = {number: bytes(path).decode() for number, path in catalog.execute("SELECT id, path FROM versions")}
    rows = lancedb.connect(store / "store").open_table("chunks").search().limit(None).to_list()
    kept = [(path_of[row["version"]], row["ordinal"], row["text"]) for row in rows]
    kept = sorted(each for each in kept if each[0].startswith(f"{root}/" if root else ""))
    return [path for path, _, _ in kept], [text for _, _, text in kept]


def _run(command: Sequence[str], where: Path, more: dict[str, str] | None = None) -> None:
    where.mkdir(parents=True, exist_ok=True)
    subprocess.run(command, cwd=where, check=True, env=os.environ | (more or {}))
