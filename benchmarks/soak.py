"""Is anything ever lost? The long versions of the tests of that: an hour or so, each part of which can run alone.

faults     one system call after another of every verb that writes fails (benchmarks/faults)
kills      processes that write are killed at random moments (memory_kills.py)
powercut   any files that were never synced are cut, zeroed, scrambled or gone (tests/faults/test_faults_memory.py)
crowd      eight processes at once do everything (the same file)
sync       eight writers in two clones, three of them killed, a remote that comes and goes (test_faults_sync.py)

The figures of the parts that ran replace theirs in results/soak.json; those of the others stay.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree as ET

from benchmarks import memory_kills, results
from benchmarks.processes import ROOT

POINTS = {"remember": 62, "forget": 120, "consolidate": 100, "index": 100, "first index": 60, "hook": 40, "watch": 30}
SORTS = ("lost", "doubled", "untrue", "broken", "residue", "not healed", "another brief")
TESTS = "tests/faults/test_faults_memory.py"
SYNC_TESTS = "tests/faults/test_faults_sync.py"

Figures = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the parts, print their progress, keep and print their figures; exit code 1 where anything was lost."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks soak", description=__doc__)
    parser.add_argument("--only", choices=PARTS, action="append")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=1.0, help="of all points, kills and cases, where time is short")
    given = parser.parse_args(arguments)
    names = given.only or list(PARTS)
    if len(names) > 1:  # each in a process of its own: a part changes the environment, and forks
        rest = ["--seed", str(given.seed), "--share", str(given.share)]
        command = [sys.executable, "-m", "benchmarks", "soak", *rest, "--only"]
        sys.exit(max(subprocess.run([*command, name], cwd=ROOT, check=False).returncode for name in names))
    [name], start = names, time.monotonic()
    figures = PARTS[name](given.seed, given.share)
    figures |= {"commit": results.machine()["repomem"], "minutes": round((time.monotonic() - start) / 60, 1)}
    _keep(name, figures)
    print(results.table([name, "count"], [[key, value] for key, value in figures.items() if key != "findings"]))
    sys.exit(bool(figures["wrong"]))


def _faults(seed: int, share: float) -> Figures:
    from benchmarks.faults.injector import injector, refusal
    from benchmarks.faults.loop import Loop, Outcome
    from benchmarks.faults.place import Place, sealed

    if reason := refusal():
        sys.exit(reason)
    found: list[Outcome] = []
    points: Counter[str] = Counter()
    calls = {}
    with TemporaryDirectory() as work, injector(Path(work) / "server") as it:
        os.environ.update(sealed(Path(work)))
        place = Place.made(Path(work))
        for name, most in POINTS.items():
            loop = Loop(it, place, name)
            calls[name] = loop.calls
            for outcome in loop.outcomes(max(1, round(share * most)), random.Random(seed)):
                points[name] += 1
                found += [outcome] if outcome.wrong else []
                _progress(f"{name}: call {outcome.fault.at} of {loop.calls}", outcome.wrong)
    sorts = Counter(each.partition(":")[0] for outcome in found for each in set(outcome.wrong))
    return {
        "seed": seed,
        "points": points.total(),
        **{f"points of {name}": count for name, count in points.items()},
        **{f"calls of {name}": count for name, count in calls.items()},
        "wrong": len(found),
        **{sort: sorts[sort] for sort in SORTS},
        "findings": [f"{each.verb}: {each.fault}: {each.failed}: {'; '.join(each.wrong)}" for each in found],
    }


def _kills(seed: int, share: float) -> Figures:
    with TemporaryDirectory() as work:
        os.environ.update(XDG_STATE_HOME=work, XDG_CONFIG_HOME=work, XDG_CACHE_HOME=work)
        figures = memory_kills.measured(round(share * 300), seed)
    counted = memory_kills.counts(figures)
    bad = ("deeds that failed", "lost", "there twice", "purged, and there again", "copies that stayed unsound")
    wrong = sum(counted[name] for name in bad) + figures.broken
    return {"seed": seed, **counted, "wrong": wrong, "findings": figures.failures}


def _power_cuts(seed: int, share: float) -> Figures:
    return _tested("fault_08", seed, "-n", "2", REPOMEM_SOAK=str(round(share * 2000)))


def _crowd(seed: int, share: float) -> Figures:
    return _tested("fault_11", seed, REPOMEM_SOAK=str(max(1, round(share * 10))))


def _sync(seed: int, share: float) -> Figures:
    return _tested("eight_writers", seed, tests=SYNC_TESTS, REPOMEM_SOAK=str(max(1, round(share * 10))))


def _tested(name: str, seed: int, *more: str, tests: str = TESTS, **environ: str) -> Figures:
    """Run tests of that name, with more options of pytest.

    What they record is added up, but for what is the longest of something.
    """
    with TemporaryDirectory() as work:
        report = Path(work) / "report.xml"
        seeds = [f"--randomly-seed={seed}", f"--hypothesis-seed={seed}"]
        options = [*more, "-v", "-p", "no:cacheprovider", *seeds, "-o", "junit_family=xunit1", f"--junitxml={report}"]
        command = [sys.executable, "-m", "pytest", *options, "-k", name, tests]
        subprocess.run(command, cwd=ROOT, env={**os.environ, **environ}, check=False, stdout=sys.stderr)
        return {"seed": seed, **recorded(ET.parse(report).iter("testcase"))}


def recorded(tests: Iterable[ET.Element]) -> Figures:
    """What tests recorded, added up; of what is the longest of something the longest. Failures are wrong, one each."""
    figures: Figures = {"wrong": 0, "findings": []}
    for test in tests:
        for each in test.iter("property"):
            name, value = each.get("name", ""), float(each.get("value", "nan"))
            known = figures.get(name, 0)
            figures[name] = max(known, round(value, 2)) if "longest" in name else known + int(value)
        for failure in (*test.iter("failure"), *test.iter("error")):
            figures["wrong"] += 1
            figures["findings"].append(f"{test.get('name')}: {failure.get('message')}")
    return figures


def _progress(text: str, wrong: Sequence[str] = ()) -> None:
    print("; ".join([text, *wrong]), file=sys.stderr, flush=True)


def _keep(name: str, figures: Figures) -> None:
    path = results.RESULTS / "soak.json"
    kept = json.loads(path.read_text()) if path.exists() else {}
    kept.pop("machine", None)
    results.save("soak", results.machine(), {**kept, name: figures})


PARTS: dict[str, Callable[[int, float], Figures]] = {
    "faults": _faults,
    "kills": _kills,
    "powercut": _power_cuts,
    "crowd": _crowd,
    "sync": _sync,
}


if __name__ == "__main__":
    main()
