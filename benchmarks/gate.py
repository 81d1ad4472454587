"""Does the brief keep silent where a question is none of the repository's? Its own annotated queries, and others'.

Of each repository of DIR (as for `search`): its own queries, and OTHERS drawn by a seed from those of the others. Many
of these are about a field that two repositories share, such as HTTP or command lines, and are no fault where they are
answered: `another field` leaves them out.
"""

import argparse
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import results
from benchmarks.inputs import Pinned
from repomem.index.run import index
from repomem.recall.brief import recall
from repomem.recall.request import BriefRequest
from repomem.workspace.process import prepare_process
from repomem.workspace.run import Run
from repomem.workspace.snapshot import Snapshot, snapshot
from repomem.workspace.workspace import opened

OTHERS = 60  # foreign queries for each repository
SEED = 1
FIELDS = {  # of repositories that are about the same thing
    "web": {"requests", "axios", "chi", "sinatra", "rack", "axum", "plug"},
    "command lines": {"click", "cobra"},
    "text": {"fmtlib", "commons-lang"},
}
STATES = ("use", "limited", "none")


def main(arguments: list[str]) -> None:
    """gate MIRROR --data DIR"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks gate")
    parser.add_argument("mirror", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    asked = parser.parse_args(arguments)
    prepare_process()
    where = results.machine()
    specs = json.loads((asked.data / "repos.json").read_text(encoding="utf-8"))
    queries = {spec["name"]: _queries(asked.data / "annotations" / f"{spec['name']}.json") for spec in specs}
    rows = [row for spec in specs for row in _asked(spec, queries, asked.mirror)]
    results.save("gate", where, {"rows": rows})
    print(results.table(("queries", "number", *STATES, "tokens"), _summed_up(rows)))


def _queries(path: Path) -> list[str]:
    return [task["query"] for task in json.loads(path.read_text(encoding="utf-8"))]


def _asked(spec: Mapping[str, str], queries: Mapping[str, Sequence[str]], mirror: Path) -> Iterator[dict[str, Any]]:
    name = spec["name"]
    others = [(other, number) for other in queries if other != name for number in range(len(queries[other]))]
    foreign = random.Random(f"{SEED} {name}").sample(others, OTHERS)  # no secret
    with TemporaryDirectory(prefix="repomem-gate-", ignore_cleanup_errors=True) as folder:
        top = Pinned(spec["repository"], spec["revision"]).checked_out(mirror, Path(folder) / "work")
        with opened(top, {}) as workspace:
            index(workspace, Run())
            found = snapshot(workspace)
            assert found, "an index run publishes its worktree"
            for owner, number in [*((name, at) for at in range(len(queries[name]))), *foreign]:
                yield {"repository": name, "owner": owner, "number": number} | _brief(found, queries[owner][number])


def _brief(found: Snapshot, query: str) -> dict[str, Any]:
    """What the gate says, and how much the brief tells; the query by its number, since its text is not ours to keep."""
    brief = recall(found, BriefRequest(query, found.workspace.loaded.config.recall.budget))
    kinds = [item.kind for item in brief.items]
    return {"gate": brief.gate.state, "code": kinds.count("code"), "files": kinds.count("file"), "tokens": brief.tokens}


def _summed_up(rows: Sequence[Mapping[str, Any]]) -> Iterator[list[object]]:
    foreign = [row for row in rows if row["owner"] != row["repository"]]
    yield _line("its own", [row for row in rows if row["owner"] == row["repository"]])
    yield _line("foreign", foreign)
    yield _line("foreign, of another field", [row for row in foreign if not _is_akin(row)])


def _is_akin(row: Mapping[str, Any]) -> bool:
    return any({row["owner"], row["repository"]} <= field for field in FIELDS.values())


def _line(name: str, rows: Sequence[Mapping[str, Any]]) -> list[object]:
    shares = [sum(row["gate"] == state for row in rows) / len(rows) for state in STATES]
    return [name, len(rows), *shares, sum(row["tokens"] for row in rows) / len(rows)]
