"""Each size generated, indexed, asked and written down beside the others that were measured before."""

import argparse
import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import results
from benchmarks.inputs import Pinned, git, section
from benchmarks.processes import ROOT, Cost, PeakMemory, benchmark_script, repomem, run
from benchmarks.scale.generate import committed, originals, subjects

SIZES = (10_000, 100_000, 1_000_000)
EXACT = (300_000, 1_000_000)  # vectors, for the exact scan alone
COMMITS = 300
QUESTIONS = 20
FRESH_QUESTIONS = 10  # of a process each, which takes seconds
FEW_QUESTIONS = 3  # a process that only searches loads what one that recalls loads
SAMPLE_SECONDS = 0.5  # of memory: a run takes minutes
MANY_QUESTIONS = 100  # for what takes milliseconds
MIB = 1 << 20


def main(arguments: list[str]) -> None:
    """scale MIRROR [--chunks N …] [--exact N …] [--folder DIR]"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks scale")
    parser.add_argument("mirror", type=Path)
    parser.add_argument("--chunks", type=int, nargs="+", default=SIZES, help="how large, in chunks")
    parser.add_argument("--exact", type=int, nargs="*", default=EXACT, help="how many vectors to scan besides")
    parser.add_argument("--folder", type=Path, help="where the repositories are made, and stay")
    asked = parser.parse_args(arguments)
    pins = [Pinned(**spec) for spec in section("scale")]
    files, said = originals(pins, asked.mirror), subjects(pins, asked.mirror)
    with TemporaryDirectory(prefix="repomem-scale-", ignore_cleanup_errors=True) as name:
        for chunks in asked.chunks:
            where = results.machine()
            top = (asked.folder or Path(name)) / f"chunks-{chunks}"
            if not top.exists():
                committed(top, files, chunks, said[QUESTIONS:], COMMITS)
            row = {"wanted": chunks, "machine": where, **measured(top, said)}
            keep(where, row)  # what follows takes as long again
            keep(where, row | {"vectors": json.loads(_script("scale.vectors", top, said[:MANY_QUESTIONS]))})
        for number in asked.exact:
            scans = json.loads(_script("scale.vectors", top, said[: QUESTIONS + 1], str(number)))
            keep(results.machine(), exact={"wanted": number, "vectors": scans})
    print("\n\n".join(tables(known())))


def known() -> dict[str, list[dict[str, Any]]]:
    """What was measured before: `rows` by size, and the `exact` scans of more vectors."""
    place = results.RESULTS / "scale.json"
    found = json.loads(place.read_text(encoding="utf-8")) if place.exists() else {}
    return {name: found.get(name, []) for name in ("rows", "exact")}


def keep(where: dict[str, Any], row: dict[str, Any] | None = None, exact: dict[str, Any] | None = None) -> None:
    """Write down what was measured, in the place of what was before at the same size."""
    found = known()
    for name, new in (("rows", row), ("exact", exact)):
        if new:
            found[name] = [each for each in found[name] if each["wanted"] != new["wanted"]] + [new]
            found[name].sort(key=lambda each: each["wanted"])
    results.save("scale", where, found)


def measured(top: Path, said: Sequence[str]) -> dict[str, Any]:
    """What one repository costs, but for the kinds of search by vector; seconds and bytes."""
    questions = said[: QUESTIONS + 1]
    row: dict[str, Any] = {"source": sum(path.stat().st_size for path in top.glob("part-*/**/*") if path.is_file())}
    with PeakMemory(SAMPLE_SECONDS) as peak:
        row["index"] = _spent(run(repomem("index", "--quiet"), top))
    row["index"]["peak"] = peak.bytes
    row |= _sizes(top)
    row["index, nothing changed"] = _spent(run(repomem("index", "--quiet"), top))
    row["index, one file changed"] = _one_file(top)
    run(repomem("index", "--quiet"), top)  # what was tidied behind its back is done with
    with PeakMemory(SAMPLE_SECONDS) as peak:
        row["recall"] = [
            _spent(run(repomem("recall", question), top)) for question in questions[1 : 1 + FRESH_QUESTIONS]
        ]
    row["recall peak"] = peak.bytes
    row["search"] = [_spent(run(repomem("search", question), top)) for question in questions[1 : 1 + FEW_QUESTIONS]]
    row["warm"] = json.loads(_script("scale.warm", top, questions))
    return row


def _one_file(top: Path) -> dict[str, float]:
    path = next(path for path in sorted(top.glob("part-*/**/*.py")) if path.is_file())
    path.write_text(path.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    git(top, "commit", "-qam", "Change one file")
    return _spent(run(repomem("index", "--quiet"), top))


def _sizes(top: Path) -> dict[str, Any]:
    status = json.loads(run(repomem("status", "--format", "json"), top).output)
    folder = top / ".git" / "repomem"
    tables = {each.stem: _bytes(each) for each in sorted((folder / "store").glob("*.lance"))}
    report = status.get("report", status)
    return {
        "chunks": report["chunks"],
        "files": report["files"],
        "episodes": report["episodes"],
        "bytes": {"all": _bytes(folder), "catalog": (folder / "catalog.sqlite").stat().st_size, **tables},
    }


def _script(name: str, top: Path, questions: Sequence[str], *arguments: str) -> str:
    return run(benchmark_script(name, str(top), *arguments), ROOT, feed="\n".join(questions)).output


def _spent(cost: Cost) -> dict[str, float]:
    return {"wall": cost.wall, "cpu": cost.cpu}


def _bytes(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


def tables(found: dict[str, list[dict[str, Any]]]) -> tuple[str, str]:
    """The figures as the page has them: what a size costs, and searches by vector."""
    return _sizes_table(found["rows"]), _vectors_table(found)


def _sizes_table(rows: Sequence[dict[str, Any]]) -> str:
    head = ("", *(f"{row['chunks']:,} chunks" for row in rows))
    lines = {
        "files": [f"{row['files']:,}" for row in rows],
        "source, MiB": [f"{row['source'] / MIB:,.0f}" for row in rows],
        "first index: wall s": [f"{row['index']['wall']:,.0f}" for row in rows],
        "first index: CPU s": [f"{row['index']['cpu']:,.0f}" for row in rows],
        "first index: peak memory, MiB": [f"{row['index']['peak'] / MIB:,.0f}" for row in rows],
        "store and catalog, MiB": [f"{row['bytes']['all'] / MIB:,.0f}" for row in rows],
        "bytes per chunk": [f"{row['bytes']['all'] / row['chunks']:,.0f}" for row in rows],
        "index, nothing changed: wall s": [f"{row['index, nothing changed']['wall']:.2f}" for row in rows],
        "index, one file changed: wall s": [f"{row['index, one file changed']['wall']:.2f}" for row in rows],
        "recall, fresh process: median s (worst), CPU s": [_seconds(row["recall"]) for row in rows],
        "recall, fresh process: peak memory, MiB": [f"{row['recall peak'] / MIB:,.0f}" for row in rows],
        "recall, warm process: median s (worst), CPU s": [_seconds(row["warm"]["recalls"]) for row in rows],
        "search, fresh process: median s (worst), CPU s": [_seconds(row["search"]) for row in rows],
        "search, warm process: median s (worst), CPU s": [_seconds(row["warm"]["searches"]) for row in rows],
        "warm process: peak memory, MiB": [f"{row['warm']['peak'] / MIB:,.0f}" for row in rows],
    }
    return results.table(head, [(name, *cells) for name, cells in lines.items()])


def _vectors_table(found: dict[str, list[dict[str, Any]]]) -> str:
    head = ("vectors", "search", "build, CPU s", "MiB", "median ms (worst)", "CPU ms", "recall@10")
    told = [(row["chunks"], each) for row in found["rows"] for each in row.get("vectors", [])]
    told += [(row["wanted"], each) for row in found["exact"] for each in row["vectors"]]
    lines = [
        (
            f"{vectors:,}",
            each["name"],
            f"{each['build CPU']:,.1f}" if "build CPU" in each else "",
            f"{each['bytes'] / MIB:,.1f}",
            f"{1000 * each['median']:,.1f} ({1000 * each['worst']:,.0f})",
            f"{1000 * each['cpu']:,.1f}",
            f"{each['recall']:.3f}" if "recall" in each else "1.000",
        )
        for vectors, each in told
    ]
    return results.table(head, lines)


def _seconds(costs: Sequence[dict[str, float]]) -> str:
    walls = [cost["wall"] for cost in costs]
    return f"{statistics.median(walls):.2f} ({max(walls):.2f}), {statistics.median(cost['cpu'] for cost in costs):.2f}"
