"""Index runs killed at random moments by SIGKILL: does the next one finish, and are the answers those of a clean build?

Each round starts from no index, or from the index of an earlier commit, and is killed at a moment drawn over the whole
length of such a run. Then one more run finishes, and the answers (search hits with scores, the brief and the map) are
compared with those of a clean build, byte by byte.
"""

import argparse
import random
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import results
from benchmarks.inputs import Pinned, git, section
from benchmarks.processes import repomem, run

QUESTIONS = (
    "close the session and its adapters",
    "retry on a redirect",
    "Response.iter_content",
    "proxy from environment",
)
EARLIER = "HEAD~40"  # the index that every second round starts from


@dataclass(frozen=True, slots=True)
class Kill:
    """One round."""

    start: str  # nothing, or an earlier commit
    seconds: float  # after which the run was killed
    had_ended: bool
    leftover_bytes: int  # of the store, beyond that of a clean build
    notices: str  # what the run that finished had to say
    is_same: bool  # the answers are those of a clean build


def main(arguments: Sequence[str] | None = None) -> None:
    """Kill, finish, compare, and keep the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks kills", description=__doc__)
    parser.add_argument("mirror", type=Path)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    spec = section("replay")[0]
    with TemporaryDirectory() as work:
        folder = Pinned(spec["repository"], spec["commit"]).checked_out(given.mirror.resolve(), Path(work) / "clone")
        rounds = list(_rounds(folder, given.kills, random.Random(given.seed)))
    results.save("kills", results.machine(), {**spec, "seed": given.seed, "kills": [asdict(each) for each in rounds]})
    killed = [each for each in rounds if not each.had_ended]
    rows = [
        ["rounds", len(rounds)],
        ["killed before their end", len(killed)],
        ["same answers", sum(each.is_same for each in rounds)],
        ["runs that had something to say", sum(bool(each.notices) for each in rounds)],
        ["most bytes left over", max((each.leftover_bytes for each in rounds), default=0)],
    ]
    print(results.table(["", "count"], rows))


def _rounds(folder: Path, kills: int, chance: random.Random) -> "list[Kill]":
    head = git(folder, "rev-parse", "HEAD").strip()
    memory = folder / ".git" / "repomem"
    earlier, whole = memory.with_name("earlier"), {}
    git(folder, "checkout", "-q", "--detach", EARLIER)
    run(repomem("index", "--quiet"), folder)
    shutil.copytree(memory, earlier)
    git(folder, "checkout", "-q", "--detach", head)
    whole["earlier"] = run(repomem("index", "--quiet"), folder).wall
    shutil.rmtree(memory)
    whole["nothing"] = run(repomem("index", "--quiet"), folder).wall
    wanted, clean = _answers(folder), _size(memory)
    made = []
    for number in range(kills):
        start = ("nothing", "earlier")[number % 2]
        shutil.rmtree(memory)
        if start == "earlier":
            shutil.copytree(earlier, memory)
        seconds = chance.uniform(0.0, whole[start])
        had_ended = _killed_after(folder, seconds)
        notices = _finished(folder)
        made.append(Kill(start, seconds, had_ended, _size(memory) - clean, notices, _answers(folder) == wanted))
    return made


def _killed_after(folder: Path, seconds: float) -> bool:
    """Start a run and kill it; whether it had ended by then."""
    null = subprocess.DEVNULL
    process = subprocess.Popen(repomem("index", "--quiet"), cwd=folder, stdin=null, stdout=null, stderr=null)
    time.sleep(seconds)
    had_ended = process.poll() is not None
    process.kill()
    process.wait()
    return had_ended


def _finished(folder: Path) -> str:
    done = subprocess.run(repomem("index", "--quiet"), cwd=folder, capture_output=True, text=True, check=True)
    return done.stderr.strip()


def _answers(folder: Path) -> list[str]:
    questions = "".join(f"{question}\n" for question in QUESTIONS)
    hits = run(repomem("search", "--stdin", "--format", "json"), folder, feed=questions).output
    return [hits, *(run(repomem("recall", *task), folder).output for task in ([QUESTIONS[0]], []))]


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
