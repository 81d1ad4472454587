"""What `repomem watch` costs and gives on a generated repository: seconds from a save to a fresh index, CPU, memory.

A save is seen when the catalog shows the worktree as it is after it. The idle shares count the watcher and all that
it started, by inotify and by looking now and then. Linux only: it reads /proc.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import results
from benchmarks.inputs import git
from benchmarks.processes import REPOMEM, repomem, run
from repomem.adapters.git.worktree import status
from repomem.index.watch.state import watch_state
from repomem.workspace.freshness import fingerprint
from repomem.workspace.workspace import Workspace, opened

FOLDERS, FILES = 500, 20  # files in each folder
IGNORED = 4000  # folders that git ignores, as an installed front end brings them
SAVES = 10
LONGEST = 5.0  # seconds from a save to a fresh index
MOST_CPU = 0.01  # of a core, while nothing happens
CHECK = 0.02  # seconds between two looks at the catalog
TICKS = os.sysconf("SC_CLK_TCK")
WITHOUT_INOTIFY = """
import repomem.cli.index.watch as watch
from repomem.__main__ import main

def refuse(_):
    raise OSError(28, "switched off for the benchmark")

watch.open_watcher = refuse
main()
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """watch [--idle SECONDS]"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks watch", description=__doc__)
    parser.add_argument("--idle", type=float, default=60.0)
    seconds = parser.parse_args(arguments).idle
    where = results.machine()
    with TemporaryDirectory(prefix="repomem-watch-") as name:
        folder = Path(name).resolve() / "generated"
        generate(folder)
        run(repomem("index", "--quiet"), folder)
        with opened(folder, {}) as workspace:
            with watching(workspace, repomem("watch", "--quiet")) as pid:
                share, resident = idle(pid, seconds)
                saves = [seen_after(workspace, number) for number in range(SAVES)]
            with watching(workspace, (*REPOMEM[:2], "-c", WITHOUT_INOTIFY, "watch", "--quiet")) as pid:
                polling_share, _ = idle(pid, seconds)
    rows = [
        ("save to fresh, median", statistics.median(saves), "s", f"at most {LONGEST}"),
        ("save to fresh, longest", max(saves), "s", ""),
        ("idle CPU by inotify", 100 * share, "% of a core", f"at most {MOST_CPU:.0%}"),
        ("idle CPU by polling", 100 * polling_share, "% of a core", f"at most {MOST_CPU:.0%}"),
        ("resident memory, idle", resident / 2**20, "MiB", ""),
    ]
    shape = {"files": FOLDERS * FILES, "ignored folders": IGNORED, "idle seconds": seconds}
    results.save("watch", where, {"input": shape, "saves": saves, "figures": rows})
    print(f"{FOLDERS * FILES:,} files, load average {where['load']} before\n")
    print(results.table(("measure", "value", "unit", "wanted"), rows))


def generate(folder: Path) -> None:
    """Python files of a few lines, and a heap of ignored folders beside them."""
    for number in range(FOLDERS):
        inner = folder / f"package{number // 25}" / f"part{number}"
        inner.mkdir(parents=True)
        for place in range(FILES):
            text = f"def step_{number}_{place}(value: int) -> int:\n    return value + {place}\n"
            (inner / f"step{place}.py").write_text(text, encoding="utf-8")
    for number in range(IGNORED):
        (folder / "node_modules" / f"library{number // 10}" / f"part{number}").mkdir(parents=True)
        (folder / "node_modules" / f"library{number // 10}" / f"part{number}" / "index.js").touch()
    (folder / ".gitignore").write_text("node_modules/\n", encoding="utf-8")
    git(folder, "init", "-q")
    git(folder, "add", "--all")
    git(folder, "commit", "-qm", "Generated files")


@contextmanager
def watching(workspace: Workspace, command: Sequence[str]) -> Iterator[int]:
    """A watcher that has nothing left to do; gives its process id."""
    with subprocess.Popen(command, cwd=workspace.root, stdout=subprocess.DEVNULL) as process:
        try:
            while (state := watch_state(workspace.folder)) is None or not state.roots:
                if process.poll() is not None:
                    sys.exit(f"the watcher ended with {process.returncode}")
                time.sleep(CHECK)
            time.sleep(5.0)  # its first look
            yield process.pid
        finally:
            process.terminate()


def idle(pid: int, seconds: float) -> tuple[float, int]:
    """The share of a core that a process and its children take while nothing happens, and its resident bytes."""
    before = _cpu(pid)
    time.sleep(seconds)
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return (_cpu(pid) - before) / seconds, pages * os.sysconf("SC_PAGE_SIZE")


def seen_after(workspace: Workspace, number: int) -> float:
    """Seconds from a save to an index that shows it."""
    with (Path(workspace.root) / "package0" / "part0" / "step0.py").open("a", encoding="utf-8") as file:
        file.write(f"# saved for the {number}. time\n")
    start = time.perf_counter()
    wanted = fingerprint(workspace, status(workspace.repository))
    while (known := workspace.catalog.worktree(workspace.root)) is None or known.fingerprint != wanted:
        time.sleep(CHECK)
    seconds = time.perf_counter() - start
    time.sleep(3.0)  # the run goes on to make the brief; a person thinks meanwhile
    return seconds


def _cpu(pid: int) -> float:
    """CPU seconds of a process and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS
