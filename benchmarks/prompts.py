"""How often the prompt hook speaks on a busy machine, where it speaks on an idle one, and how soon."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import results
from benchmarks.inputs import Pinned, section
from benchmarks.preload import SWITCH
from benchmarks.processes import Cost, repomem, run

BUSY_LOOP = (sys.executable, "-c", "while True: pass")
SERVER_STARTS = 10.0  # seconds


@dataclass(frozen=True, slots=True)
class Setting:
    """How a hook is run."""

    load: int  # busy loops beside it
    is_preloaded: bool

    @property
    def name(self) -> str:
        """What it is called in the table."""
        return f"load {self.load}, {'preloaded' if self.is_preloaded else 'cold'}"


def main(arguments: list[str]) -> None:
    """prompts MIRROR [--count N] [--load N]"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks prompts")
    parser.add_argument("mirror", type=Path)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--load", type=int, default=12)
    asked = parser.parse_args(arguments)
    where, spec = results.machine(), section("large")
    with TemporaryDirectory(prefix="repomem-prompts-", ignore_cleanup_errors=True) as name:
        work = Pinned(spec["repository"], spec["commit"]).checked_out(asked.mirror, Path(name) / "work")
        run(repomem("index", "--quiet"), work)
        prompts = _subjects(work, asked.count)
        settings = [Setting(load, is_on) for load in (0, asked.load) for is_on in (False, True)]
        found = {each: list(_answers(work, prompts, each)) for each in settings}
    figures = [_figure(each, answers, found[settings[0]]) for each, answers in found.items()]
    results.save("prompts", where, {"input": spec, "prompts": prompts, "figures": figures})
    columns = ("hook prompt", "with something to say", "said it", "median, s", "longest, s")
    print(results.table(columns, [tuple(figure.values())[:5] for figure in figures]))


def _subjects(work: Path, count: int) -> list[str]:
    """Subjects of the latest commits that are long enough to be a task."""
    log = run(("git", "log", "--no-merges", "--format=%s", f"-{10 * count}"), work).output
    return [line for line in dict.fromkeys(log.splitlines()) if len(line.split()) > 5][:count]


def _answers(work: Path, prompts: Sequence[str], setting: Setting) -> Iterator[Cost]:
    """The hook's answer to each prompt, each the first of a session."""
    os.environ[SWITCH] = str(setting.is_preloaded).lower()
    with _preloaded() if setting.is_preloaded else nullcontext(), _busy(setting.load):
        for at, prompt in enumerate(prompts):
            payload = {"session_id": f"{setting.name} {at}", "prompt": prompt, "cwd": str(work)}
            yield run(repomem("hook", "prompt", "--host", "plain"), work, feed=json.dumps(payload))


@contextmanager
def _preloaded() -> Iterator[None]:
    server = subprocess.Popen((repomem()[0], "-P", "-m", "repomem.preload"), stdin=subprocess.PIPE)
    time.sleep(SERVER_STARTS)
    try:
        yield
    finally:
        server.communicate()


@contextmanager
def _busy(load: int) -> Iterator[None]:
    loops = [subprocess.Popen(BUSY_LOOP) for _ in range(load)]
    try:
        yield
    finally:
        for each in loops:
            each.kill()
            each.wait()


def _figure(setting: Setting, answers: Sequence[Cost], idle: Sequence[Cost]) -> dict[str, Any]:
    has_words = [bool(cost.output.strip()) for cost in idle]
    walls = [cost.wall for cost in answers]
    return {
        "setting": setting.name,
        "with words": sum(has_words),
        "said": sum(bool(cost.output.strip()) for cost, one in zip(answers, has_words, strict=True) if one),
        "median": statistics.median(walls),
        "longest": max(walls),
        "runs": walls,
    }
