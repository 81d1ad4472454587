"""What git hooks add to a commit, and to a rebase of a hundred commits; what hooks around tool calls take.

Three copies of one generated repository take turns, commit by commit: one without hooks, one with hooks that are an
empty shell script (what any hook costs), one with ours, which start real index runs in the background meanwhile.

Hooks of agent hosts around tool calls are run on the same repository with 100 memories, one process for each call.
"""

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks import results
from benchmarks.inputs import AUTHOR, git
from benchmarks.processes import repomem, run
from repomem.adapters.settings.git_hook_script import EVENTS

SIZES = (100, 2_000)  # files
LINES = 40  # of a file
COMMITS = 60
REBASES = 7
REBASED = 100  # commits
MOST_MILLISECONDS = 20.0  # that a commit may cost more
MOST_SHARE = 0.10  # of its time that a rebase may take longer
MEMORIES = 100
CALLS = 30  # of each kind
MOST_TOOL_MILLISECONDS = 50.0  # CPU of a whole process, beyond the interpreter's own
SETTLING = 2.0  # seconds in which the run that a last commit starts has begun
ARMS = ("no hooks", "empty hooks", "ours")


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one size; milliseconds of each commit and each rebase, by what hooks there were."""

    files: int
    commits: dict[str, list[float]]
    rebases: dict[str, list[float]]

    def added(self, arm: str) -> float:
        """Milliseconds more for a commit than for the one without hooks just before it, in the median."""
        return median(more - less for more, less in zip(self.commits[arm], self.commits["no hooks"], strict=True))

    def share(self, arm: str) -> float:
        """How much longer a rebase took than the one without hooks just before it, in the median."""
        return median(more / less for more, less in zip(self.rebases[arm], self.rebases["no hooks"], strict=True)) - 1

    def added_each(self, arm: str) -> float:
        """Milliseconds more for each commit that was rebased."""
        pairs = zip(self.rebases[arm], self.rebases["no hooks"], strict=True)
        return median(more - less for more, less in pairs) / REBASED


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and keep the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks hooks", description=__doc__)
    parser.add_argument("--tools", action="store_true", help="only hooks around tool calls")
    asked = parser.parse_args(arguments)
    os.environ["REPOMEM"] = "1"  # also where CI runs
    where = results.machine()
    tools = [row for files in SIZES for row in _tool_calls(files)]
    print(results.table(["files", "call", "ms CPU", "ms wall", "limit"], [list(row.values()) for row in tools]))
    if asked.tools:
        results.save("hooks-tools", where, {"tools": tools})
        return
    measured = [_measured(files) for files in SIZES]
    results.save("hooks", where, {"figures": [asdict(each) for each in measured], "tools": tools})
    print(results.table(["files", "hooks", "what", "figure", "limit"], _rows(measured)))


def _rows(measured: Sequence[Figures]) -> Iterator[Sequence[object]]:
    for each in measured:
        for arm in ARMS[1:]:
            yield each.files, arm, "ms added to a commit", each.added(arm), MOST_MILLISECONDS
            yield each.files, arm, f"share added to a rebase of {REBASED}", each.share(arm), MOST_SHARE
            yield each.files, arm, "ms added to each of its commits", each.added_each(arm), ""


def _measured(files: int) -> Figures:
    with TemporaryDirectory(ignore_cleanup_errors=True) as work:
        first = _repository(Path(work) / "first", files)
        copies = {arm: Path(shutil.copytree(first, Path(work) / arm)) for arm in ARMS}
        for event in EVENTS:
            hook = copies["empty hooks"] / ".git" / "hooks" / event
            hook.write_text("#!/bin/sh\n:\n")
            hook.chmod(0o755)
        run(repomem("index", "--quiet"), copies["ours"])
        run(repomem("hooks", "install"), copies["ours"])
        figures = Figures(files, rebases=_rebases(copies), commits=_commits(copies))
        time.sleep(SETTLING)
        run(repomem("index", "--quiet"), copies["ours"])
        return figures


def _tool_calls(files: int) -> Iterator[dict[str, object]]:
    """Milliseconds of each kind of call, in the median: an interpreter alone, and our hooks."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as work:
        os.environ["XDG_DATA_HOME"] = str(Path(work) / "data")
        folder = _repository(Path(work) / "tools", files)
        run(repomem("index", "--quiet"), folder)
        for number in range(1, MEMORIES + 1):  # the modules that the branch has rewritten
            path = f"package_{number % 50}/module_{number}.py:work_{number}_3"
            run(repomem("remember", f"Function {number} is called by the scheduler", "--on", path), folder)
        run(repomem("index", "--quiet"), folder)
        payload = {"cwd": str(folder), "tool_name": "Edit", "hook_event_name": "PreToolUse"}
        edit = {"old_string": "def work_7_3():\n    return 3", "new_string": "def work_7_3():\n    return 4"}
        said = json.dumps(payload | {"tool_input": {"file_path": "package_7/module_7.py", **edit}})
        silent = json.dumps(payload | {"tool_input": {"file_path": "other/file.py", **edit}})
        failed = json.dumps(payload | {"tool_input": {"command": "make test"}, "error": "TypeError: no such argument"})
        host = ("--host", "claude-code")
        calls = {
            "an interpreter alone": ((sys.executable, "-P", "-c", "pass"), ""),
            "an edit, silent": (repomem("hook", "file", *host), silent),
            "an edit, answered": (repomem("hook", "file", *host), said),
            "a failed command, silent": (repomem("hook", "command", *host), failed),
        }
        for name, (command, feed) in calls.items():
            costs = [run(command, folder, feed=feed) for _ in range(CALLS)]
            if name.endswith("answered") and not all(each.output for each in costs):
                sys.exit("a hook was silent that should have spoken")
            cpu, wall = (1000 * median(getattr(each, kind) for each in costs) for kind in ("cpu", "wall"))
            yield {"files": files, "call": name, "cpu": cpu, "wall": wall, "limit": MOST_TOOL_MILLISECONDS}


def _repository(folder: Path, files: int) -> Path:
    """Some packages of small modules on main, and a branch of commits beside one commit of main."""
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / ".git" / "hooks").mkdir(exist_ok=True)
    for number in range(files):
        _write(folder, number, "first")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    for branch, start, commits in (("main", "main", 1), ("work", "main~1", REBASED)):
        git(folder, "checkout", "-q", "-B", branch, start)
        for number in range(commits):
            git(folder, "add", _write(folder, number + (branch == "work"), branch))
            git(folder, "commit", "-q", "-m", f"{branch}: change module {number}")
    git(folder, "branch", "before")
    return folder


def _write(folder: Path, number: int, word: str) -> str:
    """Write one module anew; gives its path."""
    path = f"package_{number % 50}/module_{number}.py"
    (folder / path).parent.mkdir(exist_ok=True)
    text = "".join(f"def {word}_{number}_{line}():\n    return {line}\n" for line in range(LINES // 2))
    (folder / path).write_text(text)
    return path


def _rebases(copies: dict[str, Path]) -> dict[str, list[float]]:
    taken: dict[str, list[float]] = {arm: [] for arm in copies}
    for _ in range(REBASES):
        for arm, folder in copies.items():
            git(folder, "reset", "-q", "--hard", "before")
            taken[arm].append(_milliseconds(folder, "rebase", "-q", "main"))
        run(repomem("index", "--quiet"), copies["ours"])  # what its hooks started is over then
    return taken


def _commits(copies: dict[str, Path]) -> dict[str, list[float]]:
    taken: dict[str, list[float]] = {arm: [] for arm in copies}
    for number in range(COMMITS):
        for arm, folder in copies.items():
            git(folder, "add", _write(folder, number, f"again_{number}"))
            taken[arm].append(_milliseconds(folder, "commit", "-q", "-m", f"change module {number} again"))
    return taken


def _milliseconds(folder: Path, *arguments: str) -> float:
    return 1000 * run(("git", *AUTHOR, *arguments), folder).wall
