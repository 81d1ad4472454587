"""Short commands forked from the preloaded process, in turn with the same commands without it, and their baselines."""

import argparse
import os
import statistics
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import results
from benchmarks.inputs import Pinned, section
from benchmarks.processes import Cost, repomem, run
from benchmarks.speed import IMPORT

REPETITIONS = 7
SWITCH = "REPOMEM_WORKERS_PRELOAD"
BASELINES = {"import lancedb": IMPORT, "git status": ("git", "status", "--porcelain")}


def main(arguments: list[str]) -> None:
    """preload MIRROR"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks preload")
    parser.add_argument("mirror", type=Path)
    mirror = parser.parse_args(arguments).mirror
    where, spec = results.machine(), section("large")
    with TemporaryDirectory(prefix="repomem-preload-", ignore_cleanup_errors=True) as name:
        work = Pinned(spec["repository"], spec["commit"]).checked_out(mirror, Path(name) / "work")
        run(repomem("index", "--quiet"), work)
        figures = measured(work, commands(spec))
    results.save("preload", where, {"input": spec, "figures": figures})
    columns = ("command", "with, s", "without, s", "without over with")
    rows = [_row(figure) for figure in figures]
    print(results.table(columns, rows))


def commands(spec: dict[str, str]) -> dict[str, Sequence[str]]:
    """The commands, by what they are called in the table."""
    return {
        "recall": repomem("recall"),
        "recall QUERY": repomem("recall", spec["query"]),
        "search": repomem("search", spec["query"]),
        "show PATH": repomem("show", spec["edited"]),
        "log PATH": repomem("log", spec["edited"]),
        "why PATH:LINE": repomem("why", f"{spec['edited']}:20"),
    }


def measured(work: Path, asked: dict[str, Sequence[str]]) -> list[dict[str, Any]]:
    """Medians of wall seconds, all in turn. Ends the program if two answers to one command differ."""
    found: dict[tuple[str, bool], list[Cost]] = {}
    server = subprocess.Popen((repomem()[0], "-P", "-m", "repomem.preload"), stdin=subprocess.PIPE)
    time.sleep(10)
    try:
        for _ in range(REPETITIONS):
            for name, baseline in BASELINES.items():
                found.setdefault((name, True), []).append(run(baseline, work))
            for name, command in asked.items():
                for is_on in (True, False):
                    os.environ[SWITCH] = str(is_on).lower()
                    found.setdefault((name, is_on), []).append(run(command, work))
    finally:
        server.communicate()
    return [_figure(name, found) for name in (*BASELINES, *asked)]


def _figure(name: str, found: dict[tuple[str, bool], list[Cost]]) -> dict[str, Any]:
    """Medians and all runs of a command. Ends the program if two answers to it differ."""
    both = {key: found[name, is_on] for key, is_on in (("with", True), ("without", False)) if (name, is_on) in found}
    if name not in BASELINES and len({cost.output for costs in both.values() for cost in costs}) > 1:
        raise SystemExit(f"the answers of {name} differ")
    walls = {key: [cost.wall for cost in costs] for key, costs in both.items()}
    return {"command": name, **{key: statistics.median(each) for key, each in walls.items()}, "runs": walls}


def _row(figure: dict[str, Any]) -> tuple[object, ...]:
    without = figure.get("without")
    return figure["command"], figure["with"], without or "", without / figure["with"] if without else ""
