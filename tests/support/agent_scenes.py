"""A small repository with three commits that their own tests can judge, and a scripted agent that solves them."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from support.repositories import Commit

ROOT = Path(__file__).parents[2]
SCRIPTED = ROOT / "benchmarks" / "agents" / "scripted.py"
TEST_COMMAND = f"{sys.executable} -m unittest discover -q -s tests -t ."
NAMES = ("anchors", "berths", "currents", "dredging", "harbour", "moorings", "tides", "tolls", "winds")
Edit = tuple[str, str, str]


def module(name: str) -> str:
    """A source file long enough to cost something to read."""
    body = "".join(f"\n\ndef {name}_step_{at}(value):\n    return value + {at}\n" for at in range(12))
    return f'"""All about {name} in the port."""\n\n\ndef {name}_total(values):\n    return len(values)\n{body}'


def check(name: str, expected: int) -> str:
    """A test of a module's total."""
    return (
        f"import unittest\n\nfrom port.{name} import {name}_total\n\n\nclass Total(unittest.TestCase):\n"
        f"    def test_total(self):\n        self.assertEqual({name}_total([1, 2, 3]), {expected})\n"
    )


WRONG = "    return len(values)\n"
FIXES: Mapping[str, tuple[str, str]] = {
    "tides": ("    return sum(values)\n", "fix: let tides_total add the heights of all tides"),
    "tolls": ("    return sum(values) * 2\n", "fix: let tolls_total charge every toll twice in winter"),
    "winds": ("    return max(values) + 7\n", "fix: let winds_total report the strongest of the winds in knots"),
}
EXPECTED = {"tides": 6, "tolls": 12, "winds": 10}


def history(*extra: Commit) -> list[Commit]:
    """The commits, oldest first; one that tests cannot judge is among them."""
    start = {f"port/{name}.py": module(name) for name in NAMES}
    start |= {"port/__init__.py": "", "tests/__init__.py": "", "tests/test_port.py": check("berths", 3)}
    start["AGENTS.md"] = "# For agents\n\nKeep functions short.\n"
    commits = [Commit(start, "feat: start the port with nine modules")]
    for name, (line, message) in FIXES.items():
        files = {
            f"port/{name}.py": module(name).replace(WRONG, line),
            f"tests/test_{name}.py": check(name, EXPECTED[name]),
        }
        commits.append(Commit(files, f"{message}\n\nReviewed-by: Ada Example <ada@example.org>"))
    unjudged = {"port/berths.py": module("berths") + "# free\n", "tests/test_port.py": check("berths", 3) + "# free\n"}
    return [*commits, Commit(unjudged, "docs: say in berths which of them are free"), *extra]


def solutions() -> list[dict[str, object]]:
    """The script: what the agent edits for each task."""
    return [
        {"task": message, "edits": [[f"port/{name}.py", WRONG, line]], "runs": "git log --oneline -1"}
        for name, (line, message) in FIXES.items()
    ]


def scripted(folder: Path, script: list[dict[str, object]]) -> str:
    """The command of a scripted agent."""
    path = folder / "script.json"
    path.write_text(json.dumps(script), encoding="utf-8")
    return f"{sys.executable} {SCRIPTED} {path}"
