"""How quick and how large: every figure beside its limit and, where the limit is relative, its baseline.

Baselines (`import lancedb`, `git status`, bare parsing) run in turn with what is held against them, so that a busy
machine slows both. The short commands run five times, and the median counts. `--table` prints the table of the saved
results, which docs/speed.md shows.
"""

import argparse
import json
import shutil
import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import results
from benchmarks.inputs import Pinned, git, section
from benchmarks.processes import ROOT, Cost, PeakMemory, benchmark_script, repomem, run

REPETITIONS = 5
MOST_PARSING = 6  # times the CPU time of bare parsing
MOST_MEMORY = 600  # MiB
SHARES = (4, 2, 1)  # every 4th, every 2nd, every file
IMPORT = (repomem()[0], "-P", "-c", "import lancedb")


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value, and the most that it should be, or the least."""

    name: str
    unit: str
    value: float
    most: float | None = None
    least: float | None = None
    runs: Sequence[float] = ()
    cpu: float | None = None  # seconds, of what is measured in seconds of wall time

    @property
    def wanted(self) -> str:
        """The limit, in words."""
        if self.most is not None:
            return f"at most {self.most:.3g}"
        return f"at least {self.least:.3g}" if self.least is not None else ""

    @property
    def verdict(self) -> str:
        """Whether the limit is met."""
        if not self.wanted:
            return ""
        is_met = (self.most is None or self.value <= self.most) and (self.least is None or self.value >= self.least)
        return "met" if is_met else "MISSED"


@dataclass(slots=True)
class Bench:
    """The worktree that is measured, and what was measured so far."""

    spec: dict[str, str]
    folder: Path
    work: Path
    figures: list[Figure] = field(default_factory=list)
    raw: dict[str, Any] = field(default_factory=dict)

    def add(self, name: str, unit: str, value: float, most: float | None = None) -> None:
        self.figures.append(Figure(name, unit, value, most))

    def add_median(self, name: str, costs: Sequence[Cost], most: float | None = None) -> float:
        walls = [cost.wall for cost in costs]
        wall, cpu = statistics.median(walls), statistics.median(cost.cpu for cost in costs)
        self.figures.append(Figure(name, "s", wall, most, runs=walls, cpu=cpu))
        return wall


def main(arguments: list[str]) -> None:
    """speed MIRROR"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks speed")
    parser.add_argument("mirror", type=Path, nargs="?")
    parser.add_argument("--table", action="store_true", help="print the table of the saved results, measure nothing")
    options = parser.parse_args(arguments)
    if options.mirror is None and not options.table:
        parser.error("give MIRROR, or --table")
    if not options.table:
        measure(options.mirror)
    print(document(json.loads((results.RESULTS / "speed.json").read_text(encoding="utf-8"))))


def measure(mirror: Path) -> None:
    """Measure and save everything."""
    where = results.machine()
    spec = section("speed")
    with TemporaryDirectory(prefix="repomem-speed-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        pinned = Pinned(spec["repository"], spec["commit"])
        bench = Bench(spec, folder, pinned.checked_out(mirror, folder / "work"))
        for part in (first_index, short_commands, one_file_commit, second_worktree, stages_and_memory, growth):
            part(bench)
    results.save("speed", where, {"input": spec, "figures": [asdict(f) for f in bench.figures], "raw": bench.raw})


def document(saved: dict[str, Any]) -> str:
    """The saved results as Markdown: what was measured with what, and the table."""
    figures = [Figure(**entry) for entry in saved["figures"]]
    rows = [(f.name, f"{f.value:.2f} {f.unit}", "" if f.cpu is None else f.cpu, f.wanted, f.verdict) for f in figures]
    spec, where = saved["input"], saved["machine"]
    return (
        f"{spec['repository']} at {spec['commit'][:8]}, with repomem {where['repomem'][:8]}: {where['processors']}"
        f" processors, {where['system']}, Python {where['python']}, load average {where['load']} before.\n\n"
        + results.table(("measure", "figure", "CPU s", "target", "result"), rows)
    )


def first_index(bench: Bench) -> None:
    cost = run(repomem("index", "--quiet"), bench.work)
    floors = [json.loads(run(benchmark_script("parsing_floor", str(bench.work)), ROOT).output) for _ in range(3)]
    floor = statistics.median(found["cpu"] for found in floors)
    bench.raw["floor"] = floors
    bench.add("bare parsing, CPU", "s", floor)
    bench.add("first index, CPU", "s", cost.cpu)
    bench.add("first index, wall", "s", cost.wall)
    bench.add("first index over bare parsing, CPU", "times", cost.cpu / floor, MOST_PARSING)
    stored = _bytes_under(bench.work / ".git" / "repomem")
    bench.add("store over indexed sources", "times", stored / floors[0]["bytes"], 3)


def short_commands(bench: Bench) -> None:
    commands = {
        "import lancedb": IMPORT,
        "git status": ("git", "status", "--porcelain"),
        "repomem --help": repomem("--help"),
        "index, nothing changed": repomem("index", "--quiet"),
        "recall without a query, nothing changed": repomem("recall"),
        "recall QUERY, cold": repomem("recall", bench.spec["query"]),
        "search QUERY, cold": repomem("search", bench.spec["query"]),
        "show PATH": repomem("show", bench.spec["edited"]),
        "log PATH": repomem("log", bench.spec["edited"]),
        "why PATH:LINE": repomem("why", f"{bench.spec['edited']}:20"),
    }
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(REPETITIONS):
        for name, command in commands.items():
            costs[name].append(run(command, bench.work))
    baseline = bench.add_median("import lancedb", costs.pop("import lancedb"))
    bench.add_median("git status", costs.pop("git status"))
    of_queries = (0.6 * baseline, 0.6 * baseline, 1, 1, 1)
    limits = dict(zip(costs, (0.3, 0.5, 0.25, *of_queries), strict=True))
    for name, found in costs.items():
        bench.add_median(name, found, limits[name])


def one_file_commit(bench: Bench) -> None:
    def change(number: int) -> Path:
        with (bench.work / bench.spec["edited"]).open("a", encoding="utf-8") as file:
            file.write(f"# changed for the {number}. time\n")
        git(bench.work, "commit", "-qam", f"Change one file for the {number}. time")
        return bench.work

    costs, imports = _after_each(change)
    bench.add_median("index after a commit of one file", costs, statistics.median(imports) + 0.3)


def second_worktree(bench: Bench) -> None:
    def add_worktree(number: int) -> Path:
        linked = bench.folder / f"linked-{number}"
        git(bench.work, "worktree", "add", "-q", "--detach", str(linked))
        return linked

    costs, _ = _after_each(add_worktree)
    bench.add_median("index of a second linked work tree", costs, 0.7)


def _after_each(change: Callable[[int], Path]) -> tuple[list[Cost], list[float]]:
    """What indexing the folder costs after each change, and the seconds of `import lancedb` in turn with it."""
    costs, imports = [], []
    for number in range(REPETITIONS):
        folder = change(number)
        costs.append(run(repomem("index", "--quiet"), folder))
        imports.append(run(IMPORT, folder).wall)
    return costs, imports


def stages_and_memory(bench: Bench) -> None:
    shutil.rmtree(bench.work / ".git" / "repomem")
    with PeakMemory() as peak:
        found = json.loads(run(benchmark_script("stages", str(bench.work)), ROOT).output)
    bench.raw["stages"] = found
    reading = found["Reading files"]
    at_once = reading["cpu"] / reading["wall"]
    bench.figures.append(Figure("CPU over wall while parsing and embedding", "times", at_once, least=1.5))
    bench.add("peak memory of all processes", "MiB", peak.bytes / 2**20, MOST_MEMORY)


def growth(bench: Bench) -> None:
    """New repositories of a quarter, half and all of the files; what a byte of source costs must not grow."""
    paths = sorted(git(bench.work, "ls-files", "-z").split("\0")[:-1])
    costs = {share: _of_share(bench, share, paths[::share]) for share in SHARES}
    bench.raw["growth"] = {f"1/{share}": cost for share, cost in costs.items()}
    for what in ("cpu", "store"):
        quarter, half, everything = (costs[share][what] / costs[share]["source"] for share in SHARES)
        bench.add(f"{what} for a byte of source, half of the files over a quarter", "times", half / quarter, 1)
        bench.add(f"{what} for a byte of source, all of the files over half", "times", everything / half, 1)


def _of_share(bench: Bench, share: int, paths: Sequence[str]) -> dict[str, float]:
    top = bench.folder / f"share-{share}"
    for path in paths:
        source, target = bench.work / path, top / path
        if source.is_file() and not source.is_symlink():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    git(top, "init", "-q")
    git(top, "add", "--all")
    git(top, "commit", "-qm", "Part of the files")
    cost = run(repomem("index", "--quiet"), top)
    floor = json.loads(run(benchmark_script("parsing_floor", str(top)), ROOT).output)
    stored = _bytes_under(top / ".git" / "repomem")
    return {"files": floor["files"], "source": floor["bytes"], "cpu": cost.cpu, "wall": cost.wall, "store": stored}


def _bytes_under(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
