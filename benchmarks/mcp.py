"""How long an agent waits for `repomem mcp`, spoken to by the SDK's own client over pipes.

The questions are the subjects of a repository's own commits, each asked for the first time and then once more; nothing
but the question is told to the server. Each folder is an indexed clone of which a file may be made and deleted.
"""

import argparse
import math
import os
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from benchmarks import results
from benchmarks.inputs import git
from benchmarks.processes import REPOMEM, PeakMemory, run

QUESTIONS = 40
WARMING = 5  # questions that are asked before any counts
PAUSE = 2.0  # seconds between two calls of an agent that thinks
PAUSED = 10  # questions asked with such pauses
STARTS = 5
EDITS = 5


@dataclass(frozen=True, slots=True)
class Figure:
    """Milliseconds of one kind of call, or megabytes; the median counts."""

    repository: str
    name: str
    unit: str
    runs: Sequence[float]
    most: float | None = None

    @property
    def value(self) -> float:
        """The median."""
        return statistics.median(self.runs)

    @property
    def high(self) -> float:
        """What nine of ten stay below."""
        return sorted(self.runs)[math.ceil(0.9 * len(self.runs)) - 1]

    @property
    def verdict(self) -> str:
        """Whether the limit is met."""
        return "" if self.most is None else "met" if self.value <= self.most else "MISSED"


def main(arguments: list[str]) -> None:
    """mcp FOLDER …"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks mcp")
    parser.add_argument("folders", type=Path, nargs="+")
    folders = [folder.resolve() for folder in parser.parse_args(arguments).folders]
    where = results.machine()
    figures: list[Figure] = []
    sizes = []
    for number, folder in enumerate(folders, start=1):
        run([*REPOMEM, "index", "--quiet"], folder)
        sizes.append({"repository": f"repository {number}", **size_of(folder)})
        figures += measured(f"repository {number}", folder)
    rows = [(f.repository, f.name, f.unit, f.value, f.high, f.most or "", f.verdict) for f in figures]
    print(results.table(["repository", "figure", "unit", "median", "nine of ten", "most", ""], rows))
    kept = [{**asdict(each), "value": each.value, "high": each.high} for each in figures]
    results.save("mcp", where, {"inputs": sizes, "figures": kept})


def size_of(folder: Path) -> dict[str, Any]:
    """What `repomem status` counts."""
    said = dict(line.split(": ", 1) for line in run([*REPOMEM, "status"], folder).output.splitlines() if ": " in line)
    return {name: int(said[name].replace(",", "")) for name in ("files", "chunks", "episodes")}


def measured(name: str, folder: Path) -> Iterator[Figure]:
    """The figures of one repository."""
    starts = [anyio.run(_handshake, folder) for _ in range(STARTS)]
    yield Figure(name, "initialize", "ms", starts, most=1_000)
    for what, unit, runs, most in anyio.run(_asked, folder, questions(folder)):
        yield Figure(name, what, unit, runs, most)


def questions(folder: Path) -> list[str]:
    """Subjects of commits, spread over the history."""
    subjects = git(folder, "log", "--no-merges", "--format=%s").splitlines()
    apart = max(1, len(subjects) // (QUESTIONS + WARMING))
    return list(dict.fromkeys(subjects[::apart]))[: QUESTIONS + WARMING]


def server_in(folder: Path) -> StdioServerParameters:
    program, *arguments = REPOMEM
    return StdioServerParameters(command=program, args=[*arguments, "mcp"], cwd=folder, env=dict(os.environ))


async def _handshake(folder: Path) -> float:
    start = time.perf_counter()
    async with Client(stdio_client(server_in(folder))):
        return 1000 * (time.perf_counter() - start)


async def _asked(folder: Path, asked: Sequence[str]) -> list[tuple[str, str, list[float], float | None]]:
    async with Client(stdio_client(server_in(folder))) as client:

        async def call(tool: str, **arguments: str) -> float:
            start = time.perf_counter()
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, result
            return 1000 * (time.perf_counter() - start)

        async def after_pause(task: str) -> float:
            await anyio.sleep(PAUSE)
            return await call("recall", task=task)

        async def after_edit(number: int) -> float:
            (folder / "repomem-benchmark.txt").write_text(f"edit {number}\n", encoding="utf-8")
            return await call("recall", task=asked[number])

        first = [await call("recall", task=asked[0])]
        for task in asked[1:WARMING]:
            await call("recall", task=task)
        await anyio.sleep(PAUSE)
        new = asked[WARMING:]
        found: list[tuple[str, str, list[float], float | None]] = [("first recall", "ms", first, None)]
        found.append(("recall, new question", "ms", [await call("recall", task=task) for task in new], 100))
        found.append(("recall, asked before", "ms", [await call("recall", task=task) for task in new], 100))
        found.append(("recall after a pause", "ms", [await after_pause(task) for task in new[:PAUSED]], 100))
        found.append(("search", "ms", [await call("search", query=task) for task in new], 100))
        found.append(("map", "ms", [await call("recall") for _ in range(PAUSED)], 100))
        try:
            found.append(("recall after an edit", "ms", [await after_edit(number) for number in range(EDITS)], None))
        finally:
            (folder / "repomem-benchmark.txt").unlink(missing_ok=True)
        with PeakMemory() as memory:  # only now: looking costs the server time
            await anyio.sleep(PAUSE)
        found.append(("memory of the server", "MB", [memory.bytes / 1e6], None))
        return found
