"""What git hooks add to a commit, and to a rebase of a hundred commits.

Three copies of one generated repository take turns, commit by commit: one without hooks, one with hooks that are an
empty shell script (what any hook costs), one with ours, which start real index runs in the background meanwhile.
"""

import argparse
import os
import shutil
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
    parser.parse_args(arguments)
    os.environ["REPOMEM"] = "1"  # also where CI runs
    where = results.machine()
    measured = [_measured(files) for files in SIZES]
    results.save("hooks", where, {"figures": [asdict(each) for each in measured]})
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
