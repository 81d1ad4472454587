"""Who calls what: are the callers that the index gives those of the definition that it gives them for?

Of each language of inputs.json, definitions are drawn by a seed from the source files of its repositories, and of each
one call that is resolved and one that goes by the name, until there are enough of both. Whether the call means that
definition was judged by hand, from the code: results/calls-labels.json. A call without a label is listed.
"""

import argparse
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import results
from benchmarks.inputs import Pinned, section
from repomem.core.types.code import FUNCTIONS, TYPES, Role
from repomem.core.types.indexed import Symbol
from repomem.index.run import index
from repomem.ranking.callers import Caller
from repomem.recall.callers import CalledDefinition, definitions_named
from repomem.workspace.process import prepare_process
from repomem.workspace.run import Run
from repomem.workspace.snapshot import Snapshot, snapshot
from repomem.workspace.workspace import opened

LABELS = results.RESULTS / "calls-labels.json"
RESOLVED, BY_NAME = 50, 20  # calls of each language
SEED = 2  # the calls of 1 showed what was wrong with the rules
KEY = ("repository", "caller", "target")


def main(arguments: list[str]) -> None:
    """calls MIRROR [--seed N]"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks calls")
    parser.add_argument("mirror", type=Path)
    parser.add_argument("--seed", type=int, default=SEED)
    asked = parser.parse_args(arguments)
    prepare_process()
    where = results.machine()
    rows = [row for language in section("calls") for row in _drawn(language, asked.mirror, asked.seed)]
    labels = _labels()
    for row in rows:
        row["is_right"] = labels.get(_key(row))
    results.save("calls", where, {"seed": asked.seed, "rows": rows})
    for row in rows:
        if row["is_right"] is None:
            print(*(row[name] for name in (*KEY, "by", "text")), sep="\n  ")
    print(results.table(("language", "calls", "judged", "right", "precision"), _summed_up(rows)))


def _labels() -> dict[tuple[str, ...], bool]:
    if not LABELS.is_file():
        return {}
    labels = json.loads(LABELS.read_text(encoding="utf-8"))["labels"]
    return {_key(label): label["is_right"] for label in labels}


def _key(row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(row[name] for name in KEY)


def _drawn(language: Mapping[str, Any], mirror: Path, seed: int) -> Iterator[dict[str, Any]]:
    """The calls of one language, an equal share from each of its repositories."""
    repositories = [Pinned(**each) for each in language["repositories"]]
    for pinned in repositories:
        with TemporaryDirectory(prefix="repomem-calls-", ignore_cleanup_errors=True) as name:
            top = pinned.checked_out(mirror, Path(name) / "work")
            with opened(top, {}) as workspace:
                index(workspace, Run())
                found = snapshot(workspace)
                assert found, "an index run publishes its worktree"
                wanted = {True: RESOLVED // len(repositories), False: BY_NAME // len(repositories)}
                for called, caller in _calls(found, language["language"], wanted, seed):
                    yield {"language": language["language"], **_row(pinned, top, called, caller)}


def _calls(
    found: Snapshot, language: str, wanted: Mapping[bool, int], seed: int
) -> Iterator[tuple[CalledDefinition, Caller]]:
    """One resolved call and one by name of each definition, in an order that follows from the seed alone."""
    left = dict(wanted)
    for path, site in sorted(_definitions(found, language), key=lambda each: _place(seed, each[0], each[1].qualified)):
        if not any(left.values()):
            return
        for called in definitions_named(found, site.qualified, path):
            if called.site != site:
                continue
            callers = sorted(called.callers, key=lambda one: _place(seed, one.path, str(one.line)))
            for is_resolved in (True, False):
                first = next((one for one in callers if one.is_resolved is is_resolved), None)
                if first and left[is_resolved]:
                    left[is_resolved] -= 1
                    yield called, first


def _definitions(found: Snapshot, language: str) -> Iterator[tuple[str, Symbol]]:
    files = {file.version: file.path for file in found.files if file.language == language and file.role is Role.SOURCE}
    for chunk in found.workspace.store.chunks(list(files)):
        for site in chunk.sites:
            if site.kind in FUNCTIONS | TYPES:
                yield files[chunk.version], site


def _place(seed: int, *parts: str) -> bytes:
    return hashlib.blake2b(" ".join((str(seed), *parts)).encode()).digest()


def _row(pinned: Pinned, top: Path, called: CalledDefinition, caller: Caller) -> dict[str, Any]:
    lines = (top / caller.path).read_text(encoding="utf-8", errors="replace").split("\n")
    return {
        "repository": pinned.repository,
        "caller": f"{caller.path}:{caller.line}",
        "within": caller.within,
        "target": f"{called.file.path}:{called.site.start_line} {called.site.qualified}",
        "by": caller.how.value,
        "namesakes": called.namesakes,
        "text": lines[caller.line - 1].strip(),
    }


def _summed_up(rows: Sequence[Mapping[str, Any]]) -> Iterator[list[object]]:
    for language in dict.fromkeys(row["language"] for row in rows):
        mine = [row for row in rows if row["language"] == language]
        groups = {
            "resolved": [row for row in mine if row["by"] != "name"],
            "by name": [row for row in mine if row["by"] == "name"],
            "by name, the only one": [row for row in mine if row["by"] == "name" and not row["namesakes"]],
        }
        for name, group in groups.items():
            judged = [row["is_right"] for row in group if row["is_right"] is not None]
            share = sum(judged) / len(judged) if judged else 0.0
            yield [f"{language}, {name}", len(group), len(judged), sum(judged), share]
